"""A step of the network's agent, compiled: what lies between its matrix products, and the passes over all weights.

The lines are those of `plain` and `metatrace.tuning`, which tests hold them to. All arithmetic is in float32; sums
over all weights, and what the tuner keeps once and not for each weight, are in float64.

A method with a step-size for each weight keeps α = e^β itself. A step multiplies it by e^{μΔ/v}, which a short series
gives: there is no exponential per weight and step, and α is rounded in its own last digit, not in that of β.

Every gradient is a row, or an outer product with one:

    ∂U/∂w = e_U ⊗ U      ∂H/∂w = e_H ⊗ H      ∂δ/∂w = e_N ⊗ N − e_V ⊗ V

For the dense layer U = H = V is what came in from S_t, N what came in from S_{t+1}, and the e are what went back to its
outputs; the products are never written out, which would take longer than all of the arithmetic. Every other layer is
one row with e = 1, whose gradients are written out.
"""

import math
import platform
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from metatrace.networks import kernel_layout as layout
from metatrace.networks.kernel_layout import METHOD_CODES, H, N, U, V

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "add_dots": ("scalar", "scalar-unnormalized", "mixed", "mixed-unnormalized"),
    "tune": ("vector", "vector-unnormalized", "mixed", "mixed-unnormalized"),
    "tune_shared": ("scalar", "scalar-unnormalized", "mixed", "mixed-unnormalized"),
    "log_overshoot": ("scalar", "vector", "mixed"),
    "learn": ("none",),
    "learn_scalar": ("scalar", "scalar-unnormalized"),
    "learn_vector": ("vector", "vector-unnormalized"),
    "learn_mixed": ("mixed", "mixed-unnormalized"),
}
NONE, SCALAR, SCALAR_UNNORMALIZED, VECTOR, VECTOR_UNNORMALIZED, MIXED, MIXED_UNNORMALIZED = METHOD_CODES.values()

_f64, _i64, _f32 = (types.CPointer(kind) for kind in (types.float64, types.int64, types.float32))
# what, five sizes; blocks, numbers, and the arrays that `entry` names
SIGNATURE = types.void(*(types.int64,) * 6, _i64, _f64, *(_f32,) * 11)
# Sums may be taken in any order and a product may round with a sum: else no loop that sums could work on
# several weights at a time.
FASTMATH = {"reassoc", "contract", "nsz"}
# Into `entry`, where it is known that arrays do not overlap.
_compiled = numba.njit(error_model="numpy", fastmath=FASTMATH, forceinline=True)
# Without those liberties: sums keep their order here.
_in_order = numba.njit(error_model="numpy", fastmath={"contract"}, forceinline=True)

# Constants of numba's own would make all arithmetic float64.
f32 = np.float32
ZERO, HALF, ONE, TWO, TINY = f32(0), f32(0.5), f32(1), f32(2), f32(1e-37)
C_3, C_4, C_5, C_6, C_7 = f32(1 / 6), f32(1 / 24), f32(1 / 120), f32(1 / 720), f32(1 / 5040)
# Beyond these e^x leaves float32.
LOWEST, HIGHEST, INFINITE = f32(-87), f32(88), f32(np.inf)
# 1.5 · 2²³: what is added to it is rounded to a whole number, which then stands in its last bits.
ROUNDS = f32(12582912)
LOG2_E, LN2_HIGH, LN2_LOW = f32(1.4426950408889634), f32(0.693359375), f32(-2.12194440e-4)
SERIES_UP_TO = f32(1 / 16)  # where x⁵/5! is below half a unit of the last digit of 1


@_in_order
def exp(x: Any) -> Any:
    """e^x = 2^k e^r with |r| ≤ ½ log 2, to about a unit of the last digit.

    e^−87 below −87, infinite above 88.
    """
    too_high = x > HIGHEST
    x = LOWEST if x < LOWEST else x
    x = HIGHEST if too_high else x
    shifted = x * LOG2_E + ROUNDS
    k = shifted - ROUNDS
    r = (x - k * LN2_HIGH) - k * LN2_LOW  # k * LN2_HIGH is exact; in another order r loses digits with k
    # C_3 + C_4 r + … + C_7 r⁴, in pairs, which need not wait for one another
    square = r * r
    terms = (C_3 + r * C_4) + square * ((C_5 + r * C_6) + square * C_7)
    power = np.int32((np.float32(shifted).view(np.int32) + np.int32(127)) << np.int32(23)).view(np.float32)
    return INFINITE if too_high else power * (ONE + (r + square * (HALF + r * terms)))


