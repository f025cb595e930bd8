"""A compiled linear agent for vector and mixed Metatrace: dense over the weights touched in the episode.

A step changes z, z_β, v, β, α, h and w of every weight whose feature has been active in this episode, and
of no other (v aside, which decays by 1 − μ a step: a plain power, made up for when the feature is next
touched). All that belongs to a feature lies together in `store[feature]`, a row of weights, one per block,
for each kind. With three actions a pass over the touched features reads whole cache lines and works on four weights at
a time.

β_i = B + log a_i, where B (`run.beta`) holds what all weights share: log α₀ less the logarithms of all M for the vector
method, β̂ for the mixed one. So α_i = A·a_i with one factor A = e^B for all (`run.alpha`). A step changes log a by
μΔ/v, at most μ: a follows by a short series instead of an exponential. An A below 10⁻²⁹⁰ counts as 0: products
with smaller numbers are denormal, and ten times as slow.

Both traces decay by γλ a step: z = c·z′ and z_β = c·z_β′ with one c for all, which starts again at 1 before
it falls below 10⁻³ (`rebase`).

∂δ/∂w is not zero in a few places only: the pass over all touched weights leaves it out of h, and
`correct_h` adds its part.

The pass over all touched weights is most of a step's time: one pass tunes and learns. Learning needs M, M needs the
tuned α of the active weights, and `effective_step_size` works these out beforehand, a second time, without storing
them. The loops have no branches, so that the compiler can work on several weights at a time: a function with `_of`
makes one for what is known beforehand. Sums are kept block by block: one sum over all would be a chain of additions
that each wait for the last.
"""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from metatrace.compiled import layout
from metatrace.compiled.linear_agent import (
    Run,
    compiled,
    divide_overshoot,
    fill,
    inlined,
    new_row,
    touch,
    tune_shared,
    tune_shared_unnormalized,
)

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "effective_step_size_of": ("vector", "mixed", "sarsa-mixed"),
    "largest_change": ("vector-unnormalized", "mixed-unnormalized"),
}
# These may round a product and a sum together, once instead of twice.
compiled_fused = numba.njit(error_model="numpy", fastmath={"contract"})
fused = numba.njit(error_model="numpy", fastmath={"contract"}, inline="always")
VECTOR, VECTOR_UNNORMALIZED, MIXED, MIXED_UNNORMALIZED = map(
    layout.METHODS.index, ("vector", "vector-unnormalized", "mixed", "mixed-unnormalized")
)
# Up to here the series of degree 6 is exact to the last digit or so.
SERIES_UP_TO = 2.0**-6
SMALLEST_ALPHA = 1e-290
REBASE_BELOW = 1e-3
# v = 0 means Δ_β = 0: no v is smaller than this, so that 0/0 is a 0 without a branch. A v above 1e-284 has
# nothing of it.
TINY = 1e-300
# Rows of `store`: what lives on, and what lives for one episode.
W, H, A_I, V, Z, Z_BETA, H_HAT, LOG_A = range(8)


@fused
def larger(a: float, b: float) -> float:
    """The larger of two; b where a is NaN. Unlike `max` a single instruction."""
    return a if a > b else b


@fused
def short_exp(x: float) -> float:
    """e^x for |x| ≤ SERIES_UP_TO."""
    # Not Horner's scheme: here most products wait for x alone, and not for one another.
    xx = x * x
    return (1.0 + x) + xx * ((1 / 2 + x * (1 / 6)) + xx * ((1 / 24 + x * (1 / 120)) + xx * (1 / 720)))


@fused
def exactly_exp(x: float) -> float:
    """e^x for any x."""
    return short_exp(x) if abs(x) < SERIES_UP_TO else math.exp(x)


@fused
def tuned_v(Delta_beta: float, v: float, mu: float) -> float:
    """Line 9 of algorithm 2: v ← max(|Δ_β|, v + μ(|Δ_β| − v)), but not below TINY."""
    size = abs(Delta_beta)
    slower = v + mu * (size - v)
    size += TINY
    return larger(size, slower)


