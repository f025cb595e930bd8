"""The methods of others on a network, compiled: steps by RMSProp, Adam and ObGD, and SARSA(λ).

What lies between the matrix products, and the walk over all weights, is `step_kernel`'s. The lines here are those of
`metatrace.related` and `plain_sarsa`, which tests hold them to. An optimiser ascends g = zδ + ψ ∂H/∂w.

In the place of what a tuner keeps of each weight (`State`) an optimiser keeps the mean of g in h, that of g² in v.
"""

from typing import Any

import numba
from numba import types
from numba.extending import intrinsic

from metatrace.networks import kernel_layout as layout
from metatrace.networks import related_layout as own
from metatrace.networks import step_kernel
from metatrace.networks.related_layout import METHOD_CODES
from metatrace.networks.step_kernel import ZERO, Gradients, Scalars, State, array, f32, over_all

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "learn_rmsprop": ("rmsprop",),
    "learn_adam": ("adam",),
    "learn_obgd": ("obgd",),
    "add_norm": ("obgd",),
    "sqrt": ("rmsprop", "adam"),
    "root": ("rmsprop", "adam"),
    "learn_row": ("rmsprop", "adam", "obgd"),
    "update": ("rmsprop", "adam", "obgd"),
    "backward_q": ("sarsa-none",),
    "add_row_to_trace": ("sarsa-none",),
    "add_to_trace": ("sarsa-none",),
    "move": ("sarsa-none",),
}
RMSPROP, ADAM, OBGD = METHOD_CODES.values()
SIGNATURE, FASTMATH = step_kernel.SIGNATURE, step_kernel.FASTMATH
_compiled = numba.njit(error_model="numpy", fastmath=FASTMATH, forceinline=True)
step = _compiled(step_kernel.entry)


@intrinsic
def sqrt(_typing: Any, x: Any) -> Any:
    """√x in float32."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic("llvm.sqrt", [arguments[0].type])
        return builder.call(function, arguments)

    return types.float32(types.float32), make


@_compiled
def root(x: Any) -> Any:
    """√x as the processor's instruction; numba's own calls C's function, one number at a time."""
    return sqrt(x)  # type: ignore[call-arg]  # numba's intrinsics take one less


@_compiled
def learn_rmsprop(n: int, g: Gradients, s: State, c: Scalars, numbers: Any) -> None:
    """m ← ρm + (1 − ρ)g², w ← w + αg/√(m/(1 − ρ^t) + ε)."""
    rho, new, epsilon = f32(numbers[own.RATE_2]), f32(1.0 - numbers[own.RATE_2]), f32(numbers[own.EPSILON])
    inverse = f32(1.0 / numbers[own.CORRECTION_2])
    for j in range(n):
        trace = c.gamma_lambda * s.z[j] + g.e_U * g.U[j]
        s.z[j] = trace
        ascended = trace * c.delta + g.e_H * g.H[j]
        m = rho * s.v[j] + new * (ascended * ascended)
        s.v[j] = m
        s.w[j] += c.scale * ascended / root(m * inverse + epsilon)


@_compiled
def learn_adam(n: int, g: Gradients, s: State, c: Scalars, numbers: Any) -> None:
    """m₁ ← β₁m₁ + (1 − β₁)g, m₂ ← β₂m₂ + (1 − β₂)g², w ← w + αm̂₁/(√m̂₂ + ε)."""
    beta_1, new_1 = f32(numbers[own.RATE_1]), f32(1.0 - numbers[own.RATE_1])
    beta_2, new_2 = f32(numbers[own.RATE_2]), f32(1.0 - numbers[own.RATE_2])
    alpha, inverse = f32(numbers[own.ALPHA] / numbers[own.CORRECTION_1]), f32(1.0 / numbers[own.CORRECTION_2])
    epsilon = f32(numbers[own.EPSILON])
    for j in range(n):
        trace = c.gamma_lambda * s.z[j] + g.e_U * g.U[j]
        s.z[j] = trace
        ascended = trace * c.delta + g.e_H * g.H[j]
        m_1 = beta_1 * s.h[j] + new_1 * ascended
        m_2 = beta_2 * s.v[j] + new_2 * (ascended * ascended)
        s.h[j] = m_1
        s.v[j] = m_2
        s.w[j] += alpha * m_1 / (root(m_2 * inverse) + epsilon)


@_compiled
def add_norm(method: int, n: int, g: Gradients, s: State, c: Scalars, sums: Any) -> None:
    """The trace of a row, and its part of ‖z‖₁."""
    norm = ZERO
    for j in range(n):
        trace = c.gamma_lambda * s.z[j] + g.e_U * g.U[j]
        s.z[j] = trace
        norm += abs(trace)
    sums[own.NORM] += norm


@_compiled
def learn_obgd(n: int, g: Gradients, s: State, c: Scalars) -> None:
    """w ← w + αₜ(zδ + ψ ∂H/∂w); the trace is already this step's."""
    for j in range(n):
        s.w[j] += c.scale * (s.z[j] * c.delta + g.e_H * g.H[j])