@_in_order
def series(x: Any) -> Any:
    """e^x for |x| ≤ `SERIES_UP_TO`."""
    return ONE + x * (ONE + x * (HALF + x * (C_3 + x * C_4)))


@_compiled
def larger(a: Any, b: Any) -> Any:
    """The larger of two; b where a is NaN. Unlike `max` a single instruction."""
    return a if a > b else b


@_compiled
def dot(n: int, a: Any, b: Any) -> Any:
    """⟨a|b⟩ of two (n,)."""
    total = ZERO
    for j in range(n):
        total += a[j] * b[j]
    return total


@_compiled
def four_dots(n: int, rows: Any, x: Any) -> Any:
    """The products of four rows of weights with x (n,): from memory four rows come faster than one."""
    a, b, c, d = ZERO, ZERO, ZERO, ZERO
    for j in range(n):
        a += rows[j] * x[j]
        b += rows[n + j] * x[j]
        c += rows[2 * n + j] * x[j]
        d += rows[3 * n + j] * x[j]
    return a, b, c, d


@intrinsic
def flush_denormals(_typing: Any) -> Any:
    """From here on numbers too small for full precision count as 0: traces decay into those, which are slow."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if platform.machine().lower() in ("x86_64", "amd64"):
            word = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(32), 0x1F80 | 0x8040))
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer()])
            load = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse.ldmxcsr")
            builder.call(load, [builder.bitcast(word, ir.IntType(8).as_pointer())])
        return context.get_dummy_value()

    return types.void(), make


@_compiled
def silu(places: int, filters: int, x: Any, bias: Any, y: Any, slope: Any) -> None:
    """y = x σ and its slope, σ (1 + x (1 − σ)), of a convolution's outputs x + bias, (places, filters)."""
    for place in range(places):
        for filter_ in range(filters):
            i = place * filters + filter_
            value = x[i] + bias[filter_]
            s = ONE / (ONE + exp(-value))
            y[i] = value * s
            slope[i] = s * (ONE + value * (ONE - s))


@_compiled
def dsilu(x: Any) -> Any:
    """σ (1 + x (1 − σ)) and its slope, σ (1 − σ) (2 + x (1 − 2σ))."""
    s = ONE / (ONE + exp(-x))
    return s * (ONE + x * (ONE - s)), s * (ONE - s) * (TWO + x * (ONE - TWO * s))


@_compiled
def forward(hidden: int, flat: int, n_actions: int, top: Any, x: Any, y: Any, slope: Any, outputs: Any) -> None:
    """From what came into the dense layer, x (flat,), to its outputs and slopes, (hidden,); V and logits.

    Args:
      top: the weights from the dense layer's on.
      outputs: (1 + actions,), written.
    """
    bias = hidden * flat
    value, policy = bias + hidden, bias + 2 * hidden + 1
    for i in range(0, hidden, 4):
        for k, total in enumerate(four_dots(flat, top[i * flat :], x)):
            y[i + k], slope[i + k] = dsilu(total + top[bias + i + k])
    outputs[0] = dot(hidden, top[value:], y) + top[value + hidden]
    for a in range(n_actions):
        outputs[1 + a] = dot(hidden, top[policy + a * hidden :], y) + top[policy + n_actions * hidden + a]


@_compiled
def add_four_rows(n: int, rows: Any, e: Any, f: Any, back_e: Any, back_f: Any) -> None:
    """Adds to two rows of what goes back the products of four coefficients each with four rows of weights."""
    for j in range(n):
        a, b, c, d = rows[j], rows[n + j], rows[2 * n + j], rows[3 * n + j]
        back_e[j] += (e[0] * a + e[1] * b) + (e[2] * c + e[3] * d)
        back_f[j] += (f[0] * a + f[1] * b) + (f[2] * c + f[3] * d)


