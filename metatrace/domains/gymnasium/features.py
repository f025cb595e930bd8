"""What an agent sees of an observation: its numbers scaled by their ranges, and features of these."""

import math
from itertools import combinations, product
from typing import Any, Protocol

import numpy as np

TILINGS, TILES = 8, 4
MOST_TILES, MOST_WAVES = 4096, 1024
ORDERS = range(7, 0, -1)
_NARROWEST = 1e-300  # 1 over less might be infinite
_UNBOUNDED = 1e30  # some spaces have the largest float32 where they mean infinity


class Features(Protocol):
    """x of an observation: (n_features,). Called once for each observation, in order."""

    n_features: int

    def __call__(self, observation: Any) -> np.ndarray: ...


class OneHot:
    """Of a whole number from `start` up to below start + n: 1 for it, 0 for all others."""

    def __init__(self, n: int, start: int = 0) -> None:
        self.n_features, self._start = n, start

    def __call__(self, observation: Any) -> np.ndarray:
        x = np.zeros(self.n_features)
        x[int(observation) - self._start] = 1
        return x


class Ranges:
    """The place of each number of an observation in its range, from 0 to 1; what lies beyond counts as the edge.

    An infinite bound is learned: it is ±2^k, with the least k such that every such number seen so far lies within. So
    it moves a few times while the first observations come in, and hardly ever after that.

    Args:
      low, high: of the observations' space, of any shape.
    """

    def __init__(self, low: np.ndarray, high: np.ndarray) -> None:
        self._low, self._high = (np.array(bound, float).ravel() for bound in (low, high))
        self._open_low, self._open_high = self._low < -_UNBOUNDED, self._high > _UNBOUNDED
        self._learns = bool((self._open_low | self._open_high).any())
        self._largest = np.zeros(len(self._low))
        self._bound()

    def _bound(self) -> None:
        self._low[self._open_low] = -self._largest[self._open_low]
        self._high[self._open_high] = self._largest[self._open_high]
        width = self._high - self._low
        self._per_unit = np.divide(1, width, out=np.zeros_like(width), where=width > _NARROWEST)

    def __call__(self, observation: Any) -> np.ndarray:
        """(numbers,), each from 0 to 1."""
        numbers = np.asarray(observation, float).ravel()
        if self._learns and (abs(numbers) > self._largest).any():
            power = np.ldexp(1.0, np.frexp(numbers)[1])
            self._largest = np.where(abs(numbers) > self._largest, power, self._largest)
            self._bound()
        return np.minimum(np.maximum((numbers - self._low) * self._per_unit, 0), 1)


class Tiles:
    """Binary features: 8 tilings of each group of numbers, and of each 1 for the tile that an observation lies in.

    A group is all numbers, or each pair of them, or each number: the largest groups that make at most 4096 tiles. A
    tiling of k numbers has 4^k tiles. These are a third of a range wide, so that tilings which are displaced by up to a
    tile still cover it; tiling i is displaced by ((2j + 1) i mod 8)/8 of a tile in its jth number (Sutton and Barto,
    Reinforcement Learning, section 9.5.4).

    Args:
      n: how many numbers; each is from 0 to 1.
    """

    def __init__(self, n: int) -> None:
        size = max((size for size in {n, 2, 1} if _n_tiles(n, size) <= MOST_TILES), default=1)
        self.n_features = _n_tiles(n, size)
        self._groups = np.array(list(combinations(range(n), size)))
        tiling = np.arange(TILINGS)
        self._displaced = (np.outer(tiling, 2 * np.arange(size) + 1) % TILINGS / TILINGS)[:, None]
        self._weights = TILES ** np.arange(size)
        first = np.arange(TILINGS * len(self._groups)) * TILES**size
        self._first = first.reshape(TILINGS, len(self._groups))

    def __call__(self, places: np.ndarray) -> np.ndarray:
        tile = np.minimum(((TILES - 1) * places[self._groups] + self._displaced).astype(int), TILES - 1)
        x = np.zeros(self.n_features)
        x[self._first + tile @ self._weights] = 1
        return x


def _n_tiles(n: int, size: int) -> int:
    return TILINGS * math.comb(n, size) * TILES**size if size <= n else MOST_TILES + 1


class Fourier:
    """The Fourier basis of numbers from 0 to 1: xᵢ = cos(π⟨cᵢ|s⟩) / √‖cᵢ‖, and 1 for c = 0.

    Konidaris, Osentoski and Thomas (2011), equation 3. Their step-sizes α/‖cᵢ‖ are here in the features: a weight's
    change has the feature as a factor, and so has what it does to the value. The coefficients c are all those of whole
    numbers from 0 to the order, which is the largest up to 7 that makes at most 1024 features. Where even order 1
    makes more, each wave is of one number, and the order is 7.

    Args:
      n: how many numbers.
    """

    def __init__(self, n: int) -> None:
        order = next((order for order in ORDERS if (order + 1) ** n <= MOST_WAVES), None)
        if order is not None:
            c = np.array(list(product(range(order + 1), repeat=n)), float)
        else:
            c = np.concatenate([np.zeros((1, n)), *(k * np.eye(n) for k in range(1, ORDERS[0] + 1))])
        self.n_features = len(c)
        length = np.linalg.norm(c, axis=1)
        self._c, self._scale = np.pi * c, 1 / np.sqrt(np.where(length > 0, length, 1))

    def __call__(self, places: np.ndarray) -> np.ndarray:
        return self._scale * np.cos(self._c @ places)


class Numbers:
    """The numbers themselves, from −1 to 1, for a network.

    Args:
      n: how many numbers; each is from 0 to 1.
    """

    def __init__(self, n: int) -> None:
        self.n_features = n

    def __call__(self, places: np.ndarray) -> np.ndarray:
        return 2 * places - 1


_BASES: dict[str, Any] = {"tiles": Tiles, "fourier": Fourier, "network": Numbers}


class OfRanges:
    """A basis of `_BASES` over the ranges of a box.

    Args:
      space: a Box of Gymnasium.
    """

    def __init__(self, basis: str, space: Any) -> None:
        self._ranges = Ranges(space.low, space.high)
        self._basis = _BASES[basis](math.prod(space.shape))
        self.n_features: int = self._basis.n_features

    def __call__(self, observation: Any) -> np.ndarray:
        made: np.ndarray = self._basis(self._ranges(observation))
        return made


def features_of(answer: str, space: Any) -> Features:
    """The features of observations in a space of Gymnasium, a Box or a Discrete; `answer` is that to the reading."""
    if hasattr(space, "n"):
        return OneHot(int(space.n), int(space.start))
    return OfRanges(answer, space)