def effective_step_size_of(*, exact: bool) -> Callable[..., float]:
    """⟨a|(∂U/∂w)²⟩, a as tuning will leave it; x² = 1. Line 11 needs it before any weight can learn."""
    exp = exactly_exp if exact else short_exp

    @compiled_fused
    def effective_step_size(run: Run, g: Any, delta: float) -> float:
        store, mu, delta_c = run.store, run.mu, delta * run.c
        a = new_row(run)
        for k in range(run.n_active):
            i = run.active[k]
            for block in range(store.shape[2]):
                Delta_beta = store[i, Z_BETA, block] * delta_c
                v = tuned_v(Delta_beta, store[i, V, block], mu)
                a[block] += store[i, A_I, block] * exp(mu * Delta_beta / v)
        total = a[0] * (g[0] * g[0])
        for block in range(1, store.shape[2]):
            total += a[block] * (g[block] * g[block])
        return total

    return effective_step_size


@compiled_fused
def largest_change(run: Run, delta: float) -> float:
    """The largest |μ Δ_β|: by how much an unnormalized step changes log a."""
    store, largest = run.store, new_row(run)
    for k in range(run.n_touched):
        i = np.uint64(run.touched[k])  # unsigned: numba need not ask whether it counts from the end
        for block in range(store.shape[2]):
            largest[block] = larger(abs(store[i, Z_BETA, block]), largest[block])
    total = largest[0]
    for block in range(1, store.shape[2]):
        total = larger(total, largest[block])
    return total * abs(run.mu * (delta * run.c))


def tune_and_learn_of(*, normalized: bool, mixed: bool, exact: bool) -> Callable[..., None]:
    """Lines 8 to 10, and line 14 without ∂δ/∂w, of algorithm 2; mixed, of algorithm 3's vector part and ĥ.

    Δ_β = z_β δ, v, β += μ Δ_β / v; h ← h + α ⊙ z δ, w ← w + α ⊙ z δ, ĥ ← ĥ + α z (δ + ⟨∂δ/∂w|ĥ⟩). `exact` is for
    changes of any size. `delta_hat` holds the brackets; `delta_w` is δ, or 0 where w has been changed already.
    """
    exp = exactly_exp if exact else short_exp

    @compiled_fused
    def tune_and_learn(run: Run, delta: float, delta_hat: float, delta_w: float) -> None:
        store, mu, delta_c, scale_c = run.store, run.mu, delta * run.c, run.alpha * run.c
        for k in range(run.n_touched):
            i = np.uint64(run.touched[k])
            for block in range(store.shape[2]):
                Delta_beta = store[i, Z_BETA, block] * delta_c
                change = mu * Delta_beta
                if normalized:
                    v = tuned_v(Delta_beta, store[i, V, block], mu)
                    store[i, V, block] = v
                    change = change / v
                growth = exp(change)
                if exact:
                    alpha_z = scale_c * (store[i, A_I, block] * growth) * store[i, Z, block]
                elif normalized:
                    # In this order all products but the last are done while the division runs.
                    alpha_z = (store[i, A_I, block] * (scale_c * store[i, Z, block])) * growth
                else:
                    alpha_z = (store[i, A_I, block] * growth) * (scale_c * store[i, Z, block])
                store[i, A_I, block] *= growth
                store[i, H, block] += alpha_z * delta
                store[i, W, block] += alpha_z * delta_w
                if mixed:
                    store[i, H_HAT, block] += alpha_z * delta_hat

    return tune_and_learn


effective_step_size = effective_step_size_of(exact=False)
effective_step_size_exactly = effective_step_size_of(exact=True)
tune_and_learn_vector = tune_and_learn_of(normalized=True, mixed=False, exact=False)
tune_and_learn_mixed = tune_and_learn_of(normalized=True, mixed=True, exact=False)
# The vector method's `delta_hat` is 0 in these.
tune_and_learn_unnormalized = tune_and_learn_of(normalized=False, mixed=True, exact=False)
tune_and_learn_exactly = tune_and_learn_of(normalized=True, mixed=True, exact=True)
tune_and_learn_unnormalized_exactly = tune_and_learn_of(normalized=False, mixed=True, exact=True)