@_compiled
def backward(
    hidden: int, flat: int, n_actions: int, needs_delta: int, numbers: Any, top: Any,
    next_x: Any, y: Any, slope: Any, outputs: Any, next_y: Any, by_logits: Any, e: Any, back: Any, gradients: Any,
) -> None:  # fmt: skip
    """δ, and the gradients back to what came into the dense layer; its weights are read once for both.

    Args:
      next_x: (flat,), what came in from S_{t+1}; y, slope, outputs: of `forward`, at S_t; next_y: written.
      by_logits: (2, actions), the derivatives of U and H.
      e: (4, hidden), written: what went back to the dense layer's outputs, rows U, H, V, N.
      back: (4, flat), written: what went back to its inputs; rows V and N only where ∂δ/∂w is needed.
      gradients: (4, …), written: of the layers above the dense one's weights.
    """
    bias = hidden * flat
    value, policy = top[bias + hidden :], top[bias + 2 * hidden + 1 :]
    size = 2 * hidden + 1 + n_actions * (hidden + 1)
    of_U, of_H, of_V, of_N = gradients[U * size :], gradients[H * size :], gradients[V * size :], gradients[N * size :]
    e_U, e_H, e_V, e_N = e[U * hidden :], e[H * hidden :], e[V * hidden :], e[N * hidden :]
    gamma = f32(numbers[layout.GAMMA])

    for j in range(hidden):
        e_U[j] = value[j]
        e_H[j] = ZERO
        of_U[hidden + j] = of_V[hidden + j] = y[j]
    for a in range(n_actions):
        by_U, by_H, row, at = by_logits[a], by_logits[n_actions + a], a * hidden, 2 * hidden + 1 + a * hidden
        of_U[size - n_actions + a], of_H[size - n_actions + a] = by_U, by_H
        for j in range(hidden):
            of_U[at + j] = by_U * y[j]
            of_H[at + j] = by_H * y[j]
            e_U[j] += by_U * policy[row + j]
            e_H[j] += by_H * policy[row + j]
    for j in range(hidden):
        e_U[j] *= slope[j]
        e_H[j] *= slope[j]
        e_V[j] = value[j] * slope[j]

    for i in range(4 * flat):
        back[i] = ZERO
    for i in range(0, hidden, 4):
        for k, total in enumerate(four_dots(flat, top[i * flat :], next_x)):
            next_y[i + k], next_slope = dsilu(total + top[bias + i + k])
            e_N[i + k] = gamma * value[i + k] * next_slope
        add_four_rows(flat, top[i * flat :], e_U[i:], e_H[i:], back[U * flat :], back[H * flat :])
        if needs_delta:
            add_four_rows(flat, top[i * flat :], e_V[i:], e_N[i:], back[V * flat :], back[N * flat :])
    for j in range(hidden):
        of_U[j], of_H[j], of_V[j], of_N[j] = e_U[j], e_H[j], e_V[j], e_N[j]
        of_N[hidden + j] = gamma * next_y[j]
    of_U[2 * hidden] = of_V[2 * hidden] = ONE
    of_N[2 * hidden] = gamma
    next_value = float(dot(hidden, value, next_y) + value[hidden])
    numbers[layout.DELTA] = numbers[layout.REWARD] + numbers[layout.GAMMA] * next_value - float(outputs[0])


@_compiled
def back_through_silu(
    places: int, filters: int, rows: int, arrived: Any, slope: Any, next_slope: Any, back: Any, gradients: Any
) -> None:
    """Rows (rows, places, filters) times the slopes, into back (places, rows, filters); sums: the biases' gradients."""
    for i in range(rows * filters):
        gradients[i] = ZERO
    for place in range(places):
        for row in range(rows):
            slopes = next_slope if row == N else slope
            for filter_ in range(filters):
                i = place * filters + filter_
                through = arrived[row * places * filters + i] * slopes[i]
                back[(place * rows + row) * filters + filter_] = through
                gradients[row * filters + filter_] += through


@_compiled
def fold(channels: int, side: int, size: int, stride: int, rows: int, patches: Any, images: Any) -> None:
    """Adds up what went back to each pixel.

    Args:
      patches: (places, rows, size, size, channels). images: (rows, side, side, channels), written.
    """
    across, run = (side - size) // stride + 1, size * channels
    for i in range(rows * side * side * channels):
        images[i] = ZERO
    start = 0
    for place in range(across * across):
        y, x = place // across * stride, place % across * stride
        for row in range(rows):
            for ky in range(size):
                first = ((row * side + y + ky) * side + x) * channels
                for k in range(run):
                    images[first + k] += patches[start + k]
                start += run


