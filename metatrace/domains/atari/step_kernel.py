"""The passes of a step over all weights, compiled: first the tuner, then trace, h and the weights.

A pass works on a block of rows × columns weights. Every gradient of a block is an outer product, or two:

    ∂U/∂w = e_U ⊗ p      ∂H/∂w = e_H ⊗ q      ∂δ/∂w = e_N ⊗ r − e_V ⊗ p

For the dense layer p = q is what came in from S_t, r what came in from S_{t+1}, and the e are what went back;
the products are never written out, which would take longer than all of the arithmetic. For the other weights
the block is one row, e_U = e_H = e_N = 1, e_V = 0, and p, q, r are the gradients themselves.

The lines are those of `metatrace.tuning`, which tests hold them to; `update` has the scalars between the
passes. All arithmetic is in float32, β is kept as a logarithm, and sums over rows are in float64.
"""

from typing import Any

import numba
import numpy as np
from numba import types

from metatrace.domains.atari import network_kernel
from metatrace.domains.atari.exponential import exp
from metatrace.domains.atari.step_kernel_layout import (
    DELTA,
    DELTA_HAT,
    DOT_DELTA,
    DOT_H,
    DOT_U,
    DOTS,
    E_H,
    E_N,
    E_U,
    E_V,
    EFFECTIVE,
    GAMMA_LAMBDA,
    LEARN,
    LEARN_MIXED,
    LEARN_SCALAR,
    LEARN_VECTOR,
    MU,
    N_NUMBERS,
    N_PASSES,
    N_SUMS,
    PSI,
    SCALE,
    TUNE_MIXED,
    TUNE_MIXED_UNNORMALIZED,
    TUNE_VECTOR,
    TUNE_VECTOR_UNNORMALIZED,
)

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "dots": ("scalar", "scalar-unnormalized", "mixed-unnormalized"),
    "tune": ("vector", "mixed"),
    "tune_unnormalized": ("vector-unnormalized", "mixed-unnormalized"),
    "effective": ("vector",),
    "effective_and_dots": ("mixed",),
    "learn": ("none",),
    "learn_scalar": ("scalar", "scalar-unnormalized"),
    "learn_vector": ("vector", "vector-unnormalized"),
    "learn_mixed": ("mixed", "mixed-unnormalized"),
}
# Constants of numba's own would make all arithmetic float64.
f32 = np.float32
TINY = f32(1e-37)
_f32, _f64 = types.CPointer(types.float32), types.CPointer(types.float64)
# what, rows, columns; numbers, sums; e; p, q, r; z, z_beta, v, beta, h, h_hat, w
SIGNATURE = types.void(types.int64, types.int64, types.int64, _f64, _f64, _f32, *(_f32,) * 3, *(_f32,) * 7)
# Sums may be taken in any order and a product may round with a sum: else no loop that sums could work on
# several weights at a time.
FASTMATH = {"reassoc", "contract", "nsz"}
# Into `entry`, where it is known that arrays do not overlap.
_compiled = numba.njit(error_model="numpy", inline="always")


@_compiled
def larger(a: Any, b: Any) -> Any:
    """The larger of two; b where a is NaN. Unlike `max` a single instruction."""
    return a if a > b else b


@_compiled
def dots(e: Any, row: int, columns: int, p: Any, q: Any, r: Any, h: Any, sums: Any) -> None:
    """⟨∂U|h⟩, ⟨∂H|h⟩ and ⟨∂δ|h⟩ of a row, and its sum of (∂U/∂w)²."""
    h_p, h_q, h_r, squares = f32(0), f32(0), f32(0), f32(0)
    start = row * columns
    for j in range(columns):
        h_p += p[j] * h[start + j]
        h_q += q[j] * h[start + j]
        h_r += r[j] * h[start + j]
        squares += p[j] * p[j]
    sums[DOT_U] += e[E_U, row] * h_p
    sums[DOT_H] += e[E_H, row] * h_q
    sums[DOT_DELTA] += e[E_N, row] * h_r - e[E_V, row] * h_p
    sums[EFFECTIVE] += e[E_U, row] * e[E_U, row] * squares


@_compiled
def tune(
    e: Any,
    row: int,
    columns: int,
    p: Any,
    q: Any,
    gamma_lambda: Any,
    mu: Any,
    psi: Any,
    delta: Any,
    z_beta: Any,
    v: Any,
    beta: Any,
    h: Any,
) -> None:
    """Lines 7 to 10 of algorithm 2."""
    start, e_U, e_H = row * columns, e[E_U, row], psi * e[E_H, row]
    for j in range(columns):
        i = start + j
        trace_beta = gamma_lambda * z_beta[i] + (e_U * p[j]) * h[i]  # line 7
        z_beta[i] = trace_beta
        Delta_beta = trace_beta * delta + (e_H * q[j]) * h[i]  # line 8
        size = abs(Delta_beta)
        largest = larger(size, v[i] + mu * (size - v[i]))  # line 9
        v[i] = largest
        beta[i] += mu * Delta_beta / larger(largest, TINY)  # line 10; v = 0 means Δ_β = 0


