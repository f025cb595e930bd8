"""Tile coding of observations with any number of dimensions."""

from collections.abc import Sequence

import numpy as np


class Tiles:
    """Binary features: of each tiling of each group of numbers, 1 for the tile that an observation lies in.

    A tiling of d numbers has tiles^d tiles. Its tiles are 1/(tiles − 1) of each range wide, so that tilings which are
    displaced by up to a tile still cover it; tiling i is displaced by ((2k + 1) i mod tilings)/tilings of a tile in
    its k-th number.

    Args:
      low, high: the range of each number of an observation.
      tiles: at least 2. tilings: at least 1.
      groups: the places of the numbers that are tiled together; empty: all of them.
    """

    def __init__(
        self,
        low: Sequence[float],
        high: Sequence[float],
        *,
        tiles: int,
        tilings: int,
        groups: Sequence[Sequence[int]] = (),
    ) -> None:
        self._low, self._range = np.array(low, float), np.array(high, float) - np.array(low, float)
        self._tiles, self._tilings = tiles, np.arange(tilings)
        self._groups = [np.array(group) for group in groups or [range(len(low))]]
        self.n_features = sum(tilings * tiles ** len(group) for group in self._groups)

    def __call__(self, observation: np.ndarray) -> np.ndarray:
        """x: (features,), 0 or 1."""
        x, first = np.zeros(self.n_features), 0
        places = np.clip((np.asarray(observation, float) - self._low) / self._range, 0, 1) * (self._tiles - 1)
        for group in self._groups:
            count = len(self._tilings)
            displaced = np.outer(self._tilings, 2 * np.arange(len(group)) + 1) % count / count
            tile = np.minimum((places[group] + displaced).astype(int), self._tiles - 1)
            size = self._tiles ** len(group)
            x[first + self._tilings * size + tile @ self._tiles ** np.arange(len(group))] = 1
            first += count * size
        return x
