"""A compiled linear agent for vector and mixed Metatrace: dense over the weights touched in the episode.

A step changes z, z_β, v, β, α, h and w of every weight whose feature has been active in this episode, and
of no other (v aside, which decays by 1 − μ a step: a plain power, made up for when the feature is next
touched). All that belongs to a feature lies together in `store[feature]`, a row of weights, one per block,
for each kind. With three actions a pass over the touched features reads whole cache lines and works on four weights at
a time.

β_i = B + log a_i, where B holds what all weights share: log α₀ less the logarithms of all M for the vector
method, β̂ for the mixed one. So α_i = A·a_i with one factor A = e^B for all. A step changes log a by μΔ/v,
at most μ: a follows by a short series instead of an exponential. An A below 10⁻²⁹⁰ counts as 0: products
with smaller numbers are denormal, and ten times as slow.

Both traces decay by γλ a step: z = c·z′ and z_β = c·z_β′ with one c for all, which starts again at 1 before
it falls below 10⁻³ (`rebase`).

∂δ/∂w is not zero in a few places only: the pass over all touched weights leaves it out of h, and
`correct_h` adds its part.

The environment is the one that `make` is given. A function with `_of_blocks` makes one for so many blocks: the
compiler works on all weights of a row at a time only where their number is a constant.

The pass over all touched weights is most of a step's time: one pass tunes and learns. Learning needs M, M needs the
tuned α of the active weights, and `effective_step_size` works these out beforehand, a second time, without storing
them. The loops have no branches, so that the compiler can work on several weights at a time. Sums are kept block by
block: one sum over all would be a chain of additions that each wait for the last.
"""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

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
    NOISE_USED,
    PREVIOUS_ALPHA,
    STAMP,
    STATE_BETA,
    STATE_SUMS,
    STATE_V,
    STATE_VISITED,
    STEPS,
    STORE_ROWS,
    U_RATE,
    UNIFORMS_USED,
)

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "tuned_a": ("vector", "mixed"),
    "tuned_a_exactly": ("vector", "mixed"),
    "effective_step_size_of_blocks": ("vector", "mixed"),
    "tune": ("vector", "mixed"),
    "tune_and_learn_vector_of_blocks": ("vector",),
    "tune_and_learn_mixed_of_blocks": ("mixed",),
    "largest_change_of_blocks": ("vector-unnormalized", "mixed-unnormalized"),
    "tune_and_learn_unnormalized_of_blocks": ("vector-unnormalized", "mixed-unnormalized"),
    "tune_shared": ("mixed",),
    "tune_shared_unnormalized": ("mixed-unnormalized",),
    "products_with_h_hat_of_blocks": ("mixed", "mixed-unnormalized"),
}
# These may round a product and a sum together, once instead of twice.
compiled_fused = numba.njit(error_model="numpy", fastmath={"contract"})
fused = numba.njit(error_model="numpy", fastmath={"contract"}, inline="always")
VECTOR, VECTOR_UNNORMALIZED, MIXED, MIXED_UNNORMALIZED = (
    METHOD_CODES[method] for method in ("vector", "vector-unnormalized", "mixed", "mixed-unnormalized")
)
# Up to here the series of degree 6 is exact to the last digit or so.
SERIES_UP_TO = 2.0**-6
SMALLEST_ALPHA = 1e-290
REBASE_BELOW = 1e-3
# v = 0 means Δ_β = 0: no v is smaller than this, so that 0/0 is a 0 without a branch. A v above 1e-284 has
# nothing of it.
TINY = 1e-300

# Rows of `store`, a weight per block each: what lives on, and what lives for one episode.
W, H, A_I, V, Z, Z_BETA, H_HAT, LOG_A = range(8)
# Rows of `integers`
TOUCHED, STAMPS, ACTIVE, FOLLOWING, LAST_STEP = range(5)


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
def tuned_v(Delta_beta: float, v: float, mu: float) -> float:
    """Line 9 of algorithm 2: v ← max(|Δ_β|, v + μ(|Δ_β| − v)), but not below TINY."""
    size = abs(Delta_beta)
    slower = v + mu * (size - v)
    size += TINY
    return larger(size, slower)


