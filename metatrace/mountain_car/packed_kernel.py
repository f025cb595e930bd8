"""The compiled agent for vector and mixed Metatrace: dense over the weights touched in the episode.

A step changes z, z_β, v, β, α, h and w of every weight whose feature has been active in this episode, and
of no other (v aside, which decays by 1 − μ a step: a plain power, made up for when the feature is next
touched). All that belongs to a feature lies together in `store[feature]`, four weights a row, so that a
pass over the touched features reads whole cache lines and works on four weights at a time.

β_i = B + log a_i, where B holds what all weights share: log α₀ less the logarithms of all M for the vector
method, β̂ for the mixed one. So α_i = A·a_i with one factor A = e^B for all. A step changes log a by μΔ/v,
at most μ: a follows by a short series instead of an exponential. An A below 10⁻²⁹⁰ counts as 0: products
with smaller numbers are denormal, and ten times as slow.

Both traces decay by γλ a step: z = c·z′ and z_β = c·z_β′ with one c for all, which starts again at 1 before
it falls below 10⁻³ (`rebase`).

∂δ/∂w is not zero in a few places only: `learn_vector` and `learn_mixed` leave it out of h, and `correct_h`
adds its part.

The two passes over all touched weights have no branches and touch little memory, so that the compiler can
work on several weights at a time.
"""

import math
from typing import Any

import numba

from metatrace.mountain_car import kernel_parts
from metatrace.mountain_car.drift import N_NOISE
from metatrace.mountain_car.kernel_parts import TIME_LIMIT, compiled, inlined
from metatrace.mountain_car.layout import (
    BIAS,
    BLOCKS,
    BOOTSTRAP_TIME_LIMIT,
    CUT_TERMINAL_TRACE,
    DIVERGED,
    DRIFTING,
    FIRST_NOISE,
    FLIPS_USED,
    FORGET_H,
    GAMMA,
    HAS_BIAS,
    INTEGER_ROWS,
    KERNELS,
    LAM,
    LOG_CONSTANT,
    METHOD,
    MU,
    N_FEATURES,
    N_FLAGS,
    N_GROUPS,
    N_NUMBERS,
    N_STATE,
    N_STATUS,
    NOISE_USED,
    PREVIOUS_ALPHA,
    SCRATCH_ROWS,
    STAMP,
    STATE_BETA,
    STATE_SUMS,
    STATE_V,
    STATE_VISITED,
    STEPS,
    STORE_ROWS,
    TILES_PER_RANGE,
    UNIFORMS_USED,
)

SIGNATURE = kernel_parts.SIGNATURE
VECTOR, VECTOR_UNNORMALIZED, MIXED, MIXED_UNNORMALIZED = range(len(KERNELS["packed_kernel"]))
N_TILES = kernel_parts.N_TILES
# Up to here the series of degree 6 is exact to the last digit or so.
SERIES_UP_TO = 2.0**-6
SMALLEST_ALPHA = 1e-290
REBASE_BELOW = 1e-3
# v = 0 means Δ_β = 0: added to the divisor, this makes 0/0 a 0 without a branch; no v above 1e-284 changes.
TINY = 1e-300

# Rows of `store`, 4 weights each: what lives on, and what lives for one episode.
W, H, H_HAT, V, A_I, LOG_A, Z, Z_BETA = range(8)
# Rows of `integers`
TOUCHED, STAMPS, ACTIVE, FOLLOWING, LAST_STEP = range(5)


@inlined
def short_exp(x: float) -> float:
    """e^x for |x| ≤ SERIES_UP_TO."""
    return 1.0 + x * (1.0 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x * (1 / 120 + x * (1 / 720))))))


@inlined
def touch(i: int, v_decay: float, store: Any) -> None:
    """Readies feature i's weights for an episode in which they change."""
    for block in range(BLOCKS):
        store[i, V, block] *= v_decay
        store[i, Z, block] = 0.0
        store[i, Z_BETA, block] = 0.0


