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

This module needs numba; only `object_code`, when it compiles, and the tests import it.
"""

import math
from typing import Any

import numba
import numpy as np
from numba import types

from metatrace.mountain_car import dynamics, tiles
from metatrace.mountain_car.layout import (
    BIAS,
    BLOCKS,
    BOOTSTRAP_TIME_LIMIT,
    CUT_TERMINAL_TRACE,
    DIVERGED,
    FORGET_H,
    GAMMA,
    LAM,
    LOG_CONSTANT,
    METHOD,
    METHODS,
    MU,
    N_FEATURES,
    N_FLAGS,
    N_NUMBERS,
    N_STATE,
    N_STATUS,
    NORMALISER,
    NORMALISERS,
    PREVIOUS_ALPHA,
    STAMP,
    STATE_ALPHA,
    STATE_BETA,
    STATE_V,
    STEPS,
    TILES_PER_RANGE,
    UNIFORMS_USED,
)

_compile = numba.njit(error_model="numpy")
_inline = numba.njit(error_model="numpy", inline="always")
next_state = _compile(dynamics.next_state)
at_goal = _compile(dynamics.at_goal)
write_active_tiles = _compile(tiles.write_active_tiles)

NONE, SCALAR, SCALAR_UNNORMALIZED, SID, NOSID = range(len(METHODS))
TD_ERROR, TRACE_PRODUCT, META_GRADIENT = range(len(NORMALISERS))
N_TILES, TIME_LIMIT = tiles.N_TILES, dynamics.TIME_LIMIT
REBASE_BELOW = 1e-3


@_inline
def catch_up(i: int, sum_w: float, sum_h: float, w: Any, h: Any, z: Any, seen: Any) -> None:
    """Brings feature i's weights and h up to date with all steps so far."""
    missed_w = sum_w - seen[i, 0]
    missed_h = sum_h - seen[i, 1]
    for block in range(BLOCKS):
        w[i, block] += missed_w * z[i, block]
        h[i, block] += missed_h * z[i, block]
    seen[i, 0] = sum_w
    seen[i, 1] = sum_h


@_compile
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