@_compiled
def tune_unnormalized(
    e: Any,
    row: int,
    columns: int,
    p: Any,
    q: Any,
    gamma_lambda: Any,
    mu: Any,
    psi: Any,
    delta: Any,
    z_beta: Any,
    beta: Any,
    h: Any,
) -> None:
    """The same without normalization: β += μ Δ_β."""
    start, e_U, e_H = row * columns, e[E_U, row], psi * e[E_H, row]
    for j in range(columns):
        i = start + j
        trace_beta = gamma_lambda * z_beta[i] + (e_U * p[j]) * h[i]
        z_beta[i] = trace_beta
        beta[i] += mu * (trace_beta * delta + (e_H * q[j]) * h[i])


@_compiled
def effective(e: Any, row: int, columns: int, p: Any, beta: Any, sums: Any) -> None:
    """⟨e^β|(∂U/∂w)²⟩ of a row, for line 11.

    In a loop of its own: with `tune` it is a chain of operations longer than the processor looks ahead.
    """
    start, e_U = row * columns, e[E_U, row]
    total = f32(0)
    for j in range(columns):
        grad_U = e_U * p[j]
        total += exp(beta[start + j]) * (grad_U * grad_U)
    sums[EFFECTIVE] += total


@_compiled
def effective_and_dots(e: Any, row: int, columns: int, p: Any, q: Any, r: Any, beta: Any, h: Any, sums: Any) -> None:
    """`effective` and, while it computes and h comes from memory, the three products of `dots`."""
    start, e_U = row * columns, e[E_U, row]
    h_p, h_q, h_r, total = f32(0), f32(0), f32(0), f32(0)
    for j in range(columns):
        grad_U = e_U * p[j]
        total += exp(beta[start + j]) * (grad_U * grad_U)
        h_p += p[j] * h[start + j]
        h_q += q[j] * h[start + j]
        h_r += r[j] * h[start + j]
    sums[EFFECTIVE] += total
    sums[DOT_U] += e_U * h_p
    sums[DOT_H] += e[E_H, row] * h_q
    sums[DOT_DELTA] += e[E_N, row] * h_r - e[E_V, row] * h_p


@_compiled
def learn(
    e: Any,
    row: int,
    columns: int,
    p: Any,
    q: Any,
    gamma_lambda: Any,
    psi: Any,
    delta: Any,
    alpha: Any,
    z: Any,
    w: Any,
) -> None:
    """z ← γλz + ∂U/∂w and w ← w + α (z δ + ψ ∂H/∂w), α one for all."""
    start, e_U, e_H = row * columns, e[E_U, row], psi * e[E_H, row]
    for j in range(columns):
        i = start + j
        trace = gamma_lambda * z[i] + e_U * p[j]
        z[i] = trace
        w[i] += alpha * (trace * delta + e_H * q[j])


@_compiled
def learn_scalar(
    e: Any,
    row: int,
    columns: int,
    p: Any,
    q: Any,
    gamma_lambda: Any,
    psi: Any,
    delta: Any,
    delta_hat: Any,
    alpha: Any,
    z: Any,
    h: Any,
    w: Any,
) -> None:
    """The same, and line 14 of algorithm 1: h ← h + α (z (δ + ⟨∂δ|h⟩) + ψ ∂H/∂w); brackets in `delta_hat`."""
    start, e_U, e_H = row * columns, e[E_U, row], psi * e[E_H, row]
    for j in range(columns):
        i = start + j
        trace = gamma_lambda * z[i] + e_U * p[j]
        z[i] = trace
        entropy = e_H * q[j]
        h[i] += alpha * (trace * delta_hat + entropy)
        w[i] += alpha * (trace * delta + entropy)


@_compiled
def learn_vector(
    e: Any,
    row: int,
    columns: int,
    p: Any,
    q: Any,
    r: Any,
    gamma_lambda: Any,
    psi: Any,
    delta: Any,
    scale: Any,
    z: Any,
    beta: Any,
    h: Any,
    w: Any,
) -> None:
    """z, w, and line 14 of algorithm 2: h ← h + α (z (δ + ∂δ/∂w h) + ψ ∂H/∂w), α = `scale` e^β."""
    start, e_U, e_H, e_V, e_N = row * columns, e[E_U, row], psi * e[E_H, row], e[E_V, row], e[E_N, row]
    for j in range(columns):
        i = start + j
        trace = gamma_lambda * z[i] + e_U * p[j]
        z[i] = trace
        alpha = scale * exp(beta[i])
        entropy = e_H * q[j]
        grad_delta = e_N * r[j] - e_V * p[j]
        h[i] += alpha * (trace * (delta + grad_delta * h[i]) + entropy)
        w[i] += alpha * (trace * delta + entropy)