@fused
def exactly_exp(x: float) -> float:
    """e^x for any x."""
    return short_exp(x) if abs(x) < SERIES_UP_TO else math.exp(x)


@fused
def tuned_a(i: int, block: int, delta_c: float, mu: float, store: Any) -> float:
    """What `tune` will make of a weight's a."""
    Delta_beta = store[i, Z_BETA, block] * delta_c
    v = tuned_v(Delta_beta, store[i, V, block], mu)
    return store[i, A_I, block] * short_exp(mu * Delta_beta / v)


@fused
def tuned_a_exactly(i: int, block: int, delta_c: float, mu: float, store: Any) -> float:
    """What `tune_exactly` will make of it, normalized."""
    Delta_beta = store[i, Z_BETA, block] * delta_c
    v = tuned_v(Delta_beta, store[i, V, block], mu)
    return store[i, A_I, block] * exactly_exp(mu * Delta_beta / v)


def effective_step_size_of_blocks(blocks: int) -> Callable[..., float]:
    """⟨a|(∂U/∂w)²⟩, a as tuning will leave it; x² = 1. Line 11 needs it before any weight can learn."""
    array_of_blocks = kernel_parts.array_of(blocks)

    @compiled_fused
    def effective_step_size(
        n_active: int, active: Any, g: Any, delta_c: float, mu: float, by_series: bool, store: Any
    ) -> float:
        a = array_of_blocks()
        for block in range(blocks):
            a[block] = 0.0
        if by_series:
            for k in range(n_active):
                i = active[k]
                for block in range(blocks):
                    a[block] += tuned_a(i, block, delta_c, mu, store)
        else:
            for k in range(n_active):
                i = active[k]
                for block in range(blocks):
                    a[block] += tuned_a_exactly(i, block, delta_c, mu, store)
        total = a[0] * (g[0] * g[0])
        for block in range(1, blocks):
            total += a[block] * (g[block] * g[block])
        return total

    return effective_step_size


@fused
def tune(i: Any, block: int, delta_c: float, scale_c: float, mu: float, store: Any) -> float:
    """Lines 8 to 10 for one weight: Δ_β = z_β δ, v, β += μ Δ_β / v. Returns α z. `scale_c` is A·c."""
    Delta_beta = store[i, Z_BETA, block] * delta_c
    v = tuned_v(Delta_beta, store[i, V, block], mu)
    store[i, V, block] = v
    growth = short_exp(mu * Delta_beta / v)
    # In this order all products but the last are done while the division runs.
    alpha_z = (store[i, A_I, block] * (scale_c * store[i, Z, block])) * growth
    store[i, A_I, block] *= growth
    return alpha_z


@fused
def tune_exactly(i: Any, block: int, delta_c: float, scale_c: float, mu: float, normalized: bool, store: Any) -> float:
    """The same for changes of any size, normalized or not."""
    Delta_beta = store[i, Z_BETA, block] * delta_c
    change = mu * Delta_beta
    if normalized:
        v = tuned_v(Delta_beta, store[i, V, block], mu)
        store[i, V, block] = v
        change /= v
    store[i, A_I, block] *= exactly_exp(change)
    return scale_c * store[i, A_I, block] * store[i, Z, block]


# Several functions, because the compiler works on several weights at a time only where the loop has no branch.
# `delta_w` is δ, or 0 where w has been changed already.
def tune_and_learn_vector_of_blocks(blocks: int) -> Callable[..., None]:
    """Lines 8 to 10, and line 14 without ∂δ/∂w: h ← h + α ⊙ z δ, w ← w + α ⊙ z δ."""

    @compiled_fused
    def tune_and_learn(
        n_touched: int, touched: Any, c: float, scale: float, delta: float, delta_w: float, mu: float, store: Any
    ) -> None:
        delta_c, scale_c = delta * c, scale * c
        for k in range(n_touched):
            i = np.uint64(touched[k])  # unsigned: numba need not ask whether it counts from the end
            for block in range(blocks):
                alpha_z = tune(i, block, delta_c, scale_c, mu, store)
                store[i, H, block] += alpha_z * delta
                store[i, W, block] += alpha_z * delta_w

    return tune_and_learn


