"""A compiled linear agent: AC(λ) with none, scalar, scalar-unnormalized, sid and nosid, in O(active) per step.

The same algorithm as `metatrace.agents.linear` with `metatrace.tuning`, for features of 0 and ±1. What is dense there
is lazy here:

  z = c·z′. Every step multiplies c by γλ instead of each element of z; a new gradient enters z′
  divided by c.
  w and h change along z in every step, by αδ·c and α(δ + ⟨∂δ|h⟩)·c times z′. Two running sums S_w and
  S_h hold those factors; `seen` holds each feature's sums at its last visit, and (S − seen)·z′ is what
  its weights have missed (`catch_up`).

c falls by a fifth in every step, and terms of S of size c soon vanish against the sum. Before c < 10⁻³
everything is caught up and c starts again at 1 (`rebase`).

Only ⟨z|h⟩ and ‖z‖² (for SID) look dense; both follow from their values a step before.
"""

import math
from typing import Any

from metatrace.compiled import layout
from metatrace.compiled.linear_agent import (
    Run,
    compiled,
    divide_overshoot,
    fill,
    inlined,
    touch,
    tune_shared,
    tune_shared_unnormalized,
)

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "tune_scalar": ("scalar", "sarsa-scalar"),
    "tune_sid": ("sid", "sarsa-sid"),
    "tune_nosid": ("nosid", "sarsa-nosid"),
}
NONE, SCALAR, SCALAR_UNNORMALIZED, SID, NOSID = map(
    layout.METHODS.index, ("none", "scalar", "scalar-unnormalized", "sid", "nosid")
)
TD_ERROR, TRACE_PRODUCT, META_GRADIENT = range(len(layout.NORMALISERS))
REBASE_BELOW = 1e-3
# Rows of `store`; of `SEEN` two numbers
W, H, Z, SEEN = range(4)


@inlined
def tune_scalar(run: Run, delta: float, h_U: float, U_U: float) -> None:
    """Algorithm 1, lines 7 to 13; `U_U` is |∂U/∂w|²."""
    tune_shared(run, delta, h_U)
    if run.divides_overshoot:
        divide_overshoot(run, math.exp(run.beta) * U_U)


@inlined
def tune_sid(run: Run, delta: float) -> None:
    """SID: β ← β + μ δ ⟨z|h⟩."""
    Delta_beta = delta * run.z_h
    run.beta += run.mu * Delta_beta


@inlined
def tune_nosid(run: Run, delta: float, z_value: float, terminal: bool) -> None:
    """NOSID: β, normalized and bounded by −1/⟨z|∂δ/∂w⟩, and v; `z_value` is ⟨z′|∂V/∂w⟩."""
    Delta_beta = delta * run.z_h
    if run.normaliser == TD_ERROR:
        run.v = max(run.v, abs(delta))
    elif run.normaliser == TRACE_PRODUCT:
        run.v = max(run.v, abs(run.z_h))
    else:
        run.v = max(run.v, abs(Delta_beta))
    run.beta += run.mu * Delta_beta / (run.v if run.v > 0.0 else 1.0)
    next_z_value = 0.0
    if not terminal:
        for k in range(run.n_following):
            next_z_value += run.next_x[k] * run.store[run.following[k], Z, 0]
    z_delta = run.c * (run.gamma * next_z_value - z_value)  # ⟨z|∂δ/∂w⟩
    if z_delta < 0.0:
        run.beta = min(run.beta, -math.log(-z_delta))


@inlined
def catch_up(run: Run, i: int) -> None:
    """Brings feature i's weights and h up to date with all steps so far."""
    store = run.store
    missed_w = run.sum_w - store[i, SEEN, 0]
    missed_h = run.sum_h - store[i, SEEN, 1]
    for block in range(store.shape[2]):
        store[i, W, block] += missed_w * store[i, Z, block]
        store[i, H, block] += missed_h * store[i, Z, block]
    store[i, SEEN, 0] = run.sum_w
    store[i, SEEN, 1] = run.sum_h


