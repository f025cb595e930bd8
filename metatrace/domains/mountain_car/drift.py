"""Drift and noise in the features (paper, section "Drifting Mountain Car"; reading R4).

Every tile feature has a sign. In each environment step each of the 1600 signs flips with probability
`rate`; signs live on from episode to episode. 32 noise features, each 0 or 1 with probability ½, are drawn
afresh for every observation.
"""

import numpy as np

from metatrace.domains.mountain_car.tiles import N_TILES

N_NOISE = 32


def flip_gaps(rng: np.random.Generator, rate: float, count: int) -> np.ndarray:
    """How many draws lie from one flip to the next, for `count` flips: (count,) int64, at least 1.

    N_TILES Bernoulli(rate) draws a step, one after another, are one long row of draws; the gaps between
    its successes are geometric. Drawing gaps draws exactly the same process with next to no draws.
    """
    return rng.geometric(rate, count)


def noise_words(rng: np.random.Generator, count: int) -> np.ndarray:
    """The noise of `count` observations: (count,) uint32; bit k is noise feature k."""
    return rng.integers(0, 2**32, count, dtype=np.uint32)


class Drift:
    """The signs of the tile features and the noise, a step at a time, for the agent to read."""

    def __init__(self, rate: float, flips: np.random.Generator, noise: np.random.Generator) -> None:
        self.rate = rate
        self.signs = np.ones(N_TILES)
        self._flips, self._noise = flips, noise
        self._next_flip = self._gap() - 1  # how many draws from the first draw of the next step

    def _gap(self) -> float:
        return int(flip_gaps(self._flips, self.rate, 1)[0]) if self.rate > 0 else np.inf

    def step(self) -> None:
        """One environment step: flips each sign with probability `rate`."""
        while self._next_flip < N_TILES:
            self.signs[int(self._next_flip)] *= -1
            self._next_flip += self._gap()
        self._next_flip -= N_TILES

    def noise(self) -> np.ndarray:
        """The noise features of one observation: (32,), 0 or 1."""
        word = int(noise_words(self._noise, 1)[0])
        return np.array([word >> bit & 1 for bit in range(N_NOISE)], float)