@_compiled
def learn_mixed(
    e: Any,
    row: int,
    columns: int,
    p: Any,
    q: Any,
    r: Any,
    gamma_lambda: Any,
    psi: Any,
    delta: Any,
    delta_hat: Any,
    scale: Any,
    z: Any,
    beta: Any,
    h: Any,
    h_hat: Any,
    w: Any,
) -> None:
    """The same with ĥ ← ĥ + α (z (δ + ⟨∂δ|ĥ⟩) + ψ ∂H/∂w), α = e^(β̂ + β); the brackets in `delta_hat`."""
    start, e_U, e_H, e_V, e_N = row * columns, e[E_U, row], psi * e[E_H, row], e[E_V, row], e[E_N, row]
    for j in range(columns):
        i = start + j
        trace = gamma_lambda * z[i] + e_U * p[j]
        z[i] = trace
        alpha = scale * exp(beta[i])
        entropy = e_H * q[j]
        grad_delta = e_N * r[j] - e_V * p[j]
        h[i] += alpha * (trace * (delta + grad_delta * h[i]) + entropy)
        h_hat[i] += alpha * (trace * delta_hat + entropy)
        w[i] += alpha * (trace * delta + entropy)


def entry(
    what: int,
    rows: int,
    columns: int,
    numbers: Any,
    sums: Any,
    e: Any,
    p: Any,
    q: Any,
    r: Any,
    z: Any,
    z_beta: Any,
    v: Any,
    beta: Any,
    h: Any,
    h_hat: Any,
    w: Any,
) -> None:
    """One pass over a block, behind plain C pointers; e is (4, rows), p, q and r (columns,).

    Or what else the network does on the way, see `network_kernel`, which has other names for the pointers.
    """
    if what >= N_PASSES:
        network_kernel.run(what, rows, columns, numbers, (e, p, q, r, z, z_beta, v, beta, h, h_hat, w))
        return
    n = rows * columns
    number, total = numba.carray(numbers, N_NUMBERS), numba.carray(sums, N_SUMS)
    went_back = numba.carray(e, (4, rows))
    p_, q_, r_ = numba.carray(p, columns), numba.carray(q, columns), numba.carray(r, columns)
    z_, z_beta_, v_, beta_ = (
        numba.carray(z, n),
        numba.carray(z_beta, n),
        numba.carray(v, n),
        numba.carray(beta, n),
    )
    h_, h_hat_, w_ = numba.carray(h, n), numba.carray(h_hat, n), numba.carray(w, n)
    gamma_lambda, mu, psi = f32(number[GAMMA_LAMBDA]), f32(number[MU]), f32(number[PSI])
    delta, delta_hat, scale = f32(number[DELTA]), f32(number[DELTA_HAT]), f32(number[SCALE])
    for row in range(rows):
        if what == DOTS:
            dots(went_back, row, columns, p_, q_, r_, h_, total)
        elif what == TUNE_VECTOR:
            tune(went_back, row, columns, p_, q_, gamma_lambda, mu, psi, delta, z_beta_, v_, beta_, h_)
            effective(went_back, row, columns, p_, beta_, total)
        elif what == TUNE_MIXED:
            tune(went_back, row, columns, p_, q_, gamma_lambda, mu, psi, delta, z_beta_, v_, beta_, h_)
            effective_and_dots(went_back, row, columns, p_, q_, r_, beta_, h_hat_, total)
        elif what == TUNE_VECTOR_UNNORMALIZED:
            tune_unnormalized(went_back, row, columns, p_, q_, gamma_lambda, mu, psi, delta, z_beta_, beta_, h_)
        elif what == TUNE_MIXED_UNNORMALIZED:
            tune_unnormalized(went_back, row, columns, p_, q_, gamma_lambda, mu, psi, delta, z_beta_, beta_, h_)
            dots(went_back, row, columns, p_, q_, r_, h_hat_, total)
        elif what == LEARN:
            learn(went_back, row, columns, p_, q_, gamma_lambda, psi, delta, scale, z_, w_)
        elif what == LEARN_SCALAR:
            learn_scalar(went_back, row, columns, p_, q_, gamma_lambda, psi, delta, delta_hat, scale, z_, h_, w_)
        elif what == LEARN_VECTOR:
            learn_vector(went_back, row, columns, p_, q_, r_, gamma_lambda, psi, delta, scale, z_, beta_, h_, w_)
        elif what == LEARN_MIXED:
            learn_mixed(
                went_back,
                row,
                columns,
                p_,
                q_,
                r_,
                gamma_lambda,
                psi,
                delta,
                delta_hat,
                scale,
                z_,
                beta_,
                h_,
                h_hat_,
                w_,
            )