class Gradients(NamedTuple):
    """The gradients of a row of weights, see above; `e_H` holds ψ."""

    e_U: Any
    e_H: Any
    e_V: Any
    e_N: Any
    U: Any
    H: Any
    V: Any
    N: Any


class State(NamedTuple):
    """What is kept of a row of weights: w, z, and the tuner's; a method leaves alone what it has no use for."""

    w: Any
    z: Any
    h: Any
    h_hat: Any
    z_beta: Any
    v: Any
    alpha: Any


class Scalars(NamedTuple):
    """What all weights share in a step: δ̂ = δ + ⟨∂δ/∂w|h⟩, and `scale`, α or by what it is multiplied."""

    gamma_lambda: Any
    mu: Any
    delta: Any
    delta_hat: Any
    scale: Any


@_compiled
def add_dots(n: int, g: Gradients, h: Any, sums: Any) -> Any:
    """Adds ⟨∂U|h⟩, ψ⟨∂H|h⟩ and ⟨∂δ|h⟩ of a row to the sums; returns its ⟨∂U|∂U⟩."""
    h_U, h_H, h_V, h_N, squares = ZERO, ZERO, ZERO, ZERO, ZERO
    for j in range(n):
        h_U += g.U[j] * h[j]
        h_H += g.H[j] * h[j]
        h_V += g.V[j] * h[j]
        h_N += g.N[j] * h[j]
        squares += g.U[j] * g.U[j]
    sums[layout.DOT_U] += g.e_U * h_U
    sums[layout.DOT_H] += g.e_H * h_H
    sums[layout.DOT_DELTA] += g.e_N * h_N - g.e_V * h_V
    return g.e_U * g.e_U * squares


@_compiled
def tune_by(grow: Any, normalized: bool, n: int, g: Gradients, s: State, c: Scalars) -> Any:
    """Lines 7 to 10 of algorithm 2, `grow` being e^x; returns ⟨α|(∂U/∂w)²⟩ of the row, for line 11."""
    effective = ZERO
    for j in range(n):
        grad_U = g.e_U * g.U[j]
        trace_beta = c.gamma_lambda * s.z_beta[j] + grad_U * s.h[j]  # line 7
        s.z_beta[j] = trace_beta
        Delta_beta = trace_beta * c.delta + (g.e_H * g.H[j]) * s.h[j]  # line 8
        if normalized:
            size = abs(Delta_beta)
            largest = larger(size, s.v[j] + c.mu * (size - s.v[j]))  # line 9
            s.v[j] = largest
            Delta_beta /= larger(largest, TINY)  # v = 0 means Δ_β = 0
        alpha = larger(s.alpha[j] * grow(c.mu * Delta_beta), TINY)  # line 10
        s.alpha[j] = alpha
        effective += alpha * (grad_U * grad_U)
    return effective


@_compiled
def tune(normalized: bool, n: int, g: Gradients, s: State, c: Scalars) -> Any:
    """`tune_by` with the series where it is exact: a normalized Δ_β is at most 1."""
    if not normalized:
        return tune_by(exp, False, n, g, s, c)
    if c.mu <= SERIES_UP_TO:
        return tune_by(series, True, n, g, s, c)
    return tune_by(exp, True, n, g, s, c)


@_compiled
def learn(n: int, g: Gradients, s: State, c: Scalars) -> None:
    """z ← γλz + ∂U/∂w and w ← w + α (z δ + ψ ∂H/∂w), α one for all."""
    for j in range(n):
        trace = c.gamma_lambda * s.z[j] + g.e_U * g.U[j]
        s.z[j] = trace
        s.w[j] += c.scale * (trace * c.delta + g.e_H * g.H[j])


@_compiled
def learn_scalar(n: int, g: Gradients, s: State, c: Scalars) -> None:
    """The same, and line 14 of algorithm 1: h ← h + α (z δ̂ + ψ ∂H/∂w)."""
    for j in range(n):
        trace = c.gamma_lambda * s.z[j] + g.e_U * g.U[j]
        s.z[j] = trace
        entropy = g.e_H * g.H[j]
        s.h[j] += c.scale * (trace * c.delta_hat + entropy)
        s.w[j] += c.scale * (trace * c.delta + entropy)


