"""A compiled linear agent: AC(λ) with none, scalar, scalar-unnormalized, sid and nosid, in O(active) per step.

The same algorithm as `metatrace.agents.linear` with `metatrace.tuning`, for features of 0 and ±1, on the environment
that `make` is given. What is dense there is lazy here:

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
from collections.abc import Callable
from typing import Any

from metatrace.compiled import kernel_parts
from metatrace.compiled.kernel_parts import Environment, compiled, inlined
from metatrace.compiled.layout import (
    BOOTSTRAP_TIME_LIMIT,
    CUT_TERMINAL_TRACE,
    DIVERGED,
    DIVIDES_OVERSHOOT,
    DRIFTING,
    FLIPS_USED,
    FORGET_H,
    GAMMA,
    LAM,
    LOG_CONSTANT,
    METHOD,
    METHOD_CODES,
    MU,
    N_GROUPS,
    NOISE_USED,
    NORMALISER,
    NORMALISERS,
    PREVIOUS_ALPHA,
    STAMP,
    STATE_ALPHA,
    STATE_BETA,
    STATE_V,
    STEPS,
    STORE_ROWS,
    U_RATE,
    UNIFORMS_USED,
)

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "tune_scalar": ("scalar",),
    "tune_scalar_unnormalized": ("scalar-unnormalized",),
    "tune_sid": ("sid",),
    "tune_nosid": ("nosid",),
}
NONE, SCALAR, SCALAR_UNNORMALIZED, SID, NOSID = (
    METHOD_CODES[method] for method in ("none", "scalar", "scalar-unnormalized", "sid", "nosid")
)
TD_ERROR, TRACE_PRODUCT, META_GRADIENT = range(len(NORMALISERS))
REBASE_BELOW = 1e-3


@inlined
def tune_scalar(
    delta: float,
    h_U: float,
    U_U: float,
    gamma_lambda: float,
    mu: float,
    u_rate: float,
    divides_overshoot: int,
    beta: float,
    v: float,
    u: float,
    z_beta: float,
) -> tuple[float, float, float, float]:
    """Algorithm 1: β, v, u and z_β after lines 7 to 13."""
    z_beta = gamma_lambda * z_beta + h_U  # line 7
    Delta_beta = z_beta * delta  # line 8
    size = abs(Delta_beta)
    v = max(size, v + mu * (size - v))  # line 9
    beta += mu * Delta_beta / (v if v > 0.0 else 1.0)  # line 10
    if divides_overshoot:
        effective = math.exp(beta) * U_U
        u = max(effective, u + u_rate * (effective - u))  # line 11
        beta -= math.log(max(u, 1.0))  # lines 12 and 13
    return beta, v, u, z_beta


@inlined
def tune_scalar_unnormalized(
    delta: float, h_U: float, gamma_lambda: float, mu: float, beta: float, z_beta: float
) -> tuple[float, float]:
    """Algorithm 1 without normalization: β and z_β."""
    z_beta = gamma_lambda * z_beta + h_U
    Delta_beta = z_beta * delta
    return beta + mu * Delta_beta, z_beta


@inlined
def tune_sid(delta: float, z_h: float, mu: float, beta: float) -> float:
    """SID: β ← β + μ δ ⟨z|h⟩."""
    Delta_beta = delta * z_h
    return beta + mu * Delta_beta


@inlined
def tune_nosid(
    delta: float,
    z_h: float,
    normaliser: int,
    mu: float,
    gamma: float,
    c: float,
    z_value: float,
    terminal: bool,
    n_following: int,
    following: Any,
    next_x: Any,
    z: Any,
    beta: float,
    v: float,
) -> tuple[float, float]:
    """NOSID: β, normalized and bounded by −1/⟨z|∂δ/∂w⟩, and v."""
    Delta_beta = delta * z_h
    if normaliser == TD_ERROR:
        v = max(v, abs(delta))
    elif normaliser == TRACE_PRODUCT:
        v = max(v, abs(z_h))
    else:
        v = max(v, abs(Delta_beta))
    beta += mu * Delta_beta / (v if v > 0.0 else 1.0)
    next_z_value = 0.0
    if not terminal:
        for k in range(n_following):
            next_z_value += next_x[k] * z[following[k], 0]
    z_delta = c * (gamma * next_z_value - z_value)  # ⟨z|∂δ/∂w⟩
    if z_delta < 0.0:
        beta = min(beta, -math.log(-z_delta))
    return beta, v


def make(environment: Environment) -> Callable[..., None]:
    """The kernel for an environment: a function for numba that takes the arrays of `layout`, by their addresses."""
    start, next_state, reward_of, is_over = (
        environment.start,
        environment.next_state,
        environment.reward,
        environment.is_over,
    )
    observe, drift_one_step = environment.observe, environment.drift
    n_features, time_limit, blocks = environment.n_features, environment.time_limit, environment.blocks
    array_of_blocks = kernel_parts.array_of(blocks)
    array_of_actions = kernel_parts.array_of(environment.n_actions)
    softmax = kernel_parts.softmax_over(environment.n_actions)
    is_finite = kernel_parts.is_finite_over(environment.n_actions)
    choose = kernel_parts.choose_among(environment.n_actions)
    write_grad_U = kernel_parts.write_grad_U_of(environment.n_actions)

    @inlined
    def catch_up(i: int, sum_w: float, sum_h: float, w: Any, h: Any, z: Any, seen: Any) -> None:
        # Brings feature i's weights and h up to date with all steps so far.
        missed_w = sum_w - seen[i, 0]
        missed_h = sum_h - seen[i, 1]
        for block in range(blocks):
            w[i, block] += missed_w * z[i, block]
            h[i, block] += missed_h * z[i, block]
        seen[i, 0] = sum_w
        seen[i, 1] = sum_h

    @compiled
    def rebase(
        n_touched: int, touched: Any, c: float, sum_w: float, sum_h: float, w: Any, h: Any, z: Any, seen: Any
    ) -> None:
        # Catches up every feature in the trace and moves c into z′ (c = 0 empties the trace).
        for k in range(n_touched):
            i = touched[k]
            catch_up(i, sum_w, sum_h, w, h, z, seen)
            for block in range(blocks):
                z[i, block] *= c
            seen[i, 0] = 0.0
            seen[i, 1] = 0.0

    @compiled
    def run_episodes(
        episodes: int,
        flags: Any,
        numbers: Any,
        state: Any,
        starts: Any,
        uniforms: Any,
        flips: Any,
        noise: Any,
        signs: Any,
        store: Any,
        integers: Any,
        scratch: Any,
        returns: Any,
        lengths: Any,
        beta_groups: Any,
        status: Any,
    ) -> None:
        # Runs the episodes and stops where the run diverges. Allocates nothing, so that its machine code stands alone.
        w, h, z, seen = store[0], store[1], store[2], store[3]
        touched, stamps, active, following = integers[0], integers[1], integers[2], integers[3]
        x, next_x = scratch[1], scratch[2]
        # A number per block: V and the logits, the same with h in place of w, and ∂U/∂w of a feature with value 1
        totals, h_totals, g, pi = array_of_blocks(), array_of_blocks(), array_of_blocks(), array_of_actions()
        method, normaliser, drifting = flags[METHOD], flags[NORMALISER], flags[DRIFTING]
        gamma, mu, u_rate = numbers[GAMMA], numbers[MU], numbers[U_RATE]
        gamma_lambda, log_constant = gamma * numbers[LAM], numbers[LOG_CONSTANT]
        beta, v, alpha = state[STATE_BETA], state[STATE_V], state[STATE_ALPHA]
        uniforms_used, flips_used, noise_used = 0, 0, 0

        for episode in range(episodes):
            place = start(starts[episode])
            episode_return = 0.0
            c, sum_w, sum_h = 1.0, 0.0, 0.0
            n_touched = 0
            z_beta, u = 0.0, 0.0
            z_h, z_z = 0.0, 0.0  # ⟨z|h⟩ and ‖z‖²
            status[STAMP] += 1
            if flags[FORGET_H]:
                for i in range(n_features):
                    for block in range(blocks):
                        h[i, block] = 0.0
            n_active = observe(place, flags, numbers, signs, noise[noise_used], active, x)
            noise_used += drifting

            for t in range(time_limit):
                # V, π and the sums of h over the active features, block by block
                for block in range(blocks):
                    totals[block], h_totals[block] = 0.0, 0.0
                for k in range(n_active):
                    i = active[k]
                    catch_up(i, sum_w, sum_h, w, h, z, seen)
                    for block in range(blocks):
                        totals[block] += x[k] * w[i, block]
                        h_totals[block] += x[k] * h[i, block]
                softmax(totals, pi)
                if not is_finite(totals, pi):
                    status[DIVERGED] = episode
                    status[STEPS] += t
                    break

                # act
                action = choose(uniforms[uniforms_used], pi)
                uniforms_used += 1
                place = next_state(place, action)
                reward, reached = reward_of(place), is_over(place)
                episode_return += reward
                out_of_time = t == time_limit - 1
                terminal = reached or (out_of_time and not flags[BOOTSTRAP_TIME_LIMIT])
                if drifting:
                    flips_used = drift_one_step(status[STEPS] + t, flips, flips_used, signs)
                n_following = observe(place, flags, numbers, signs, noise[noise_used], following, next_x)
                noise_used += drifting

                # δ and ⟨∂δ/∂w|h⟩
                delta = reward - totals[0]
                h_delta = -h_totals[0]
                if not terminal:
                    next_value, next_h_value = 0.0, 0.0
                    for k in range(n_following):
                        i = following[k]
                        catch_up(i, sum_w, sum_h, w, h, z, seen)
                        next_value += next_x[k] * w[i, 0]
                        next_h_value += next_x[k] * h[i, 0]
                    delta += gamma * next_value
                    h_delta += gamma * next_h_value

                # ∂U/∂w and z ← γλz + ∂U/∂w
                g_g = write_grad_U(action, pi, log_constant, g)
                h_U = h_totals[0]
                for block in range(1, blocks):
                    h_U += g[block] * h_totals[block]
                U_U = n_active * g_g  # every active feature has x² = 1
                if terminal and flags[CUT_TERMINAL_TRACE]:
                    rebase(n_touched, touched, 0.0, sum_w, sum_h, w, h, z, seen)
                    c, sum_w, sum_h = 1.0, 0.0, 0.0
                    z_h, z_z = 0.0, 0.0
                c *= gamma_lambda
                if c < REBASE_BELOW:
                    rebase(n_touched, touched, c, sum_w, sum_h, w, h, z, seen)
                    c, sum_w, sum_h = 1.0, 0.0, 0.0
                z_U = 0.0  # ⟨γλz|∂U⟩
                z_value = 0.0
                inverse_c = 1.0 / c
                for k in range(n_active):
                    i = active[k]
                    if stamps[i] != status[STAMP]:
                        stamps[i] = status[STAMP]
                        touched[n_touched] = i
                        n_touched += 1
                    # Up to date since the start of this step, whatever the sums were called then.
                    seen[i, 0] = sum_w
                    seen[i, 1] = sum_h
                    for block in range(blocks):
                        z_U += x[k] * g[block] * z[i, block]
                        z[i, block] += x[k] * g[block] * inverse_c
                    z_value += x[k] * z[i, 0]
                z_z = gamma_lambda * gamma_lambda * z_z + 2.0 * c * z_U + U_U
                z_h = gamma_lambda * z_h + h_U

                # tune
                previous_alpha = alpha
                if method == SCALAR:
                    beta, v, u, z_beta = tune_scalar(
                        delta, h_U, U_U, gamma_lambda, mu, u_rate, flags[DIVIDES_OVERSHOOT], beta, v, u, z_beta
                    )
                elif method == SCALAR_UNNORMALIZED:
                    beta, z_beta = tune_scalar_unnormalized(delta, h_U, gamma_lambda, mu, beta, z_beta)
                elif method == SID:
                    beta = tune_sid(delta, z_h, mu, beta)
                elif method == NOSID:
                    beta, v = tune_nosid(
                        delta,
                        z_h,
                        normaliser,
                        mu,
                        gamma,
                        c,
                        z_value,
                        terminal,
                        n_following,
                        following,
                        next_x,
                        z,
                        beta,
                        v,
                    )
                if method != NONE:
                    alpha = math.exp(beta)

                # w ← w + αδz and h ← h + α(δ + ⟨∂δ|h⟩)z (line 14), both by way of the sums
                if not math.isfinite(delta + h_delta + beta + alpha):
                    status[DIVERGED] = episode
                    status[STEPS] += t + 1
                    break
                step = alpha * (delta + h_delta)
                if method != NONE:
                    sum_h += step * c
                    z_h += step * z_z
                sum_w += (previous_alpha if flags[PREVIOUS_ALPHA] else alpha) * delta * c

                n_active = n_following
                for k in range(n_following):
                    active[k] = following[k]
                    x[k] = next_x[k]
                if reached or out_of_time:
                    returns[episode] = episode_return
                    lengths[episode] = t + 1
                    status[STEPS] += t + 1
                    break

            rebase(n_touched, touched, 0.0, sum_w, sum_h, w, h, z, seen)
            if status[DIVERGED] >= 0:
                break
            for group in range(N_GROUPS):
                beta_groups[episode, group] = beta

        state[STATE_BETA], state[STATE_V], state[STATE_ALPHA] = beta, v, alpha
        status[UNIFORMS_USED], status[FLIPS_USED], status[NOISE_USED] = uniforms_used, flips_used, noise_used

    return kernel_parts.entry_of(run_episodes, (STORE_ROWS, n_features, blocks), environment)