@inlined
def correct_h(run: Run, i: int, h: float, grad_delta: float) -> None:
    """The part of line 14 that has ∂δ/∂w, for a value weight: h ← h + α z ∂δ/∂w h, the right h in `h`."""
    store = run.store
    store[i, H, 0] += run.alpha * run.c * store[i, A_I, 0] * store[i, Z, 0] * grad_delta * h


@compiled
def rebase(run: Run) -> None:
    """Moves c into the traces."""
    store = run.store
    for k in range(run.n_touched):
        i = run.touched[k]
        for block in range(store.shape[2]):
            store[i, Z, block] *= run.c
            store[i, Z_BETA, block] *= run.c
    run.c = 1.0


@inlined
def is_mixed(run: Run) -> bool:
    """Whether β̂ is tuned, by ĥ."""
    return run.method == MIXED or run.method == MIXED_UNNORMALIZED


@inlined
def start_call(run: Run) -> None:
    """A, and a = 1 at the run's start."""
    run.alpha = math.exp(run.beta)
    run.log_v_decay = math.log(1.0 - run.mu) if run.mu < 1.0 else -math.inf
    if run.stamp == 0:
        fill(run, A_I, 1.0)


@inlined
def start_episode(run: Run) -> None:
    """Forgets what belongs to one episode; the traces were emptied at the end of the last."""
    run.c, run.u, run.z_beta = 1.0, 0.0, 0.0
    if run.forgets_h:
        fill(run, H, 0.0)
        fill(run, H_HAT, 0.0)


@inlined
def evaluate(run: Run, totals: Any, h_totals: Any) -> None:
    """Adds up x·w and x·ĥ over the active features, and makes up for the decay of v since the last episode of new ones.

    Loops of their own: one would keep the sums in memory.
    """
    store, active, x = run.store, run.active, run.x
    for k in range(run.n_active):
        i = active[k]
        if touch(run, i):
            missed = run.steps - run.last_step[i]
            v_decay = math.exp(run.log_v_decay * missed) if missed > 0 else 1.0
            for block in range(len(totals)):
                store[i, V, block] *= v_decay
    for k in range(run.n_active):
        for block in range(len(totals)):
            totals[block] += x[k] * store[active[k], W, block]
    if is_mixed(run):
        for k in range(run.n_active):
            for block in range(len(totals)):
                h_totals[block] += x[k] * store[active[k], H_HAT, block]


@inlined
def evaluate_following(run: Run) -> tuple[float, float]:
    """V, and the same with ĥ in place of w, in the next state."""
    value, h_value = 0.0, 0.0
    for k in range(run.n_following):
        i = run.following[k]
        value += run.next_x[k] * run.store[i, W, 0]
        h_value += run.next_x[k] * run.store[i, H_HAT, 0]
    return value, h_value


