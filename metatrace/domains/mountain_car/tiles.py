"""Tile coding: 16 tilings of 10×10 tiles over position and velocity, 1600 binary features.

Tile width is range/9 in both dimensions and tiling i is displaced by i/16 of a tile, so that every
state lies in exactly one tile of each tiling (reading R2). No hashing.
"""

from typing import Any

import numpy as np

from metatrace.domains.mountain_car.dynamics import MAX_POSITION, MAX_SPEED, MIN_POSITION

N_TILINGS = 16
TILES_PER_DIMENSION = 10
N_TILES = N_TILINGS * TILES_PER_DIMENSION**2
TILES_PER_RANGE = {"range/9": 9.0, "range/10": 10.0}


def write_active_tiles(position: float, velocity: float, tiles_per_range: float, active: Any) -> None:
    """Writes the index of the active tile of each tiling into `active[:16]`.

    Args:
      position, velocity: the observation, which Gymnasium rounds to float32.
      tiles_per_range: 9 or 10, reading R2.
      active: at least 16 integers; tiling i's tile is i·100 + 10·column + row.
    """
    x = (position - MIN_POSITION) / (MAX_POSITION - MIN_POSITION) * tiles_per_range
    y = (velocity + MAX_SPEED) / (2 * MAX_SPEED) * tiles_per_range
    for tiling in range(N_TILINGS):
        offset = tiling / N_TILINGS
        # float32 rounds −1.2 and −0.07 to just below the range: int() cuts towards 0, where floor
        # would name a tile −1.
        column = min(int(x + offset), TILES_PER_DIMENSION - 1)
        row = min(int(y + offset), TILES_PER_DIMENSION - 1)
        active[tiling] = tiling * TILES_PER_DIMENSION**2 + column * TILES_PER_DIMENSION + row


def active_tiles(observation: np.ndarray, tile_width: str = "range/9") -> np.ndarray:
    """The 16 active features of an observation (position, velocity): (16,) int64, one per tiling."""
    active = np.empty(N_TILINGS, np.int64)
    write_active_tiles(float(observation[0]), float(observation[1]), TILES_PER_RANGE[tile_width], active)
    return active
