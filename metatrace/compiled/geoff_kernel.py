"""A compiled network of one hidden layer, y = Σ_j W_j tanh(Σ_i U_ij x_i), for a block of examples at a time.

`state` has rows of (units, inputs + 1) numbers: the weights, all U_ij and last W_j in line j, and then those of
`regression_layout.STATE`; crossprop's h has an unused number per unit, so that it has the same shape. The last unit is
always 1: its U never moves.
"""

import math
from typing import Any

import numba
from numba import types

from metatrace.compiled import regression_layout
from metatrace.compiled.dense_kernel import sqrt

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "step_backpropagation": ("none",),
    "step_momentum": ("momentum",),
    "step_rmsprop": ("rmsprop",),
    "step_adam": ("adam",),
    "step_crossprop": ("crossprop",),
    "write_gradient": ("momentum", "rmsprop", "adam"),
}
_f64 = types.CPointer(types.float64)
# How many examples, units, inputs, the method; x, y*, where δ goes, state, work space of inputs + 1 numbers and of a
# number per unit, numbers
SIGNATURE = types.void(types.int64, types.int64, types.int64, types.int64, *(_f64,) * 7)
# Sums may be taken in any order: else no loop that sums could work on several numbers at a time.
FASTMATH = {"reassoc", "contract", "nsz"}
_compiled = numba.njit(error_model="numpy", fastmath=FASTMATH, forceinline=True)
NONE, MOMENTUM, RMSPROP, ADAM, CROSSPROP = range(len(regression_layout.GEOFF))
ALPHA, MU, TAU, RATE_1, RATE_2, EPSILON, CORRECTION_1, CORRECTION_2 = range(len(regression_layout.NUMBERS))


@_compiled
def tanh(a: float) -> float:
    """tanh a, by what a kernel may call; to the last digits of 1."""
    t = math.exp(-2.0 * abs(a))
    size = (1.0 - t) / (1.0 + t)
    return size if a >= 0.0 else -size


@_compiled
def step_backpropagation(j: int, n: int, x: Any, at: int, phi: float, delta: float, state: Any, numbers: Any) -> None:
    """w ← w + αg of unit j, g its gradient."""
    step, line = numbers[ALPHA] * delta, j * (n + 1)
    back = step * state[line + n] * (1.0 - phi * phi)
    for i in range(n):
        state[line + i] += back * x[at + i]
    state[line + n] += step * phi


@_compiled
def write_gradient(j: int, n: int, x: Any, at: int, phi: float, delta: float, state: Any, g: Any) -> None:
    """Writes δ ∂y/∂w of unit j into `g`, (inputs + 1,)."""
    back = delta * state[j * (n + 1) + n] * (1.0 - phi * phi)
    for i in range(n):
        g[i] = back * x[at + i]
    g[n] = delta * phi


@_compiled
def step_momentum(j: int, n: int, size: int, g: Any, state: Any, numbers: Any) -> None:
    """m ← ρm + αg, w ← w + m of unit j."""
    line = j * (n + 1)
    for i in range(line, line + n + 1):
        m = numbers[RATE_2] * state[size + i] + numbers[ALPHA] * g[i - line]
        state[size + i] = m
        state[i] += m


@_compiled
def step_rmsprop(j: int, n: int, size: int, g: Any, state: Any, numbers: Any) -> None:
    """m ← ρm + (1 − ρ)g², w ← w + αg/√(m/(1 − ρ^t) + ε) of unit j."""
    line, rho, alpha, epsilon = j * (n + 1), numbers[RATE_2], numbers[ALPHA], numbers[EPSILON]
    inverse = 1.0 / numbers[CORRECTION_2]
    for i in range(line, line + n + 1):
        m = rho * state[size + i] + (1.0 - rho) * (g[i - line] * g[i - line])
        state[size + i] = m
        state[i] += alpha * g[i - line] / sqrt(m * inverse + epsilon)


@_compiled
def step_adam(j: int, n: int, size: int, g: Any, state: Any, numbers: Any) -> None:
    """m₁ ← β₁m₁ + (1 − β₁)g, m₂ ← β₂m₂ + (1 − β₂)g², w ← w + αm̂₁/(√m̂₂ + ε) of unit j."""
    line, beta_1, beta_2, epsilon = j * (n + 1), numbers[RATE_1], numbers[RATE_2], numbers[EPSILON]
    alpha, inverse = numbers[ALPHA] / numbers[CORRECTION_1], 1.0 / numbers[CORRECTION_2]
    for i in range(line, line + n + 1):
        m_1 = beta_1 * state[size + i] + (1.0 - beta_1) * g[i - line]
        m_2 = beta_2 * state[2 * size + i] + (1.0 - beta_2) * (g[i - line] * g[i - line])
        state[size + i] = m_1
        state[2 * size + i] = m_2
        state[i] += alpha * m_1 / (sqrt(m_2 * inverse) + epsilon)


@_compiled
def step_crossprop(
    j: int, n: int, size: int, x: Any, at: int, phi: float, delta: float, state: Any, numbers: Any
) -> None:  # fmt: skip
    """U_ij ← U_ij + αδφ_j h_ij, W_j ← W_j + αδφ_j, h_ij ← h_ij (1 − αφ_j²) + αδ(1 − φ_j²)x_i of unit j."""
    step, line = numbers[ALPHA] * delta, j * (n + 1)
    kept, new = 1.0 - numbers[ALPHA] * phi * phi, step * (1.0 - phi * phi)
    for i in range(n):
        h = state[size + line + i]
        state[line + i] += step * phi * h
        state[size + line + i] = h * kept + new * x[at + i]
    state[line + n] += step * phi


@_compiled
def array(pointer: Any) -> Any:
    """What is there. Nothing here asks for its length."""
    return numba.carray(pointer, 1 << 40)


def entry(
    count: int, units: int, n: int, method: int,
    x_: Any, target_: Any, deltas_: Any, state_: Any, g_: Any, phi_: Any, numbers_: Any,
) -> None:  # fmt: skip
    """Learns from `count` examples one by one; writes δ of each before it learned from it."""
    x, target, deltas, state = array(x_), array(target_), array(deltas_), array(state_)
    g, phi, numbers = array(g_), array(phi_), array(numbers_)
    size = units * (n + 1)
    for t in range(count):
        at = t * n
        y = 0.0
        for j in range(units):
            line, net = j * (n + 1), 0.0
            for i in range(n):
                net += state[line + i] * x[at + i]
            phi[j] = tanh(net) if j < units - 1 else 1.0
        for j in range(units):
            y += state[j * (n + 1) + n] * phi[j]
        delta = target[t] - y
        deltas[t] = delta
        numbers[CORRECTION_1] = numbers[RATE_1] * numbers[CORRECTION_1] + (1.0 - numbers[RATE_1])
        numbers[CORRECTION_2] = numbers[RATE_2] * numbers[CORRECTION_2] + (1.0 - numbers[RATE_2])
        if method == NONE:
            for j in range(units):
                step_backpropagation(j, n, x, at, phi[j], delta, state, numbers)
        elif method == CROSSPROP:
            for j in range(units):
                step_crossprop(j, n, size, x, at, phi[j], delta, state, numbers)
        else:
            for j in range(units):
                write_gradient(j, n, x, at, phi[j], delta, state, g)
                if method == MOMENTUM:
                    step_momentum(j, n, size, g, state, numbers)
                elif method == RMSPROP:
                    step_rmsprop(j, n, size, g, state, numbers)
                else:
                    step_adam(j, n, size, g, state, numbers)