@inlined
def learn(run: Run, g: Any, delta: float, h_U: float, h_delta: float, terminal: bool) -> bool:
    """The traces, the tuning of the shared step-size, M, and the pass over all touched weights."""
    store, active, x, following, next_x = run.store, run.active, run.x, run.following, run.next_x
    # z ← γλz + ∂U/∂w; z_β ← γλz_β + ∂U/∂w ⊙ h (line 7)
    if terminal and run.cuts_terminal_trace:
        for k in range(run.n_touched):
            for block in range(len(g)):
                store[run.touched[k], Z, block] = 0.0
    run.c *= run.gamma_lambda
    if run.c < REBASE_BELOW:
        rebase(run)
    inverse_c = 1.0 / run.c
    new_z = new_row(run)
    for k in range(run.n_active):
        i = active[k]
        for block in range(len(g)):
            new_z[block] = x[k] * inverse_c * g[block]
        # Loops of their own: in one, the compiler would work on one weight at a time.
        for block in range(len(g)):
            store[i, Z, block] += new_z[block]
        for block in range(len(g)):
            store[i, Z_BETA, block] += new_z[block] * store[i, H, block]
        run.h_before[k] = store[i, H, 0]
    if run.uses_previous_alpha:
        for k in range(run.n_touched):
            i = run.touched[k]
            for block in range(len(g)):
                store[i, W, block] += store[i, A_I, block] * run.alpha * run.c * store[i, Z, block] * delta

    # tune the global part, and M: lines 11 to 13. The vector part's lines 8 to 10 come with line 14.
    normalized = run.method == VECTOR or run.method == MIXED
    if run.method == MIXED:
        tune_shared(run, delta, h_U)
    elif run.method == MIXED_UNNORMALIZED:
        tune_shared_unnormalized(run, delta, h_U)
    if is_mixed(run):
        run.alpha = math.exp(run.beta)
    # Normalized, no change of log a is larger than μ.
    by_series = run.mu <= SERIES_UP_TO
    if normalized and run.divides_overshoot:
        effective = effective_step_size(run, g, delta) if by_series else effective_step_size_exactly(run, g, delta)
        divide_overshoot(run, effective * run.alpha)
    if not math.isfinite(delta + h_delta + run.beta + run.u):
        return False
    if run.alpha < SMALLEST_ALPHA:
        run.alpha = 0.0

    # lines 8 to 10, and line 14; ∂δ/∂w = γ∂V′/∂w − ∂V/∂w multiplies h as it was
    if not terminal:
        for k in range(run.n_following):
            run.next_h_before[k] = store[following[k], H, 0]
    delta_hat = delta + h_delta if is_mixed(run) else 0.0
    delta_w = 0.0 if run.uses_previous_alpha else delta
    if not normalized:
        by_series = largest_change(run, delta) <= SERIES_UP_TO
    if run.method == VECTOR and by_series:
        tune_and_learn_vector(run, delta, delta_hat, delta_w)
    elif run.method == MIXED and by_series:
        tune_and_learn_mixed(run, delta, delta_hat, delta_w)
    elif by_series:
        tune_and_learn_unnormalized(run, delta, delta_hat, delta_w)
    elif normalized:
        tune_and_learn_exactly(run, delta, delta_hat, delta_w)
    else:
        tune_and_learn_unnormalized_exactly(run, delta, delta_hat, delta_w)
    for k in range(run.n_active):
        correct_h(run, active[k], run.h_before[k], -x[k])
    if not terminal:
        for k in range(run.n_following):
            correct_h(run, following[k], run.next_h_before[k], run.gamma * next_x[k])
    return True


@inlined
def end_episode(run: Run, episode: int) -> None:
    """Empties the traces, and takes the means of β where signs drift."""
    store, sums = run.store, run.group_sums
    n_actions, n_informative = store.shape[2] - 1, run.signs.shape[0]
    n_noisy = store.shape[0] - run.first_noise
    for k in range(run.n_touched):
        i = run.touched[k]
        last_step_before, run.last_step[i] = run.last_step[i], run.steps
        for block in range(store.shape[2]):
            store[i, Z, block] = 0.0
            store[i, Z_BETA, block] = 0.0
        if run.drifting:
            first_group = 1 if i >= run.first_noise else 0
            in_a_group = i < n_informative or i >= run.first_noise
            run.visited += last_step_before == 0 and i < n_informative
            for block in range(store.shape[2]):
                group = first_group + (2 if block > 0 else 0)
                log_a = math.log(store[i, A_I, block])
                if in_a_group:
                    sums[group] += log_a - store[i, LOG_A, block]
                store[i, LOG_A, block] = log_a
    if run.drifting:
        run.beta_groups[episode, 0] = run.beta + sums[0] / n_informative
        run.beta_groups[episode, 1] = run.beta + sums[1] / n_noisy
        run.beta_groups[episode, 2] = run.beta + sums[2] / (n_actions * n_informative)
        run.beta_groups[episode, 3] = run.beta + sums[3] / (n_actions * n_noisy)
        run.beta_groups[episode, 4] = run.beta + sums[0] / run.visited
        run.beta_groups[episode, 5] = run.beta + sums[2] / (n_actions * run.visited)