def tune_and_learn_mixed_of_blocks(blocks: int) -> Callable[..., None]:
    """The same with ĥ ← ĥ + α z (δ + ⟨∂δ/∂w|ĥ⟩), the brackets in `delta_hat`."""

    @compiled_fused
    def tune_and_learn(
        n_touched: int,
        touched: Any,
        c: float,
        scale: float,
        delta: float,
        delta_hat: float,
        delta_w: float,
        mu: float,
        store: Any,
    ) -> None:
        delta_c, scale_c = delta * c, scale * c
        for k in range(n_touched):
            i = np.uint64(touched[k])
            for block in range(blocks):
                alpha_z = tune(i, block, delta_c, scale_c, mu, store)
                store[i, H, block] += alpha_z * delta
                store[i, W, block] += alpha_z * delta_w
                store[i, H_HAT, block] += alpha_z * delta_hat

    return tune_and_learn


def largest_change_of_blocks(blocks: int) -> Callable[..., float]:
    """The largest |μ Δ_β|: by how much an unnormalized step changes log a."""
    array_of_blocks = kernel_parts.array_of(blocks)

    @compiled_fused
    def largest_change(n_touched: int, touched: Any, delta_c: float, mu: float, store: Any) -> float:
        largest = array_of_blocks()
        for block in range(blocks):
            largest[block] = 0.0
        for k in range(n_touched):
            i = np.uint64(touched[k])
            for block in range(blocks):
                largest[block] = larger(abs(store[i, Z_BETA, block]), largest[block])
        total = largest[0]
        for block in range(1, blocks):
            total = larger(total, largest[block])
        return total * abs(mu * delta_c)

    return largest_change


def tune_and_learn_unnormalized_of_blocks(blocks: int) -> Callable[..., None]:
    """The same with β += μ Δ_β, where that is small; `delta_hat` is 0 for the vector method."""

    @compiled_fused
    def tune_and_learn(
        n_touched: int,
        touched: Any,
        c: float,
        scale: float,
        delta: float,
        delta_hat: float,
        delta_w: float,
        mu: float,
        store: Any,
    ) -> None:
        delta_c, scale_c = delta * c, scale * c
        for k in range(n_touched):
            i = np.uint64(touched[k])
            for block in range(blocks):
                store[i, A_I, block] *= short_exp(mu * (store[i, Z_BETA, block] * delta_c))
                alpha_z = store[i, A_I, block] * (scale_c * store[i, Z, block])
                store[i, H, block] += alpha_z * delta
                store[i, W, block] += alpha_z * delta_w
                store[i, H_HAT, block] += alpha_z * delta_hat

    return tune_and_learn


def tune_exactly_and_learn_of_blocks(blocks: int) -> Callable[..., None]:
    """Any of the above, for changes of any size, normalized or not."""

    @compiled_fused
    def tune_and_learn(
        n_touched: int,
        touched: Any,
        c: float,
        scale: float,
        delta: float,
        delta_hat: float,
        delta_w: float,
        mu: float,
        normalized: bool,
        is_mixed: bool,
        store: Any,
    ) -> None:
        delta_c, scale_c = delta * c, scale * c
        for k in range(n_touched):
            i = np.uint64(touched[k])
            for block in range(blocks):
                alpha_z = tune_exactly(i, block, delta_c, scale_c, mu, normalized, store)
                store[i, H, block] += alpha_z * delta
                store[i, W, block] += alpha_z * delta_w
                if is_mixed:
                    store[i, H_HAT, block] += alpha_z * delta_hat

    return tune_and_learn


def products_with_h_hat_of_blocks(blocks: int) -> Callable[..., tuple[float, float]]:
    """⟨∂U/∂w|ĥ⟩ and ⟨∂δ/∂w|ĥ⟩."""
    array_of_blocks = kernel_parts.array_of(blocks)

    @inlined
    def products_with_h_hat(
        n_active: int,
        active: Any,
        x: Any,
        n_following: int,
        following: Any,
        next_x: Any,
        terminal: bool,
        gamma: float,
        g: Any,
        store: Any,
    ) -> tuple[float, float]:
        h_hat = array_of_blocks()
        for block in range(blocks):
            h_hat[block] = 0.0
        for k in range(n_active):
            i = active[k]
            for block in range(blocks):
                h_hat[block] += x[k] * store[i, H_HAT, block]
        h_hat_U = g[0] * h_hat[0]
        for block in range(1, blocks):
            h_hat_U += g[block] * h_hat[block]
        h_hat_delta = -h_hat[0]
        if not terminal:
            next_h_hat = 0.0
            for k in range(n_following):
                next_h_hat += next_x[k] * store[following[k], H_HAT, 0]
            h_hat_delta += gamma * next_h_hat
        return h_hat_U, h_hat_delta

    return products_with_h_hat