@_compile
def run_episodes(
    episodes: int,
    flags: Any,
    numbers: Any,
    state: Any,
    starts: Any,
    uniforms: Any,
    w: Any,
    h: Any,
    z: Any,
    seen: Any,
    touched: Any,
    stamps: Any,
    active: Any,
    following: Any,
    g: Any,
    returns: Any,
    lengths: Any,
    status: Any,
) -> None:
    """Runs `episodes` episodes; `layout` says what each array holds. Stops where the run diverges.

    Allocates nothing, so that its machine code stands alone. `active`, `following` and `g` are scratch;
    g is ∂U/∂w of an active feature, one number a block.
    """
    method, normaliser = flags[METHOD], flags[NORMALISER]
    n_active = tiles.N_TILINGS + flags[BIAS]
    gamma, mu = numbers[GAMMA], numbers[MU]
    gamma_lambda = gamma * numbers[LAM]
    log_constant, tiles_per_range = numbers[LOG_CONSTANT], numbers[TILES_PER_RANGE]
    beta, v, alpha = state[STATE_BETA], state[STATE_V], state[STATE_ALPHA]

    active[tiles.N_TILINGS] = N_TILES  # the bias feature, counted by n_active or not
    following[tiles.N_TILINGS] = N_TILES
    used = 0

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
        write_active_tiles(float(np.float32(position)), float(np.float32(velocity)), tiles_per_range, active)

        for t in range(TIME_LIMIT):
            # V, π and the sums of h over the active features, block by block
            value, logit_0, logit_1, logit_2 = 0.0, 0.0, 0.0, 0.0
            h_value, h_0, h_1, h_2 = 0.0, 0.0, 0.0, 0.0
            for k in range(n_active):
                i = active[k]
                catch_up(i, sum_w, sum_h, w, h, z, seen)
                value += w[i, 0]
                logit_0 += w[i, 1]
                logit_1 += w[i, 2]
                logit_2 += w[i, 3]
                h_value += h[i, 0]
                h_0 += h[i, 1]
                h_1 += h[i, 2]
                h_2 += h[i, 3]
            highest = max(logit_0, logit_1, logit_2)
            pi_0, pi_1, pi_2 = (
                math.exp(logit_0 - highest),
                math.exp(logit_1 - highest),
                math.exp(logit_2 - highest),
            )
            total = pi_0 + pi_1 + pi_2
            pi_0 /= total
            pi_1 /= total
            pi_2 /= total
            if not math.isfinite(total + pi_0 + pi_1 + pi_2 + logit_0 + logit_1 + logit_2):
                status[DIVERGED] = episode
                status[STEPS] += t
                break

            # act
            uniform = uniforms[used]
            used += 1
            if uniform < pi_0:
                action, pi_action = 0, pi_0
            elif uniform < pi_0 + pi_1:
                action, pi_action = 1, pi_1
            else:
                action, pi_action = 2, pi_2
            position, velocity = next_state(position, velocity, action)
            reached = at_goal(position, velocity)
            out_of_time = t == TIME_LIMIT - 1
            terminal = reached or (out_of_time and not flags[BOOTSTRAP_TIME_LIMIT])
            write_active_tiles(
                float(np.float32(position)), float(np.float32(velocity)), tiles_per_range, following
            )

            # δ and ⟨∂δ/∂w|h⟩
            delta = -1.0 - value
            h_delta = -h_value
            if not terminal:
                next_value, next_h_value = 0.0, 0.0
                for k in range(n_active):
                    i = following[k]
                    catch_up(i, sum_w, sum_h, w, h, z, seen)
                    next_value += w[i, 0]
                    next_h_value += h[i, 0]
                delta += gamma * next_value
                h_delta += gamma * next_h_value

            # ∂U/∂w and z ← γλz + ∂U/∂w
            scale = 0.5 * (pi_action / (pi_action + log_constant))
            g[0] = 1.0
            g[1] = scale * ((1.0 if action == 0 else 0.0) - pi_0)
            g[2] = scale * ((1.0 if action == 1 else 0.0) - pi_1)
            g[3] = scale * ((1.0 if action == 2 else 0.0) - pi_2)
            h_U = h_value + g[1] * h_0 + g[2] * h_1 + g[3] * h_2
            U_U = n_active * (1.0 + g[1] * g[1] + g[2] * g[2] + g[3] * g[3])
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
                    z_U += g[block] * z[i, block]
                    z[i, block] += g[block] * inverse_c
                z_value += z[i, 0]
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
                    effective = math.exp(beta) * U_U
                    u = max(effective, u + (1.0 - gamma_lambda) * (effective - u))  # line 11
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
                        for k in range(n_active):
                            next_z_value += z[following[k], 0]
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

            for k in range(n_active):
                active[k] = following[k]
            if reached or out_of_time:
                returns[episode] = -(t + 1.0)
                lengths[episode] = t + 1
                status[STEPS] += t + 1
                break

        rebase(n_touched, touched, 0.0, sum_w, sum_h, w, h, z, seen)
        if status[DIVERGED] >= 0:
            break

    state[STATE_BETA], state[STATE_V], state[STATE_ALPHA] = beta, v, alpha
    status[UNIFORMS_USED] = used


_f64, _i64 = types.CPointer(types.float64), types.CPointer(types.int64)
SIGNATURE = types.void(types.int64, _i64, *[_f64] * 8, *[_i64] * 4, _f64, _f64, _i64, _i64)


def entry(
    episodes: int,
    flags: Any,
    numbers: Any,
    state: Any,
    starts: Any,
    uniforms: Any,
    w: Any,
    h: Any,
    z: Any,
    seen: Any,
    touched: Any,
    stamps: Any,
    active: Any,
    following: Any,
    g: Any,
    returns: Any,
    lengths: Any,
    status: Any,
) -> None:
    """`run_episodes` behind plain C pointers."""
    run_episodes(
        episodes,
        numba.carray(flags, N_FLAGS),
        numba.carray(numbers, N_NUMBERS),
        numba.carray(state, N_STATE),
        numba.carray(starts, episodes),
        numba.carray(uniforms, episodes * TIME_LIMIT),
        numba.carray(w, (N_FEATURES, BLOCKS)),
        numba.carray(h, (N_FEATURES, BLOCKS)),
        numba.carray(z, (N_FEATURES, BLOCKS)),
        numba.carray(seen, (N_FEATURES, 2)),
        numba.carray(touched, N_FEATURES),
        numba.carray(stamps, N_FEATURES),
        numba.carray(active, tiles.N_TILINGS + 1),
        numba.carray(following, tiles.N_TILINGS + 1),
        numba.carray(g, BLOCKS),
        numba.carray(returns, episodes),
        numba.carray(lengths, episodes),
        numba.carray(status, N_STATUS),
    )