@_compiled
def learn_vector(n: int, g: Gradients, s: State, c: Scalars) -> None:
    """α ← α / M, z, w, and line 14 of algorithm 2: h ← h + α (z (δ + ∂δ/∂w h) + ψ ∂H/∂w)."""
    for j in range(n):
        trace = c.gamma_lambda * s.z[j] + g.e_U * g.U[j]
        s.z[j] = trace
        alpha = c.scale * s.alpha[j]
        s.alpha[j] = alpha
        entropy = g.e_H * g.H[j]
        grad_delta = g.e_N * g.N[j] - g.e_V * g.V[j]
        s.h[j] += alpha * (trace * (c.delta + grad_delta * s.h[j]) + entropy)
        s.w[j] += alpha * (trace * c.delta + entropy)


@_compiled
def learn_mixed(n: int, g: Gradients, s: State, c: Scalars) -> None:
    """The same with ĥ ← ĥ + α (z δ̂ + ψ ∂H/∂w) and α = e^(β̂ + β)."""
    for j in range(n):
        trace = c.gamma_lambda * s.z[j] + g.e_U * g.U[j]
        s.z[j] = trace
        alpha = c.scale * s.alpha[j]
        entropy = g.e_H * g.H[j]
        grad_delta = g.e_N * g.N[j] - g.e_V * g.V[j]
        s.h[j] += alpha * (trace * (c.delta + grad_delta * s.h[j]) + entropy)
        s.h_hat[j] += alpha * (trace * c.delta_hat + entropy)
        s.w[j] += alpha * (trace * c.delta + entropy)


@_compiled
def tune_row(method: int, n: int, g: Gradients, s: State, c: Scalars, sums: Any) -> None:
    """The first pass over a row: what stands before the sums over all weights are known."""
    if method in (SCALAR, SCALAR_UNNORMALIZED):
        sums[layout.EFFECTIVE] += add_dots(n, g, s.h, sums)
    else:
        sums[layout.EFFECTIVE] += tune(method in (VECTOR, MIXED), n, g, s, c)
    if method in (MIXED, MIXED_UNNORMALIZED):
        add_dots(n, g, s.h_hat, sums)


@_compiled
def learn_row(method: int, n: int, g: Gradients, s: State, c: Scalars, sums: Any) -> None:
    """The second pass over a row."""
    if method == NONE:
        learn(n, g, s, c)
    elif method in (SCALAR, SCALAR_UNNORMALIZED):
        learn_scalar(n, g, s, c)
    elif method in (VECTOR, VECTOR_UNNORMALIZED):
        learn_vector(n, g, s, c)
    elif method in (MIXED, MIXED_UNNORMALIZED):
        learn_mixed(n, g, s, c)


@_compiled
def part(s: State, i: int) -> State:
    """From weight i on."""
    return State(s.w[i:], s.z[i:], s.h[i:], s.h_hat[i:], s.z_beta[i:], s.v[i:], s.alpha[i:])


@_compiled
def tune_shared(numbers: Any, normalized: bool) -> None:
    """Lines 7 to 10 of algorithm 1, for a β that all weights share."""
    z_beta = numbers[layout.GAMMA_LAMBDA] * numbers[layout.Z_BETA] + numbers[layout.DOT_U]  # line 7
    numbers[layout.Z_BETA] = z_beta
    Delta_beta = z_beta * numbers[layout.DELTA] + numbers[layout.DOT_H]  # line 8
    if normalized:
        size = abs(Delta_beta)
        v = max(size, numbers[layout.V_BETA] + numbers[layout.MU] * (size - numbers[layout.V_BETA]))  # line 9
        numbers[layout.V_BETA] = v
        Delta_beta /= v if v > 0.0 else 1.0
    numbers[layout.BETA] += numbers[layout.MU] * Delta_beta  # line 10


@_compiled
def log_overshoot(numbers: Any, effective: float) -> float:
    """Lines 11 and 12: log M."""
    if numbers[layout.DIVIDES_OVERSHOOT] == 0.0:
        return 0.0
    u = max(effective, numbers[layout.U_MAXIMUM] + numbers[layout.U_RATE] * (effective - numbers[layout.U_MAXIMUM]))
    numbers[layout.U_MAXIMUM] = u
    return math.log(max(u, 1.0))