@_compiled
def learn_row(method: int, n: int, g: Gradients, s: State, c: Scalars, numbers: Any) -> None:
    """A step of a row of weights."""
    if method == RMSPROP:
        learn_rmsprop(n, g, s, c, numbers)
    elif method == ADAM:
        learn_adam(n, g, s, c, numbers)
    elif method == OBGD:
        learn_obgd(n, g, s, c)


@_compiled
def update(
    method: int, hidden: int, flat: int, n_blocks: int, blocks: Any, numbers: Any,
    e: Any, x: Any, next_x: Any, gradients: Any, s: State,
) -> None:  # fmt: skip
    """A step of every weight, of its trace and of the optimiser; arguments as those of `step_kernel.over_all`."""
    scale = numbers[own.ALPHA]
    if method == OBGD:
        numbers[own.NORM] = 0.0
        over_all(add_norm, method, hidden, flat, n_blocks, blocks, numbers, 1.0, e, x, next_x, gradients, s)
        # αₜ = α / max(1, α κ max(|δ|, 1) ‖z‖₁)
        bound = scale * numbers[own.KAPPA] * max(abs(numbers[layout.DELTA]), 1.0) * numbers[own.NORM]
        scale /= max(bound, 1.0)
    for rate, correction in ((own.RATE_1, own.CORRECTION_1), (own.RATE_2, own.CORRECTION_2)):
        numbers[correction] = numbers[rate] * numbers[correction] + (1.0 - numbers[rate])
    over_all(learn_row, method, hidden, flat, n_blocks, blocks, numbers, scale, e, x, next_x, gradients, s)


@_compiled
def backward_q(
    hidden: int, flat: int, n_actions: int, top: Any,
    y: Any, slope: Any, by_action: Any, e: Any, back: Any, gradients: Any,
) -> None:  # fmt: skip
    """The gradient of Σ_a b_a Q(s, a), back to what came into the dense layer.

    Args:
      top: the weights from the dense layer's on; the action values are in the place of the logits.
      y, slope: of `step_kernel.forward`. by_action: (actions,), b.
      e: (hidden,), written: what went back to the dense layer's outputs. back: (flat,), written: to its inputs.
      gradients: written: of the layers above the dense one's weights, but for the value's, which stay 0.
    """
    policy, size = top[hidden * flat + 2 * hidden + 1 :], 2 * hidden + 1 + n_actions * (hidden + 1)
    of_policy, of_policy_bias = gradients[2 * hidden + 1 :], gradients[size - n_actions :]
    for j in range(hidden):
        e[j] = ZERO
    for a in range(n_actions):
        of_policy_bias[a] = by_action[a]
        for j in range(hidden):
            of_policy[a * hidden + j] = by_action[a] * y[j]
            e[j] += by_action[a] * policy[a * hidden + j]
    for j in range(hidden):
        e[j] *= slope[j]
        gradients[j] = e[j]
    for j in range(flat):
        back[j] = ZERO
    for i in range(0, hidden, 4):
        rows = top[i * flat :]
        for j in range(flat):
            first, second = e[i] * rows[j] + e[i + 1] * rows[flat + j], e[i + 2] * rows[2 * flat + j]
            back[j] += first + (second + e[i + 3] * rows[3 * flat + j])


@_compiled
def add_row_to_trace(method: int, n: int, g: Gradients, s: State, c: Scalars, numbers: Any) -> None:
    """z ← γλz + ∂Q/∂w of a row."""
    for j in range(n):
        s.z[j] = c.gamma_lambda * s.z[j] + g.e_U * g.U[j]


@_compiled
def add_to_trace(
    hidden: int, flat: int, n_blocks: int, blocks: Any, numbers: Any,
    e: Any, x: Any, next_x: Any, gradients: Any, s: State,
) -> None:  # fmt: skip
    """The same of all weights; arguments as those of `step_kernel.over_all`."""
    over_all(add_row_to_trace, 0, hidden, flat, n_blocks, blocks, numbers, 1.0, e, x, next_x, gradients, s)


@_compiled
def move(n: int, step_size: Any, w: Any, z: Any) -> None:
    """w ← w + αδz of all n weights; `step_size` is αδ."""
    for j in range(n):
        w[j] += step_size * z[j]


def entry(
    what: int, k: int, m: int, n: int, r: int, t: int, blocks: Any, numbers: Any,
    a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, p: Any, q: Any,
) -> None:  # fmt: skip
    """One of the layout's operations, behind plain C pointers; sizes and arrays in the order of its function."""
    numbers_ = array(numbers)
    if what < RMSPROP:
        step(what, k, m, n, r, t, blocks, numbers, a, b, c, d, e, f, g, h, i, p, q)
    elif what == own.BACKWARD_Q:
        backward_q(k, m, n, array(a), array(b), array(c), array(d), array(e), array(f), array(g))
    elif what == own.MOVE:
        move(k, f32(numbers_[own.ALPHA] * numbers_[layout.DELTA]), array(a), array(b))
    else:
        state = State(array(e), array(f), array(g), array(h), array(i), array(p), array(q))
        if what == own.ADD_TO_TRACE:
            add_to_trace(k, m, n, array(blocks), numbers_, array(a), array(b), array(c), array(d), state)
        else:
            update(what, k, m, n, array(blocks), numbers_, array(a), array(b), array(c), array(d), state)
