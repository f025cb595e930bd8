"""The compiled agent: AC(λ) with none, scalar, scalar-unnormalized, sid and nosid, in O(active) a step.

The same algorithm as `plain` with `metatrace.tuning`, for binary features. What is dense there is
lazy here:

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

from metatrace.domains.mountain_car import kernel_parts
from metatrace.domains.mountain_car.kernel_parts import TIME_LIMIT, compiled, inlined
from metatrace.domains.mountain_car.layout import (
    BLOCKS,
    BOOTSTRAP_TIME_LIMIT,
    CUT_TERMINAL_TRACE,
    DIVERGED,
    DIVIDES_OVERSHOOT,
    DRIFTING,
    FLIPS_USED,
    FORGET_H,
    GAMMA,
    HAS_BIAS,
    LAM,
    LOG_CONSTANT,
    METHOD,
    METHOD_CODES,
    MU,
    N_FEATURES,
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
    TILES_PER_RANGE,
    U_RATE,
    UNIFORMS_USED,
)

SIGNATURE = kernel_parts.SIGNATURE
NONE, SCALAR, SCALAR_UNNORMALIZED, SID, NOSID = (
    METHOD_CODES[method] for method in ("none", "scalar", "scalar-unnormalized", "sid", "nosid")
)
TD_ERROR, TRACE_PRODUCT, META_GRADIENT = range(len(NORMALISERS))
REBASE_BELOW = 1e-3
N_TILES = kernel_parts.N_TILES


@inlined
def catch_up(i: int, sum_w: float, sum_h: float, w: Any, h: Any, z: Any, seen: Any) -> None:
    """Brings feature i's weights and h up to date with all steps so far."""
    missed_w = sum_w - seen[i, 0]
    missed_h = sum_h - seen[i, 1]
    for block in range(BLOCKS):
        w[i, block] += missed_w * z[i, block]
        h[i, block] += missed_h * z[i, block]
    seen[i, 0] = sum_w
    seen[i, 1] = sum_h


