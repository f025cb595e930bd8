"""A compiled linear agent for rmsprop, adam and obgd: each step passes over all weights that move.

What `metatrace.related` has, for features of 0 and ±1. All that belongs to a feature lies together in `store[feature]`,
as in `packed_kernel`, and the loops have no branches, so that the compiler works on four weights at a time.

A weight whose feature has not been active in this episode has no gradient: z = 0, and g = zδ = 0. RMSProp and ObGD then
leave it where it is. Adam goes on moving it, by m₁, which falls faster than √m₂: by a factor β₁/√β₂ a step. After
`steps_to_settle` steps of that (`settling_time`) all that is left to come is below the last digit of the weight's last
change. So the features in `moving` are those of this episode and, for adam, of some steps before; the means of the
others only decay, by plain powers, which are made up for when the feature is next active (`join`) or looked at.

A pass multiplies z by γλ when it has used it: the next step adds to the active features alone.
"""

import math
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from metatrace.compiled import dense_layout
from metatrace.compiled.linear_agent import Run, compiled, inlined, new_row, touch

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "step_rmsprop": ("rmsprop",),
    "step_adam": ("adam",),
    "step_obgd": ("obgd",),
    "divisor_rmsprop": ("rmsprop",),
    "divisor_adam": ("adam",),
    "advance_corrections": ("rmsprop", "adam"),
}
# These may round a product and a sum together, once instead of twice.
fused = numba.njit(error_model="numpy", fastmath={"contract"})
RMSPROP, ADAM, OBGD = range(len(dense_layout.METHODS))
MOVING = dense_layout.MOVING
# Rows of `store`: weights, the means of g and of g², the trace
W, M_1, M_2, Z = range(4)


@intrinsic
def _sqrt(_typing: Any, x: Any) -> Any:
    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        root = builder.module.declare_intrinsic("llvm.sqrt", [arguments[0].type])
        return builder.call(root, arguments)

    return types.float64(types.float64), make


@inlined
def sqrt(x: float) -> float:
    """√x as the processor's instruction; numba's own calls C's function, one number at a time."""
    return _sqrt(x)  # type: ignore[call-arg]  # intrinsics take one less


@inlined
def advance_corrections(run: Run) -> None:
    """1 − ρ^t from that of t − 1; a recurrence, exact to the last digits."""
    run.correction_1 = run.rate_1 * run.correction_1 + (1.0 - run.rate_1)
    run.correction_2 = run.rate_2 * run.correction_2 + (1.0 - run.rate_2)


@fused
def step_rmsprop(run: Run, delta: float) -> bool:
    """m ← ρm + (1 − ρ)g², w ← w + αg/√(m/(1 − ρ^t) + ε); whether all m are finite."""
    store, rho, epsilon, alpha = run.store, run.rate_2, run.epsilon, run.alpha
    new, gamma_lambda, inverse = 1.0 - rho, run.gamma_lambda, 1.0 / run.correction_2
    sums = new_row(run)
    for k in range(run.n_moving):
        i = np.uint64(run.moving[k])  # unsigned: numba need not ask whether it counts from the end
        for block in range(store.shape[2]):
            z = store[i, Z, block]
            g = z * delta
            m = rho * store[i, M_2, block] + new * (g * g)
            store[i, M_2, block] = m
            store[i, W, block] += alpha * g / sqrt(m * inverse + epsilon)
            store[i, Z, block] = gamma_lambda * z
            sums[block] += m
    return all_finite(sums)


@fused
def step_adam(run: Run, delta: float) -> bool:
    """m₁ ← β₁m₁ + (1 − β₁)g, m₂ ← β₂m₂ + (1 − β₂)g², w ← w + αm̂₁/(√m̂₂ + ε); whether all m₂ are finite."""
    store, beta_1, beta_2, epsilon = run.store, run.rate_1, run.rate_2, run.epsilon
    new_1, new_2, gamma_lambda = 1.0 - beta_1, 1.0 - beta_2, run.gamma_lambda
    alpha, inverse = run.alpha / run.correction_1, 1.0 / run.correction_2
    sums = new_row(run)
    for k in range(run.n_moving):
        i = np.uint64(run.moving[k])
        for block in range(store.shape[2]):
            z = store[i, Z, block]
            g = z * delta
            m_1 = beta_1 * store[i, M_1, block] + new_1 * g
            m_2 = beta_2 * store[i, M_2, block] + new_2 * (g * g)
            store[i, M_1, block] = m_1
            store[i, M_2, block] = m_2
            store[i, W, block] += alpha * m_1 / (sqrt(m_2 * inverse) + epsilon)
            store[i, Z, block] = gamma_lambda * z
            sums[block] += m_2
    return all_finite(sums)


@fused
def step_obgd(run: Run, delta: float) -> bool:
    """αₜ = α / max(1, ακ max(|δ|, 1)‖z‖₁), w ← w + αₜzδ; whether αₜ is above 0."""
    store, gamma_lambda = run.store, run.gamma_lambda
    sums = new_row(run)
    for k in range(run.n_moving):
        i = np.uint64(run.moving[k])
        for block in range(store.shape[2]):
            sums[block] += abs(store[i, Z, block])
    norm = 0.0
    for block in range(store.shape[2]):
        norm += sums[block]
    run.alpha_t = run.alpha / max(1.0, run.alpha * run.kappa * max(abs(delta), 1.0) * norm)
    step = run.alpha_t * delta
    for k in range(run.n_moving):
        i = np.uint64(run.moving[k])
        for block in range(store.shape[2]):
            z = store[i, Z, block]
            store[i, W, block] += step * z
            store[i, Z, block] = gamma_lambda * z
    return run.alpha_t > 0.0


