"""Compiled TD(λ) with tidbd, tidbd-scalar and autotidbd: each step passes over the features touched in the episode.

What `metatrace.related.tidbd` and `.autotidbd` have, for features of 0 and ±1. All that belongs to a feature lies
together in `store[feature]`, in one cache line. A weight whose feature has not been active in this episode has no
trace: it stands still, and so does its h.

Each step-size is α_i = A·a_i with one factor A = e^B for all (`run.beta` is B): β of tidbd-scalar, and of autotidbd
log α₀ less the logarithms of all M. log a_i changes only where φ_i or d_i is not 0, so few exponentials are needed.
"""

import math
from typing import Any

import numba
import numpy as np

from metatrace.compiled import prediction_layout
from metatrace.compiled.linear_agent import Run, compiled, fill, inlined, touch

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {"tune_tidbd": ("tidbd",), "tune_autotidbd": ("autotidbd",)}
# This may round a product and a sum together, once instead of twice.
fused = numba.njit(error_model="numpy", fastmath={"contract"})
# A smaller A counts as 0: products with it are denormal, and ten times as slow.
SMALLEST_ALPHA = 1e-290
TIDBD, TIDBD_SCALAR, AUTOTIDBD = range(len(prediction_layout.TIDBD_METHODS))
# Rows of `store`. X is φ_i in this step; D is what h decays by: −φ_i, or d_i of autotidbd. Both are 0 between steps.
W, H, A_I, LOG_A, Z, ETA, X, D = range(8)


@compiled
def tune_tidbd(run: Run, delta: float) -> float:
    """β_i ← β_i + θ δ φ_i h_i of the active features; the sum of their a_i."""
    store, total = run.store, 0.0
    for k in range(run.n_active):
        i = run.active[k]
        store[i, LOG_A, 0] += run.mu * delta * store[i, X, 0] * store[i, H, 0]
        store[i, A_I, 0] = math.exp(store[i, LOG_A, 0])
        total += store[i, A_I, 0]
    return total


@compiled
def tune_autotidbd(run: Run, delta: float, terminal: bool) -> float:
    """η, β and M, with the trace as it was before this step; the sum of the a_i that have changed.

    d is in `D` when it begins. Only features with d_i ≠ 0 change: those that are active now or in the next state.
    """
    store, n_changing = run.store, run.n_active
    if not terminal:
        for k in range(run.n_following):
            i = run.following[k]
            if store[i, D, 0] == 0.0:
                run.changing[n_changing] = i
                n_changing += 1
            store[i, D, 0] += run.gamma * run.next_x[k]
    for k in range(run.n_active):
        run.changing[k] = run.active[k]
    total, M = 0.0, 0.0
    for k in range(n_changing):
        i = run.changing[k]
        z, d, h, eta = store[i, Z, 0], store[i, D, 0], store[i, H, 0], store[i, ETA, 0]
        new, alpha = abs(delta * store[i, X, 0] * h), run.alpha * store[i, A_I, 0]
        eta = max(abs(delta * d * h), eta - alpha * d * z * (new - eta) / run.tau)
        store[i, ETA, 0] = eta
        store[i, LOG_A, 0] -= run.mu * delta * d * h / (eta if eta > 0.0 else 1.0)
        store[i, A_I, 0] = math.exp(store[i, LOG_A, 0])
        M -= store[i, A_I, 0] * d * z
        total += store[i, A_I, 0]
    M *= run.alpha
    if M > 1.0:
        run.beta -= math.log(M)
        run.alpha = math.exp(run.beta)
    return total


@fused
def pass_over_touched(run: Run, decay: float, delta: float, delta_w: float) -> None:
    """z ← γλz + φ, h ← h [1 + α D z]⁺ + αδz, w ← w + αδz; `delta_w` is δ, or 0 where w has been changed already."""
    store, shared = run.store, run.alpha
    for k in range(run.n_touched):
        i = np.uint64(run.touched[k])  # unsigned: numba need not ask whether it counts from the end
        z = decay * store[i, Z, 0] + store[i, X, 0]
        store[i, Z, 0] = z
        alpha_z = shared * store[i, A_I, 0] * z
        kept = 1.0 + alpha_z * store[i, D, 0]
        store[i, H, 0] = store[i, H, 0] * (kept if kept > 0.0 else 0.0) + alpha_z * delta
        store[i, W, 0] += alpha_z * delta_w


@inlined
def start_call(run: Run) -> None:
    """A; and a = 1 and η at the run's start."""
    run.alpha = math.exp(run.beta)
    if run.stamp == 0:
        fill(run, A_I, 1.0)
        fill(run, ETA, run.eta_0)


@inlined
def start_episode(run: Run) -> None:
    """Forgets h where the reading says so; the trace was emptied at the end of the last episode."""
    if run.forgets_h:
        fill(run, H, 0.0)


@inlined
def evaluate(run: Run, totals: Any, h_totals: Any) -> None:
    """Adds up x·w and x·h over the active features."""
    store = run.store
    for k in range(run.n_active):
        i, x = run.active[k], run.x[k]
        touch(run, i)
        totals[0] += x * store[i, W, 0]
        h_totals[0] += x * store[i, H, 0]


@inlined
def evaluate_following(run: Run) -> tuple[float, float]:
    """V in the next state, and 0: these methods have no use for h there."""
    value = 0.0
    for k in range(run.n_following):
        value += run.next_x[k] * run.store[run.following[k], W, 0]
    return value, 0.0


@inlined
def learn(run: Run, g: Any, delta: float, h_U: float, h_delta: float, terminal: bool) -> bool:
    """The method's tuning, and the pass over all touched features."""
    store = run.store
    decay = 0.0 if terminal and run.cuts_terminal_trace else run.gamma_lambda
    for k in range(run.n_active):
        store[run.active[k], X, 0] = run.x[k]
        store[run.active[k], D, 0] = -run.x[k]
    if run.uses_previous_alpha:
        for k in range(run.n_touched):
            i = run.touched[k]
            z = decay * store[i, Z, 0] + store[i, X, 0]
            store[i, W, 0] += run.alpha * store[i, A_I, 0] * z * delta
    total = 1.0
    if run.tidbd_method == TIDBD:
        total = tune_tidbd(run, delta)
    elif run.tidbd_method == TIDBD_SCALAR:
        run.beta += run.mu * delta * h_U
        run.alpha = math.exp(run.beta)
    else:
        total = tune_autotidbd(run, delta, terminal)
    if not math.isfinite(delta + run.beta + run.alpha * total):
        return False
    if run.alpha < SMALLEST_ALPHA:
        run.alpha = 0.0
    pass_over_touched(run, decay, delta, 0.0 if run.uses_previous_alpha else delta)
    for k in range(run.n_active):
        store[run.active[k], X, 0] = 0.0
        store[run.active[k], D, 0] = 0.0
    for k in range(run.n_following):
        store[run.following[k], D, 0] = 0.0
    return True


@inlined
def end_episode(run: Run, episode: int) -> None:
    """Empties the trace."""
    for k in range(run.n_touched):
        run.store[run.touched[k], Z, 0] = 0.0