@compiled
def tune_normalized(n_touched: int, touched: Any, delta: float, mu: float, store: Any) -> None:
    """Lines 8 to 10 of algorithm 2: Δ_β = z_β δ, v, β += μ Δ_β / v; and α along with β. `delta` is δ·c."""
    for k in range(n_touched):
        i = touched[k]
        for block in range(BLOCKS):
            Delta_beta = store[i, Z_BETA, block] * delta
            size = abs(Delta_beta)
            v = store[i, V, block]
            slower = v + mu * (size - v)
            v = size if size > slower else slower
            store[i, V, block] = v
            store[i, A_I, block] *= short_exp(mu * Delta_beta / (v + TINY))


@compiled
def tune_exactly(n_touched: int, touched: Any, delta: float, mu: float, normalized: bool, store: Any) -> None:
    """The same for changes of any size, normalized or not."""
    for k in range(n_touched):
        i = touched[k]
        for block in range(BLOCKS):
            Delta_beta = store[i, Z_BETA, block] * delta
            if normalized:
                size = abs(Delta_beta)
                v = store[i, V, block]
                v = max(size, v + mu * (size - v))
                store[i, V, block] = v
                Delta_beta /= v + TINY
            change = mu * Delta_beta
            store[i, A_I, block] *= short_exp(change) if abs(change) < SERIES_UP_TO else math.exp(change)


@compiled
def rebase(n_touched: int, touched: Any, c: float, store: Any) -> None:
    """Moves c into the traces."""
    for k in range(n_touched):
        i = touched[k]
        for block in range(BLOCKS):
            store[i, Z, block] *= c
            store[i, Z_BETA, block] *= c


@inlined
def correct_h(i: int, scale: float, grad_delta: float, store: Any) -> None:
    """The part of line 14 that has ∂δ/∂w: h ← h + α z ∂δ/∂w h, for a value weight. `scale` is A·c."""
    alpha_z = scale * store[i, A_I, 0] * store[i, Z, 0]
    store[i, H, 0] += alpha_z * grad_delta * store[i, H, 0]


@compiled
def learn_vector(
    n_touched: int,
    touched: Any,
    scale: float,
    delta: float,
    delta_w: float,
    store: Any,
) -> None:
    """The rest of line 14, h ← h + α ⊙ z δ, and w ← w + α ⊙ z δ. `scale` is A·c."""
    for k in range(n_touched):
        i = touched[k]
        for block in range(BLOCKS):
            alpha_z = scale * store[i, A_I, block] * store[i, Z, block]
            store[i, H, block] += alpha_z * delta
            store[i, W, block] += alpha_z * delta_w


