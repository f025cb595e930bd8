"""What the compiled kernels share: environment, features, drift, and how they are called.

This module and the kernels need numba; only `object_code`, when it compiles, and the tests import them.
"""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types

from metatrace.domains.mountain_car import dynamics, layout, tiles
from metatrace.domains.mountain_car.drift import N_NOISE

compiled = numba.njit(error_model="numpy")
inlined = numba.njit(error_model="numpy", inline="always")
next_state = compiled(dynamics.next_state)
at_goal = compiled(dynamics.at_goal)
write_active_tiles = compiled(tiles.write_active_tiles)

N_TILES, N_TILINGS, TIME_LIMIT = tiles.N_TILES, tiles.N_TILINGS, dynamics.TIME_LIMIT
BIAS, FIRST_NOISE = layout.BIAS, layout.FIRST_NOISE

_f64, _i64 = types.CPointer(types.float64), types.CPointer(types.int64)
# episodes; flags, numbers, state; starts, uniforms, flips, noise, signs; store, integers, scratch;
# returns, lengths, beta, status
SIGNATURE = types.void(
    types.int64,
    *(_i64, _f64, _f64),
    *(_f64, _f64, _i64, _i64, _f64),
    *(_f64, _i64, _f64),
    *(_f64, _i64, _f64, _i64),
)


@compiled
def observe(
    position: float,
    velocity: float,
    tiles_per_range: float,
    has_bias: int,
    drifting: int,
    signs: Any,
    noise_word: int,
    active: Any,
    x: Any,
) -> int:
    """Writes the active features and their values; returns how many there are."""
    # Gymnasium's observation is float32.
    write_active_tiles(float(np.float32(position)), float(np.float32(velocity)), tiles_per_range, active)
    count = N_TILINGS
    for k in range(N_TILINGS):
        x[k] = signs[active[k]] if drifting else 1.0
    if has_bias:
        active[count] = BIAS
        x[count] = 1.0
        count += 1
    if drifting:
        # Written whether set or not, and kept if set: half of all branches on random bits go astray.
        for bit in range(N_NOISE):
            active[count] = FIRST_NOISE + bit
            x[count] = 1.0
            count += (noise_word >> bit) & 1
    return count


@compiled
def drift_one_step(step: int, flips: Any, used: int, signs: Any) -> int:
    """Flips the signs that flip in environment step `step`; returns how many flips are used up by then.

    `flips` holds, for every flip of the run from the first unused on, its place in the row of all draws:
    step · N_TILES + tile.
    """
    while flips[used] < (step + 1) * N_TILES:
        signs[flips[used] - step * N_TILES] *= -1.0
        used += 1
    return used


@inlined
def softmax(logit_0: float, logit_1: float, logit_2: float) -> tuple[float, float, float]:
    """π over the three actions."""
    highest = max(logit_0, logit_1, logit_2)
    pi_0 = math.exp(logit_0 - highest)
    pi_1 = math.exp(logit_1 - highest)
    pi_2 = math.exp(logit_2 - highest)
    total = pi_0 + pi_1 + pi_2
    return pi_0 / total, pi_1 / total, pi_2 / total


@inlined
def choose(uniform: float, pi_0: float, pi_1: float) -> int:
    """The action that a uniform number in [0, 1) picks."""
    if uniform < pi_0:
        return 0
    if uniform < pi_0 + pi_1:
        return 1
    return 2


@inlined
def write_grad_U(action: int, pi_0: float, pi_1: float, pi_2: float, log_constant: float, g: Any) -> float:
    """Writes ∂U/∂w of a feature with value 1, a number a block; returns the sum of their squares."""
    pi_action = pi_0 if action == 0 else pi_1 if action == 1 else pi_2
    scale = 0.5 * (pi_action / (pi_action + log_constant))
    g[0] = 1.0
    g[1] = scale * ((1.0 if action == 0 else 0.0) - pi_0)
    g[2] = scale * ((1.0 if action == 1 else 0.0) - pi_1)
    g[3] = scale * ((1.0 if action == 2 else 0.0) - pi_2)
    return 1.0 + g[1] * g[1] + g[2] * g[2] + g[3] * g[3]


def entry_of(run_episodes: Callable[..., None], store_shape: tuple[int, int, int]) -> Callable[..., None]:
    """A kernel's `run_episodes` behind plain C pointers, for `object_code`; `store` has that shape."""

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
        run_episodes(
            episodes,
            numba.carray(flags, layout.N_FLAGS),
            numba.carray(numbers, layout.N_NUMBERS),
            numba.carray(state, layout.N_STATE),
            numba.carray(starts, episodes),
            numba.carray(uniforms, episodes * TIME_LIMIT),
            # As long as it needs to be; nothing here asks for its length.
            numba.carray(flips, layout.N_FEATURES),
            numba.carray(noise, episodes * (TIME_LIMIT + 1)),
            numba.carray(signs, N_TILES),
            numba.carray(store, store_shape),
            numba.carray(integers, (layout.INTEGER_ROWS, layout.N_FEATURES)),
            numba.carray(scratch, (layout.SCRATCH_ROWS, layout.N_FEATURES)),
            numba.carray(returns, episodes),
            numba.carray(lengths, episodes),
            numba.carray(beta_groups, (episodes, layout.N_GROUPS)),
            numba.carray(status, layout.N_STATUS),
        )

    return entry
