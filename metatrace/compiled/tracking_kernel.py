"""A compiled linear learner, y = ⟨w|x⟩: what `metatrace.related` has, for a block of examples at a time.

`state` has a row per array of `regression_layout.STATE`, n numbers each, and before them the row of weights.
"""

import math
from typing import Any

import numba
from numba import types

from metatrace.compiled import regression_layout
from metatrace.compiled.dense_kernel import sqrt

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "step_idbd": ("idbd",),
    "step_autostep": ("autostep",),
    "step_lms": ("none",),
    "step_rmsprop": ("rmsprop",),
    "step_adam": ("adam",),
}
_f64 = types.CPointer(types.float64)
# How many examples, how many inputs, the method; x, y*, where δ goes, state, numbers
SIGNATURE = types.void(types.int64, types.int64, types.int64, _f64, _f64, _f64, _f64, _f64)
# A product may round with a sum; sums keep their order.
FASTMATH = {"contract"}
_compiled = numba.njit(error_model="numpy", fastmath=FASTMATH, forceinline=True)
NONE, RMSPROP, ADAM, IDBD, AUTOSTEP = range(len(regression_layout.TRACKING))
ALPHA, MU, TAU, RATE_1, RATE_2, EPSILON, CORRECTION_1, CORRECTION_2 = range(len(regression_layout.NUMBERS))


@_compiled
def step_lms(n: int, x: Any, at: int, delta: float, state: Any, alpha: float) -> None:
    """w ← w + αδx."""
    for i in range(n):
        state[i] += alpha * delta * x[at + i]


@_compiled
def step_rmsprop(n: int, x: Any, at: int, delta: float, state: Any, numbers: Any) -> None:
    """m ← ρm + (1 − ρ)g², w ← w + αg/√(m/(1 − ρ^t) + ε), g = δx."""
    alpha, rho, epsilon, correction = numbers[ALPHA], numbers[RATE_2], numbers[EPSILON], numbers[CORRECTION_2]
    for i in range(n):
        g = delta * x[at + i]
        m = rho * state[n + i] + (1.0 - rho) * (g * g)
        state[n + i] = m
        state[i] += alpha * g / sqrt(m / correction + epsilon)


@_compiled
def step_adam(n: int, x: Any, at: int, delta: float, state: Any, numbers: Any) -> None:
    """m₁ ← β₁m₁ + (1 − β₁)g, m₂ ← β₂m₂ + (1 − β₂)g², w ← w + αm̂₁/(√m̂₂ + ε), g = δx."""
    alpha, beta_1, beta_2, epsilon = numbers[ALPHA], numbers[RATE_1], numbers[RATE_2], numbers[EPSILON]
    for i in range(n):
        g = delta * x[at + i]
        m_1 = beta_1 * state[n + i] + (1.0 - beta_1) * g
        m_2 = beta_2 * state[2 * n + i] + (1.0 - beta_2) * (g * g)
        state[n + i], state[2 * n + i] = m_1, m_2
        state[i] += alpha * (m_1 / numbers[CORRECTION_1]) / (sqrt(m_2 / numbers[CORRECTION_2]) + epsilon)


@_compiled
def step_idbd(n: int, x: Any, at: int, delta: float, state: Any, theta: float) -> None:
    """β ← β + θδxh, α = e^β, w ← w + αδx, h ← h[1 − αx²]⁺ + αδx."""
    for i in range(n):
        x_i, h = x[at + i], state[2 * n + i]
        beta = state[n + i] + theta * delta * x_i * h
        alpha = math.exp(beta)
        state[n + i] = beta
        state[i] += alpha * delta * x_i
        state[2 * n + i] = h * max(0.0, 1.0 - alpha * x_i * x_i) + alpha * delta * x_i


@_compiled
def step_autostep(n: int, x: Any, at: int, delta: float, state: Any, mu: float, tau: float) -> None:
    """v ← max(|δxh|, v + αx²(|δxh| − v)/τ), α ← α exp(μδxh/v)/M, w ← w + αδx, h ← h(1 − αx²) + αδx."""
    effective = 0.0
    for i in range(n):
        x_i, beta, v = x[at + i], state[n + i], state[3 * n + i]
        meta_gradient = delta * x_i * state[2 * n + i]
        size = abs(meta_gradient)
        v = max(size, v + math.exp(beta) * x_i * x_i * (size - v) / tau)
        beta += mu * meta_gradient / (v if v > 0.0 else 1.0)
        effective += math.exp(beta) * x_i * x_i
        state[n + i], state[3 * n + i] = beta, v
    log_M = math.log(max(effective, 1.0))
    for i in range(n):
        x_i = x[at + i]
        beta = state[n + i] - log_M
        alpha = math.exp(beta)
        state[n + i] = beta
        state[i] += alpha * delta * x_i
        state[2 * n + i] = state[2 * n + i] * (1.0 - alpha * x_i * x_i) + alpha * delta * x_i


@_compiled
def array(pointer: Any) -> Any:
    """What is there. Nothing here asks for its length."""
    return numba.carray(pointer, 1 << 40)


def entry(
    count: int, n: int, method: int, x_: Any, target_: Any, deltas_: Any, state_: Any, numbers_: Any
) -> None:  # fmt: skip
    """Learns from `count` examples one by one; writes δ of each before it learned from it."""
    x, target, deltas, state, numbers = array(x_), array(target_), array(deltas_), array(state_), array(numbers_)
    for t in range(count):
        at = t * n
        y = 0.0
        for i in range(n):
            y += state[i] * x[at + i]
        delta = target[t] - y
        deltas[t] = delta
        if method == IDBD:
            step_idbd(n, x, at, delta, state, numbers[MU])
        elif method == AUTOSTEP:
            step_autostep(n, x, at, delta, state, numbers[MU], numbers[TAU])
        elif method == NONE:
            step_lms(n, x, at, delta, state, numbers[ALPHA])
        else:
            numbers[CORRECTION_1] = numbers[RATE_1] * numbers[CORRECTION_1] + (1.0 - numbers[RATE_1])
            numbers[CORRECTION_2] = numbers[RATE_2] * numbers[CORRECTION_2] + (1.0 - numbers[RATE_2])
            if method == RMSPROP:
                step_rmsprop(n, x, at, delta, state, numbers)
            else:
                step_adam(n, x, at, delta, state, numbers)