@inlined
def tune_shared(
    delta: float, h_hat_U: float, gamma_lambda: float, mu: float, shared_beta: float, v_hat: float, z_beta_hat: float
) -> tuple[float, float, float]:
    """Algorithm 3's global part: β̂, v̂ and its trace after lines 7 to 10."""
    z_beta_hat = gamma_lambda * z_beta_hat + h_hat_U
    Delta_beta_hat = z_beta_hat * delta
    size = abs(Delta_beta_hat)
    v_hat = max(size, v_hat + mu * (size - v_hat))
    shared_beta += mu * Delta_beta_hat / (v_hat if v_hat > 0.0 else 1.0)
    return shared_beta, v_hat, z_beta_hat


@inlined
def tune_shared_unnormalized(
    delta: float, h_hat_U: float, gamma_lambda: float, mu: float, shared_beta: float, z_beta_hat: float
) -> tuple[float, float]:
    """The same without normalization: β̂ and its trace."""
    z_beta_hat = gamma_lambda * z_beta_hat + h_hat_U
    Delta_beta_hat = z_beta_hat * delta
    return shared_beta + mu * Delta_beta_hat, z_beta_hat


@inlined
def correct_h(i: int, h: float, grad_delta: float, scale_c: float, store: Any) -> None:
    """The part of line 14 that has ∂δ/∂w, for a value weight: h ← h + α z ∂δ/∂w h, the right h in `h`."""
    store[i, H, 0] += scale_c * store[i, A_I, 0] * store[i, Z, 0] * grad_delta * h


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
    n_actions, n_informative, first_noise = environment.n_actions, environment.n_informative, environment.first_noise
    n_noisy = n_features - first_noise
    array_of_blocks, array_of_actions = kernel_parts.array_of(blocks), kernel_parts.array_of(n_actions)
    softmax, is_finite = kernel_parts.softmax_over(n_actions), kernel_parts.is_finite_over(n_actions)
    choose, write_grad_U = kernel_parts.choose_among(n_actions), kernel_parts.write_grad_U_of(n_actions)
    effective_step_size = effective_step_size_of_blocks(blocks)
    tune_and_learn_vector = tune_and_learn_vector_of_blocks(blocks)
    tune_and_learn_mixed = tune_and_learn_mixed_of_blocks(blocks)
    tune_and_learn_unnormalized = tune_and_learn_unnormalized_of_blocks(blocks)
    tune_exactly_and_learn = tune_exactly_and_learn_of_blocks(blocks)
    largest_change = largest_change_of_blocks(blocks)
    products_with_h_hat = products_with_h_hat_of_blocks(blocks)

    @compiled
    def rebase(n_touched: int, touched: Any, c: float, store: Any) -> None:
        # Moves c into the traces.
        for k in range(n_touched):
            i = touched[k]
            for block in range(blocks):
                store[i, Z, block] *= c
                store[i, Z_BETA, block] *= c

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
        # Runs the episodes and stops where the run diverges.
        touched, stamps, active, following = (
            integers[TOUCHED],
            integers[STAMPS],
            integers[ACTIVE],
            integers[FOLLOWING],
        )
        last_step = integers[LAST_STEP]
        x, next_x, h_before, next_h_before = scratch[1], scratch[2], scratch[3], scratch[4]
        # A number per block: V and the logits, ∂U/∂w of a feature with value 1, and what a feature adds to z
        totals, g, new_z, pi = array_of_blocks(), array_of_blocks(), array_of_blocks(), array_of_actions()
        method, drifting = flags[METHOD], flags[DRIFTING]
        normalized = method in (VECTOR, MIXED)
        divides_overshoot = normalized and flags[DIVIDES_OVERSHOOT]
        is_mixed = method in (MIXED, MIXED_UNNORMALIZED)
        gamma, mu, u_rate = numbers[GAMMA], numbers[MU], numbers[U_RATE]
        gamma_lambda, log_constant = gamma * numbers[LAM], numbers[LOG_CONSTANT]
        shared_beta, v_hat = state[STATE_BETA], state[STATE_V]  # B and v̂
        by_series = mu <= SERIES_UP_TO  # normalized, no change of log a is larger
        log_v_decay = math.log(1.0 - mu) if mu < 1.0 else -math.inf
        uniforms_used, flips_used, noise_used = 0, 0, 0
        scale = math.exp(shared_beta)  # A
        # Of log a, over value/informative, value/noisy, policy/informative and policy/noisy weights
        sums, visited = state[STATE_SUMS:], int(state[STATE_VISITED])
        if status[STAMP] == 0:
            for i in range(n_features):
                for block in range(blocks):
                    store[i, A_I, block] = 1.0

        for episode in range(episodes):
            place = start(starts[episode])
            episode_return = 0.0
            n_touched = 0
            z_beta_hat, u = 0.0, 0.0
            c = 1.0
            status[STAMP] += 1
            first_step = status[STEPS]
            if flags[FORGET_H]:
                for i in range(n_features):
                    for block in range(blocks):
                        store[i, H, block] = 0.0
                        store[i, H_HAT, block] = 0.0
            n_active = observe(place, flags, numbers, signs, noise[noise_used], active, x)
            noise_used += drifting

            for t in range(time_limit):
                # A feature that is active for the first time in this episode is touched; its traces are 0.
                for k in range(n_active):
                    i = active[k]
                    if stamps[i] != status[STAMP]:
                        stamps[i] = status[STAMP]
                        touched[n_touched] = i
                        n_touched += 1
                        missed = first_step + t - last_step[i]
                        v_decay = math.exp(log_v_decay * missed) if missed > 0 else 1.0
                        for block in range(blocks):
                            store[i, V, block] *= v_decay

                # V and π
                for block in range(blocks):
                    totals[block] = 0.0
                for k in range(n_active):
                    i = active[k]
                    for block in range(blocks):
                        totals[block] += x[k] * store[i, W, block]
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
                    flips_used = drift_one_step(first_step + t, flips, flips_used, signs)
                n_following = observe(place, flags, numbers, signs, noise[noise_used], following, next_x)
                noise_used += drifting

                # δ
                delta = reward - totals[0]
                if not terminal:
                    next_value = 0.0
                    for k in range(n_following):
                        next_value += next_x[k] * store[following[k], W, 0]
                    delta += gamma * next_value

                # ∂U/∂w; z ← γλz + ∂U/∂w; z_β ← γλz_β + ∂U/∂w ⊙ h (line 7)
                write_grad_U(action, pi, log_constant, g)
                if terminal and flags[CUT_TERMINAL_TRACE]:
                    for k in range(n_touched):
                        for block in range(blocks):
                            store[touched[k], Z, block] = 0.0
                c *= gamma_lambda
                if c < REBASE_BELOW:
                    rebase(n_touched, touched, c, store)
                    c = 1.0
                inverse_c = 1.0 / c
                for k in range(n_active):
                    i = active[k]
                    for block in range(blocks):
                        new_z[block] = x[k] * inverse_c * g[block]
                    # Loops of their own: in one, the compiler would work on one weight at a time.
                    for block in range(blocks):
                        store[i, Z, block] += new_z[block]
                    for block in range(blocks):
                        store[i, Z_BETA, block] += new_z[block] * store[i, H, block]
                    h_before[k] = store[i, H, 0]

                h_hat_U, h_hat_delta = 0.0, 0.0
                if is_mixed:
                    h_hat_U, h_hat_delta = products_with_h_hat(
                        n_active, active, x, n_following, following, next_x, terminal, gamma, g, store
                    )
                if flags[PREVIOUS_ALPHA]:
                    for k in range(n_touched):
                        i = touched[k]
                        for block in range(blocks):
                            store[i, W, block] += store[i, A_I, block] * scale * c * store[i, Z, block] * delta

                # tune the global part, and M: lines 11 to 13. The vector part's lines 8 to 10 come with line 14.
                if method == MIXED:
                    shared_beta, v_hat, z_beta_hat = tune_shared(
                        delta, h_hat_U, gamma_lambda, mu, shared_beta, v_hat, z_beta_hat
                    )
                elif method == MIXED_UNNORMALIZED:
                    shared_beta, z_beta_hat = tune_shared_unnormalized(
                        delta, h_hat_U, gamma_lambda, mu, shared_beta, z_beta_hat
                    )
                if is_mixed:
                    scale = math.exp(shared_beta)
                if divides_overshoot:
                    effective = effective_step_size(n_active, active, g, delta * c, mu, by_series, store)
                    effective *= scale
                    u = max(effective, u + u_rate * (effective - u))
                    if u > 1.0:
                        shared_beta -= math.log(u)
                        scale /= u
                if not math.isfinite(delta + h_hat_delta + shared_beta + u):
                    status[DIVERGED] = episode
                    status[STEPS] += t + 1
                    break

                if scale < SMALLEST_ALPHA:
                    scale = 0.0
                # lines 8 to 10, and line 14; ∂δ/∂w = γ∂V′/∂w − ∂V/∂w multiplies h as it was
                if not terminal:
                    for k in range(n_following):
                        next_h_before[k] = store[following[k], H, 0]
                delta_hat = delta + h_hat_delta
                delta_w = 0.0 if flags[PREVIOUS_ALPHA] else delta
                if not normalized:
                    by_series = largest_change(n_touched, touched, delta * c, mu, store) <= SERIES_UP_TO
                if not by_series:
                    tune_exactly_and_learn(
                        n_touched, touched, c, scale, delta, delta_hat, delta_w, mu, normalized, is_mixed, store
                    )
                elif not normalized:
                    tune_and_learn_unnormalized(
                        n_touched,
                        touched,
                        c,
                        scale,
                        delta,
                        delta_hat if is_mixed else 0.0,
                        delta_w,
                        mu,
                        store,
                    )
                elif is_mixed:
                    tune_and_learn_mixed(n_touched, touched, c, scale, delta, delta_hat, delta_w, mu, store)
                else:
                    tune_and_learn_vector(n_touched, touched, c, scale, delta, delta_w, mu, store)
                for k in range(n_active):
                    correct_h(active[k], h_before[k], -x[k], scale * c, store)
                if not terminal:
                    for k in range(n_following):
                        correct_h(following[k], next_h_before[k], gamma * next_x[k], scale * c, store)

                n_active = n_following
                for k in range(n_following):
                    active[k] = following[k]
                    x[k] = next_x[k]
                if reached or out_of_time:
                    returns[episode] = episode_return
                    lengths[episode] = t + 1
                    status[STEPS] += t + 1
                    break

            for k in range(n_touched):
                i = touched[k]
                last_step_before, last_step[i] = last_step[i], status[STEPS]
                for block in range(blocks):
                    store[i, Z, block] = 0.0
                    store[i, Z_BETA, block] = 0.0
                if drifting:
                    first_group = 1 if i >= first_noise else 0
                    in_a_group = i < n_informative or i >= first_noise
                    visited += last_step_before == 0 and i < n_informative
                    for block in range(blocks):
                        group = first_group + (2 if block > 0 else 0)
                        log_a = math.log(store[i, A_I, block])
                        if in_a_group:
                            sums[group] += log_a - store[i, LOG_A, block]
                        store[i, LOG_A, block] = log_a
            if status[DIVERGED] >= 0:
                break
            if drifting:
                beta_groups[episode, 0] = shared_beta + sums[0] / n_informative
                beta_groups[episode, 1] = shared_beta + sums[1] / n_noisy
                beta_groups[episode, 2] = shared_beta + sums[2] / (n_actions * n_informative)
                beta_groups[episode, 3] = shared_beta + sums[3] / (n_actions * n_noisy)
                beta_groups[episode, 4] = shared_beta + sums[0] / visited
                beta_groups[episode, 5] = shared_beta + sums[2] / (n_actions * visited)

        state[STATE_BETA], state[STATE_V], state[STATE_VISITED] = shared_beta, v_hat, visited
        status[UNIFORMS_USED], status[FLIPS_USED], status[NOISE_USED] = uniforms_used, flips_used, noise_used

    return kernel_parts.entry_of(run_episodes, (n_features, STORE_ROWS, blocks), environment)