@_compiled
def over_all(
    go: Any, method: int, hidden: int, flat: int, n_blocks: int, blocks: Any, numbers: Any, scale: float,
    e: Any, x: Any, next_x: Any, gradients: Any, s: State,
) -> None:  # fmt: skip
    """A pass over all weights: `tune_row` or `learn_row` of each block, and of each row of the dense layer.

    Args:
      blocks: where each begins and how many weights it has; after them, where the dense layer begins.
      e, x, next_x: of the dense layer, see `backward`. gradients: from 4 i on those of the block that begins at i.
    """
    delta, psi = numbers[layout.DELTA], f32(numbers[layout.PSI])
    delta_hat = f32(delta + numbers[layout.DOT_DELTA])
    c = Scalars(f32(numbers[layout.GAMMA_LAMBDA]), f32(numbers[layout.MU]), f32(delta), delta_hat, f32(scale))
    for block in range(n_blocks):
        first, n = blocks[2 * block], blocks[2 * block + 1]
        own = gradients[4 * first :]
        g = Gradients(ONE, psi, ONE, ONE, own, own[H * n :], own[V * n :], own[N * n :])
        go(method, n, g, part(s, first), c, numbers)
    for i in range(hidden):
        g = Gradients(e[U * hidden + i], psi * e[H * hidden + i], e[V * hidden + i], e[N * hidden + i], x, x, x, next_x)
        go(method, flat, g, part(s, blocks[2 * n_blocks] + i * flat), c, numbers)


@_compiled
def update(
    method: int, hidden: int, flat: int, n_blocks: int, blocks: Any, numbers: Any,
    e: Any, x: Any, next_x: Any, gradients: Any, s: State,
) -> None:  # fmt: skip
    """A step of every weight, of its trace and of the tuner; arguments as those of `over_all`."""
    numbers[layout.DOT_U] = numbers[layout.DOT_H] = numbers[layout.DOT_DELTA] = numbers[layout.EFFECTIVE] = 0.0
    if method != NONE:
        over_all(tune_row, method, hidden, flat, n_blocks, blocks, numbers, 1.0, e, x, next_x, gradients, s)
    scale, effective = 1.0, numbers[layout.EFFECTIVE]
    if method == VECTOR:
        scale = math.exp(-log_overshoot(numbers, effective))
    elif method != VECTOR_UNNORMALIZED:
        if method != NONE:
            tune_shared(numbers, method in (SCALAR, MIXED))
        if method in (SCALAR, MIXED):
            numbers[layout.BETA] -= log_overshoot(numbers, math.exp(numbers[layout.BETA]) * effective)
        scale = math.exp(numbers[layout.BETA])
    over_all(learn_row, method, hidden, flat, n_blocks, blocks, numbers, scale, e, x, next_x, gradients, s)


@_compiled
def array(pointer: Any) -> Any:
    """What is there. Nothing here asks for its length."""
    return numba.carray(pointer, 1 << 40)


def entry(
    what: int, k: int, m: int, n: int, r: int, t: int, blocks: Any, numbers: Any,
    a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, p: Any, q: Any,
) -> None:  # fmt: skip
    """One of the layout's operations, behind plain C pointers; sizes and arrays in the order of its function."""
    numbers_ = array(numbers)
    if what == layout.FLUSH:
        flush_denormals()  # type: ignore[call-arg]  # numba's intrinsics take one less
    elif what == layout.SILU:
        silu(k, m, array(a), array(b), array(c), array(d))
    elif what == layout.FORWARD:
        forward(k, m, n, array(a), array(b), array(c), array(d), array(e))
    elif what == layout.BACKWARD:
        of_state = array(b), array(c), array(d), array(e), array(f)
        backward(k, m, n, r, numbers_, array(a), *of_state, array(g), array(h), array(i), array(p))
    elif what == layout.BACK_SILU:
        back_through_silu(k, m, n, array(a), array(b), array(c), array(d), array(e))
    elif what == layout.FOLD:
        fold(k, m, n, r, t, array(a), array(b))
    else:
        state = State(array(e), array(f), array(g), array(h), array(i), array(p), array(q))
        update(what, k, m, n, array(blocks), numbers_, array(a), array(b), array(c), array(d), state)