@inlined
def all_finite(sums: Any) -> bool:
    """Whether the sums of all blocks are finite."""
    total = 0.0
    for block in range(len(sums)):
        total += sums[block]
    return math.isfinite(total)


@inlined
def decay_since(run: Run, i: int, rate: float) -> float:
    """By what a mean of feature i has to be multiplied to be up to date."""
    missed = run.steps - run.settled[i] if run.settled[i] != MOVING else 0
    return math.exp(math.log(rate) * missed) if missed > 0 else 1.0


@compiled
def join(run: Run, i: int) -> None:
    """Brings the means of feature i up to date, and takes it among those whose weights move."""
    if run.settled[i] == MOVING:
        return
    store = run.store
    decay_1, decay_2 = decay_since(run, i, run.rate_1), decay_since(run, i, run.rate_2)
    for block in range(store.shape[2]):
        store[i, M_1, block] *= decay_1
        store[i, M_2, block] *= decay_2
    run.settled[i] = MOVING
    run.moving[run.n_moving] = i
    run.n_moving += 1


@inlined
def start_call(run: Run) -> None:
    """Nothing."""


@inlined
def start_episode(run: Run) -> None:
    """Nothing: the trace was emptied at the end of the last."""


@inlined
def evaluate(run: Run, totals: Any, h_totals: Any) -> None:
    """Adds up x·w over the active features, block by block. There is no h."""
    store = run.store
    for k in range(run.n_active):
        if touch(run, run.active[k]):
            join(run, run.active[k])
    for k in range(run.n_active):
        for block in range(len(totals)):
            totals[block] += run.x[k] * store[run.active[k], W, block]


@inlined
def evaluate_following(run: Run) -> tuple[float, float]:
    """V in the next state, and 0."""
    value = 0.0
    for k in range(run.n_following):
        value += run.next_x[k] * run.store[run.following[k], W, 0]
    return value, 0.0


@inlined
def learn(run: Run, g: Any, delta: float, h_U: float, h_delta: float, terminal: bool) -> bool:
    """The trace, and the method's pass over all weights that move."""
    store = run.store
    # z ← γλz + ∂U/∂w
    if terminal and run.cuts_terminal_trace:
        for k in range(run.n_touched):
            for block in range(len(g)):
                store[run.touched[k], Z, block] = 0.0
    for k in range(run.n_active):
        for block in range(len(g)):
            store[run.active[k], Z, block] += run.x[k] * g[block]
    if not math.isfinite(delta):
        return False
    finite = False
    if run.dense_method == OBGD:
        finite = step_obgd(run, delta)
    else:
        advance_corrections(run)
        if run.dense_method == RMSPROP:
            finite = step_rmsprop(run, delta)
        elif run.dense_method == ADAM:
            finite = step_adam(run, delta)
    return finite


@inlined
def divisor_rmsprop(run: Run, m: float) -> float:
    """√(m/(1 − ρ^t) + ε)."""
    return sqrt(m / run.correction_2 + run.epsilon)


@inlined
def divisor_adam(run: Run, m_2: float) -> float:
    """√m̂₂ + ε."""
    return sqrt(m_2 / run.correction_2) + run.epsilon


@compiled
def sum_log_step_sizes(run: Run, first: int, end: int, sums: Any) -> None:
    """Adds up the log step-sizes of features from `first` to before `end`: of the value, of the policy; of both again
    for those that were ever active."""
    store = run.store
    for i in range(first, end):
        decay, visited = decay_since(run, i, run.rate_2), run.last_step[i] > 0
        for block in range(store.shape[2]):
            log_step_size = math.log(run.alpha_t)
            if run.dense_method == RMSPROP:
                log_step_size -= math.log(divisor_rmsprop(run, decay * store[i, M_2, block]))
            elif run.dense_method == ADAM:
                log_step_size -= math.log(divisor_adam(run, decay * store[i, M_2, block]))
            group = 0 if block == 0 else 1
            sums[group] += log_step_size
            if visited:
                sums[2 + group] += log_step_size


@inlined
def end_episode(run: Run, episode: int) -> None:
    """Empties the trace, takes the means of log α where signs drift, and lets features settle."""
    store, sums = run.store, run.group_sums
    n_actions, n_informative = store.shape[2] - 1, run.signs.shape[0]
    n_noisy = store.shape[0] - run.first_noise
    for k in range(run.n_touched):
        i = run.touched[k]
        run.visited += run.last_step[i] == 0 and i < n_informative
        run.last_step[i] = run.steps
        for block in range(store.shape[2]):
            store[i, Z, block] = 0.0
    if run.drifting:
        groups = run.beta_groups
        sums[:] = 0.0
        sum_log_step_sizes(run, run.first_noise, store.shape[0], sums)
        groups[episode, 1] = sums[0] / n_noisy
        groups[episode, 3] = sums[1] / (n_actions * n_noisy)
        sums[:] = 0.0
        sum_log_step_sizes(run, 0, n_informative, sums)
        groups[episode, 0] = sums[0] / n_informative
        groups[episode, 2] = sums[1] / (n_actions * n_informative)
        groups[episode, 4] = sums[2] / run.visited
        groups[episode, 5] = sums[3] / (n_actions * run.visited)
    n_moving, run.n_moving = run.n_moving, 0
    for k in range(n_moving):
        i = run.moving[k]
        if run.steps - run.last_step[i] >= run.steps_to_settle:
            run.settled[i] = run.steps
        else:
            run.moving[run.n_moving] = i
            run.n_moving += 1
