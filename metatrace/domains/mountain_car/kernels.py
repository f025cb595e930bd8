"""Mountain car as the compiled kernels take it, and the kernels themselves, for numba."""

from functools import partial
from typing import Any

import numpy as np

from metatrace.compiled import lazy_kernel, packed_kernel
from metatrace.compiled.linear_agent import Run, compiled, make_kernel, signature_of
from metatrace.domains.mountain_car import dynamics, tiles
from metatrace.domains.mountain_car.drift import N_NOISE
from metatrace.domains.mountain_car.features import BIAS, FIRST_NOISE, RECORD

N_TILES, N_TILINGS = tiles.N_TILES, tiles.N_TILINGS
next_state = compiled(dynamics.next_state)
at_goal = compiled(dynamics.at_goal)
write_active_tiles = compiled(tiles.write_active_tiles)


@compiled
def start(position: float) -> tuple[float, float]:
    """At rest."""
    return position, 0.0


@compiled
def reward(state: tuple[float, float]) -> float:
    """Every step costs 1."""
    return -1.0


@compiled
def observe(state: tuple[float, float], run: Run, noise_word: int, active: Any, x: Any) -> int:
    """Writes the active features and their values; returns how many there are."""
    drifting = run.drifting
    # Gymnasium's observation is float32.
    position, velocity = float(np.float32(state[0])), float(np.float32(state[1]))
    write_active_tiles(position, velocity, run.tiles_per_range, active)
    count = N_TILINGS
    for k in range(N_TILINGS):
        x[k] = run.signs[active[k]] if drifting else 1.0
    if run.has_bias:
        active[count] = BIAS
        x[count] = 1.0
        count += 1
    if drifting:
        # Write the bit unconditionally and advance the count by it: a branch on a random bit mispredicts half the time.
        for bit in range(N_NOISE):
            active[count] = FIRST_NOISE + bit
            x[count] = 1.0
            count += (noise_word >> bit) & 1
    return count


@compiled
def drift_one_step(step: int, flips: Any, used: int, signs: Any) -> int:
    """Flips the signs that flip in step `step` of the run; returns how many flips are used up by then."""
    while flips[used] < (step + 1) * N_TILES:
        signs[flips[used] - step * N_TILES] *= -1.0
        used += 1
    return used


SIGNATURE = signature_of(RECORD)
make = partial(
    make_kernel,
    start=start,
    next_state=next_state,
    reward=reward,
    is_over=at_goal,
    observe=observe,
    drift=drift_one_step,
    time_limit=dynamics.TIME_LIMIT,
)
lazy = make(lazy_kernel)
packed = make(packed_kernel)