@compiled
def rebase(
    n_touched: int,
    touched: Any,
    c: float,
    sum_w: float,
    sum_h: float,
    w: Any,
    h: Any,
    z: Any,
    seen: Any,
) -> None:
    """Catches up every feature in the trace and moves c into z′ (c = 0 empties the trace)."""
    for k in range(n_touched):
        i = touched[k]
        catch_up(i, sum_w, sum_h, w, h, z, seen)
        for block in range(BLOCKS):
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
    """Runs `episodes` episodes; `layout` says what each array holds. Stops where the run diverges.

    Allocates nothing, so that its machine code stands alone.
    """
    w, h, z, seen = store[0], store[1], store[2], store[3]
    touched, stamps, active, following = integers[0], integers[1], integers[2], integers[3]
    g, x, next_x = scratch[0], scratch[1], scratch[2]
    method, normaliser = flags[METHOD], flags[NORMALISER]
    has_bias, drifting = flags[HAS_BIAS], flags[DRIFTING]
    gamma, mu, u_rate = numbers[GAMMA], numbers[MU], numbers[U_RATE]
    gamma_lambda = gamma * numbers[LAM]
    log_constant, tiles_per_range = numbers[LOG_CONSTANT], numbers[TILES_PER_RANGE]
    beta, v, alpha = state[STATE_BETA], state[STATE_V], state[STATE_ALPHA]
    uniforms_used, flips_used, noise_used = 0, 0, 0

    for episode in range(episodes):
        position, velocity = starts[episode], 0.0
        c, sum_w, sum_h = 1.0, 0.0, 0.0
        n_touched = 0
        z_beta, u = 0.0, 0.0
        z_h, z_z = 0.0, 0.0  # ⟨z|h⟩ and ‖z‖²
        status[STAMP] += 1
        if flags[FORGET_H]:
            for i in range(N_FEATURES):
                for block in range(BLOCKS):
                    h[i, block] = 0.0
        n_active = kernel_parts.observe(
            position,
            velocity,
            tiles_per_range,
            has_bias,
            drifting,
            signs,
            noise[noise_used],
            active,
            x,
        )
        noise_used += drifting

        for t in range(TIME_LIMIT):
            # V, π and the sums of h over the active features, block by block
            value, logit_0, logit_1, logit_2 = 0.0, 0.0, 0.0, 0.0
            h_value, h_0, h_1, h_2 = 0.0, 0.0, 0.0, 0.0
            for k in range(n_active):
                i = active[k]
                catch_up(i, sum_w, sum_h, w, h, z, seen)
                value += x[k] * w[i, 0]
                logit_0 += x[k] * w[i, 1]
                logit_1 += x[k] * w[i, 2]
                logit_2 += x[k] * w[i, 3]
                h_value += x[k] * h[i, 0]
                h_0 += x[k] * h[i, 1]
                h_1 += x[k] * h[i, 2]
                h_2 += x[k] * h[i, 3]
            pi_0, pi_1, pi_2 = kernel_parts.softmax(logit_0, logit_1, logit_2)
            if not math.isfinite(pi_0 + pi_1 + pi_2 + logit_0 + logit_1 + logit_2):
                status[DIVERGED] = episode
                status[STEPS] += t
                break

            # act
            action = kernel_parts.choose(uniforms[uniforms_used], pi_0, pi_1)
            uniforms_used += 1
            position, velocity = kernel_parts.next_state(position, velocity, action)
            reached = kernel_parts.at_goal(position, velocity)
            out_of_time = t == TIME_LIMIT - 1
            terminal = reached or (out_of_time and not flags[BOOTSTRAP_TIME_LIMIT])
            if drifting:
                flips_used = kernel_parts.drift_one_step(status[STEPS] + t, flips, flips_used, signs)
            n_following = kernel_parts.observe(
                position,
                velocity,
                tiles_per_range,
                has_bias,
                drifting,
                signs,
                noise[noise_used],
                following,
                next_x,
            )
            noise_used += drifting

            # δ and ⟨∂δ/∂w|h⟩
            delta = -1.0 - value
            h_delta = -h_value
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
            g_g = kernel_parts.write_grad_U(action, pi_0, pi_1, pi_2, log_constant, g)
            h_U = h_value + g[1] * h_0 + g[2] * h_1 + g[3] * h_2
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
                for block in range(BLOCKS):
                    z_U += x[k] * g[block] * z[i, block]
                    z[i, block] += x[k] * g[block] * inverse_c
                z_value += x[k] * z[i, 0]
            z_z = gamma_lambda * gamma_lambda * z_z + 2.0 * c * z_U + U_U
            z_h = gamma_lambda * z_h + h_U

            # tune: algorithm 1, its unnormalized form, SID or NOSID
            previous_alpha = alpha
            if method in (SCALAR, SCALAR_UNNORMALIZED):
                z_beta = gamma_lambda * z_beta + h_U  # line 7
                Delta_beta = z_beta * delta  # line 8
                if method == SCALAR:
                    size = abs(Delta_beta)
                    v = max(size, v + mu * (size - v))  # line 9
                    beta += mu * Delta_beta / (v if v > 0.0 else 1.0)  # line 10
                    if flags[DIVIDES_OVERSHOOT]:
                        effective = math.exp(beta) * U_U
                        u = max(effective, u + u_rate * (effective - u))  # line 11
                        beta -= math.log(max(u, 1.0))  # lines 12 and 13
                else:
                    beta += mu * Delta_beta
                alpha = math.exp(beta)
            elif method in (SID, NOSID):
                Delta_beta = delta * z_h
                if method == NOSID:
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
                else:
                    beta += mu * Delta_beta
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
                returns[episode] = -(t + 1.0)
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


entry = kernel_parts.entry_of(run_episodes, (STORE_ROWS, N_FEATURES, BLOCKS))