@compiled
def learn_mixed(
    n_touched: int,
    touched: Any,
    scale: float,
    delta: float,
    delta_hat: float,
    delta_w: float,
    store: Any,
) -> None:
    """The same with ĥ ← ĥ + α z (δ + ⟨∂δ/∂w|ĥ⟩), the brackets in `delta_hat`."""
    for k in range(n_touched):
        i = touched[k]
        for block in range(BLOCKS):
            alpha_z = scale * store[i, A_I, block] * store[i, Z, block]
            store[i, H, block] += alpha_z * delta
            store[i, H_HAT, block] += alpha_z * delta_hat
            store[i, W, block] += alpha_z * delta_w


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
    """Runs `episodes` episodes; `layout` says what each array holds. Stops where the run diverges."""
    touched, stamps, active, following = (
        integers[TOUCHED],
        integers[STAMPS],
        integers[ACTIVE],
        integers[FOLLOWING],
    )
    last_step = integers[LAST_STEP]
    g, x, next_x, marks = scratch[0], scratch[1], scratch[2], scratch[3]
    method = flags[METHOD]
    normalized = method in (VECTOR, MIXED)
    is_mixed = method in (MIXED, MIXED_UNNORMALIZED)
    has_bias, drifting = flags[HAS_BIAS], flags[DRIFTING]
    gamma, mu = numbers[GAMMA], numbers[MU]
    gamma_lambda = gamma * numbers[LAM]
    log_constant, tiles_per_range = numbers[LOG_CONSTANT], numbers[TILES_PER_RANGE]
    shared_beta, v_hat = state[STATE_BETA], state[STATE_V]  # B and v̂
    by_series = normalized and mu <= SERIES_UP_TO
    log_v_decay = math.log(1.0 - mu) if mu < 1.0 else -math.inf
    uniforms_used, flips_used, noise_used = 0, 0, 0
    scale = math.exp(shared_beta)  # A
    # Of log a, over value/informative, value/noisy, policy/informative and policy/noisy weights
    sums, visited = state[STATE_SUMS:], int(state[STATE_VISITED])
    if status[STAMP] == 0:
        for i in range(N_FEATURES):
            for block in range(BLOCKS):
                store[i, A_I, block] = 1.0

    for episode in range(episodes):
        position, velocity = starts[episode], 0.0
        n_touched = 0
        z_beta_hat, u = 0.0, 0.0
        c = 1.0
        status[STAMP] += 1
        first_step = status[STEPS]
        if flags[FORGET_H]:
            for i in range(N_FEATURES):
                for block in range(BLOCKS):
                    store[i, H, block] = 0.0
                    store[i, H_HAT, block] = 0.0
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
            # V and π; a feature that is active for the first time in this episode is touched
            value, logit_0, logit_1, logit_2 = 0.0, 0.0, 0.0, 0.0
            for k in range(n_active):
                i = active[k]
                if stamps[i] != status[STAMP]:
                    stamps[i] = status[STAMP]
                    touched[n_touched] = i
                    n_touched += 1
                    missed = first_step + t - last_step[i]
                    v_decay = math.exp(log_v_decay * missed) if missed > 0 else 1.0
                    touch(i, v_decay, store)
                value += x[k] * store[i, W, 0]
                logit_0 += x[k] * store[i, W, 1]
                logit_1 += x[k] * store[i, W, 2]
                logit_2 += x[k] * store[i, W, 3]
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
                flips_used = kernel_parts.drift_one_step(first_step + t, flips, flips_used, signs)
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

            # δ, ∂δ/∂w where it is not zero, and ⟨∂δ/∂w|ĥ⟩
            delta = -1.0 - value
            h_hat_delta = 0.0
            for k in range(n_active):
                i = active[k]
                h_hat_delta -= x[k] * store[i, H_HAT, 0]
            if not terminal:
                next_value, next_h_hat = 0.0, 0.0
                for k in range(n_following):
                    i = following[k]
                    next_value += next_x[k] * store[i, W, 0]
                    next_h_hat += next_x[k] * store[i, H_HAT, 0]
                delta += gamma * next_value
                h_hat_delta += gamma * next_h_hat

            # ∂U/∂w; z ← γλz + ∂U/∂w; z_β ← γλz_β + ∂U/∂w ⊙ h (line 7)
            kernel_parts.write_grad_U(action, pi_0, pi_1, pi_2, log_constant, g)
            if terminal and flags[CUT_TERMINAL_TRACE]:
                for k in range(n_touched):
                    for block in range(BLOCKS):
                        store[touched[k], Z, block] = 0.0
            c *= gamma_lambda
            if c < REBASE_BELOW:
                rebase(n_touched, touched, c, store)
                c = 1.0
            inverse_c = 1.0 / c
            h_hat_U = 0.0
            for k in range(n_active):
                i = active[k]
                for block in range(BLOCKS):
                    grad = x[k] * g[block]
                    store[i, Z, block] += grad * inverse_c
                    store[i, Z_BETA, block] += grad * inverse_c * store[i, H, block]
                    h_hat_U += grad * store[i, H_HAT, block]
            if flags[PREVIOUS_ALPHA]:
                for k in range(n_touched):
                    i = touched[k]
                    for block in range(BLOCKS):
                        store[i, W, block] += store[i, A_I, block] * scale * c * store[i, Z, block] * delta

            # tune the vector part: lines 8 to 10
            if by_series:
                tune_normalized(n_touched, touched, delta * c, mu, store)
            else:
                tune_exactly(n_touched, touched, delta * c, mu, normalized, store)

            # tune the global part, and M: lines 11 to 13
            if is_mixed:
                z_beta_hat = gamma_lambda * z_beta_hat + h_hat_U
                Delta_beta_hat = z_beta_hat * delta
                if normalized:
                    size = abs(Delta_beta_hat)
                    v_hat = max(size, v_hat + mu * (size - v_hat))
                    shared_beta += mu * Delta_beta_hat / (v_hat if v_hat > 0.0 else 1.0)
                else:
                    shared_beta += mu * Delta_beta_hat
                scale = math.exp(shared_beta)
            if normalized:
                effective = 0.0  # ⟨α|(∂U/∂w)²⟩; x² = 1
                for k in range(n_active):
                    for block in range(BLOCKS):
                        effective += store[active[k], A_I, block] * (g[block] * g[block])
                effective *= scale
                u = max(effective, u + (1.0 - gamma_lambda) * (effective - u))
                if u > 1.0:
                    shared_beta -= math.log(u)
                    scale /= u
            if not math.isfinite(delta + h_hat_delta + shared_beta + u):
                status[DIVERGED] = episode
                status[STEPS] += t + 1
                break

            if scale < SMALLEST_ALPHA:
                scale = 0.0
            # Where a feature is active in both states, ∂δ/∂w is the sum of both: one correction.
            for k in range(n_active):
                marks[active[k]] = -x[k]
            if not terminal:
                for k in range(n_following):
                    i = following[k]
                    if stamps[i] == status[STAMP]:  # else its trace is 0, and so is the correction
                        correct_h(i, scale * c, marks[i] + gamma * next_x[k], store)
                        marks[i] = 0.0
            for k in range(n_active):
                if marks[active[k]] != 0.0:
                    correct_h(active[k], scale * c, marks[active[k]], store)
                    marks[active[k]] = 0.0
            delta_w = 0.0 if flags[PREVIOUS_ALPHA] else delta
            if is_mixed:
                delta_hat = delta + h_hat_delta
                learn_mixed(n_touched, touched, scale * c, delta, delta_hat, delta_w, store)
            else:
                learn_vector(n_touched, touched, scale * c, delta, delta_w, store)

            n_active = n_following
            for k in range(n_following):
                active[k] = following[k]
                x[k] = next_x[k]
            if reached or out_of_time:
                returns[episode] = -(t + 1.0)
                lengths[episode] = t + 1
                status[STEPS] += t + 1
                break

        for k in range(n_touched):
            i = touched[k]
            last_step_before, last_step[i] = last_step[i], status[STEPS]
            if drifting:
                first_group = 1 if i >= FIRST_NOISE else 0
                visited += last_step_before == 0 and i < N_TILES
                for block in range(BLOCKS):
                    group = first_group + (2 if block > 0 else 0)
                    log_a = math.log(store[i, A_I, block])
                    if i != BIAS:
                        sums[group] += log_a - store[i, LOG_A, block]
                    store[i, LOG_A, block] = log_a
        if status[DIVERGED] >= 0:
            break
        if drifting:
            # The groups that `settings.BETA_GROUPS` names.
            beta_groups[episode, 0] = shared_beta + sums[0] / N_TILES
            beta_groups[episode, 1] = shared_beta + sums[1] / N_NOISE
            beta_groups[episode, 2] = shared_beta + sums[2] / (3 * N_TILES)
            beta_groups[episode, 3] = shared_beta + sums[3] / (3 * N_NOISE)
            beta_groups[episode, 4] = shared_beta + sums[0] / visited
            beta_groups[episode, 5] = shared_beta + sums[2] / (3 * visited)

    state[STATE_BETA], state[STATE_V], state[STATE_VISITED] = shared_beta, v_hat, visited
    status[UNIFORMS_USED], status[FLIPS_USED], status[NOISE_USED] = uniforms_used, flips_used, noise_used


def entry(
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
    """`run_episodes` behind plain C pointers."""
    run_episodes(
        episodes,
        numba.carray(flags, N_FLAGS),
        numba.carray(numbers, N_NUMBERS),
        numba.carray(state, N_STATE),
        numba.carray(starts, episodes),
        numba.carray(uniforms, episodes * TIME_LIMIT),
        numba.carray(flips, N_FEATURES),  # as long as it needs to be; nothing here asks for its length
        numba.carray(noise, episodes * (TIME_LIMIT + 1)),
        numba.carray(signs, N_TILES),
        numba.carray(store, (N_FEATURES, STORE_ROWS, BLOCKS)),
        numba.carray(integers, (INTEGER_ROWS, N_FEATURES)),
        numba.carray(scratch, (SCRATCH_ROWS, N_FEATURES)),
        numba.carray(returns, episodes),
        numba.carray(lengths, episodes),
        numba.carray(beta_groups, (episodes, N_GROUPS)),
        numba.carray(status, N_STATUS),
    )