@compiled
def rebase(run: Run, c: float) -> None:
    """Catches up every feature in the trace and moves c into z′ (0 empties the trace)."""
    store = run.store
    for k in range(run.n_touched):
        i = run.touched[k]
        catch_up(run, i)
        for block in range(store.shape[2]):
            store[i, Z, block] *= c
        store[i, SEEN, 0] = 0.0
        store[i, SEEN, 1] = 0.0
    run.c, run.sum_w, run.sum_h = 1.0, 0.0, 0.0


@inlined
def start_call(run: Run) -> None:
    """Nothing."""


@inlined
def start_episode(run: Run) -> None:
    """Forgets the trace and what belongs to it."""
    run.c, run.sum_w, run.sum_h = 1.0, 0.0, 0.0
    run.z_beta, run.u, run.z_h, run.z_z = 0.0, 0.0, 0.0, 0.0
    if run.forgets_h:
        fill(run, H, 0.0)


@inlined
def evaluate(run: Run, totals: Any, h_totals: Any) -> None:
    """Adds up x·w and x·h over the active features, block by block."""
    store = run.store
    for k in range(run.n_active):
        i, x = run.active[k], run.x[k]
        touch(run, i)
        catch_up(run, i)
        for block in range(store.shape[2]):
            totals[block] += x * store[i, W, block]
            h_totals[block] += x * store[i, H, block]


@inlined
def evaluate_following(run: Run) -> tuple[float, float]:
    """V, and the same with h in place of w, in the next state."""
    value, h_value = 0.0, 0.0
    for k in range(run.n_following):
        i, x = run.following[k], run.next_x[k]
        catch_up(run, i)
        value += x * run.store[i, W, 0]
        h_value += x * run.store[i, H, 0]
    return value, h_value


@inlined
def learn(run: Run, g: Any, delta: float, h_U: float, h_delta: float, terminal: bool) -> bool:
    """The trace, the method's tuning, and line 14."""
    store, n_active = run.store, run.n_active
    # z ← γλz + ∂U/∂w
    if terminal and run.cuts_terminal_trace:
        rebase(run, 0.0)
        run.z_h, run.z_z = 0.0, 0.0
    run.c *= run.gamma_lambda
    if run.c < REBASE_BELOW:
        rebase(run, run.c)
    z_U = 0.0  # ⟨γλz′|∂U⟩
    z_value = 0.0
    inverse_c = 1.0 / run.c
    for k in range(n_active):
        i, x = run.active[k], run.x[k]
        # Up to date since the start of this step, whatever the sums were called then.
        store[i, SEEN, 0] = run.sum_w
        store[i, SEEN, 1] = run.sum_h
        for block in range(len(g)):
            z_U += x * g[block] * store[i, Z, block]
            store[i, Z, block] += x * g[block] * inverse_c
        z_value += x * store[i, Z, 0]
    g_g = 0.0
    for block in range(len(g)):
        g_g += g[block] * g[block]
    U_U = n_active * g_g  # every active feature has x² = 1
    run.z_z = run.gamma_lambda * run.gamma_lambda * run.z_z + 2.0 * run.c * z_U + U_U
    run.z_h = run.gamma_lambda * run.z_h + h_U

    previous_alpha = run.alpha
    if run.method == SCALAR:
        tune_scalar(run, delta, h_U, U_U)
    elif run.method == SCALAR_UNNORMALIZED:
        tune_shared_unnormalized(run, delta, h_U)
    elif run.method == SID:
        tune_sid(run, delta)
    elif run.method == NOSID:
        tune_nosid(run, delta, z_value, terminal)
    if run.method != NONE:
        run.alpha = math.exp(run.beta)

    # w ← w + αδz and h ← h + α(δ + ⟨∂δ|h⟩)z (line 14), both by way of the sums
    if not math.isfinite(delta + h_delta + run.beta + run.alpha):
        return False
    if run.method != NONE:
        step = run.alpha * (delta + h_delta)
        run.sum_h += step * run.c
        run.z_h += step * run.z_z
    run.sum_w += (previous_alpha if run.uses_previous_alpha else run.alpha) * delta * run.c
    return True


@inlined
def end_episode(run: Run, episode: int) -> None:
    """Catches up with the episode's last steps."""
    rebase(run, 0.0)
    for group in range(layout.N_GROUPS):
        run.beta_groups[episode, group] = run.beta
