"""Runs the compiled agent: sets its arrays up, feeds it random numbers, collects what it did."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from metatrace.compiled import layout, object_code
from metatrace.domains.mountain_car import drift
from metatrace.domains.mountain_car.dynamics import START_HIGH, START_LOW, TIME_LIMIT
from metatrace.domains.mountain_car.features import BIAS, BLOCKS, FIRST_NOISE, N_FEATURES
from metatrace.domains.mountain_car.settings import (
    Settings,
    Streams,
    Training,
    empty_training,
    random_streams,
)
from metatrace.domains.mountain_car.tiles import N_TILES, TILES_PER_RANGE
from metatrace.methods import METHODS

# So many episodes a call: progress shows, and the random numbers of a call stay in cache.
_EPISODES_PER_CALL = 50
_CACHE_LINE = 64  # bytes
_NEVER = np.iinfo(np.int64).max


def load(path: Path, kernel: str) -> Callable[..., None]:
    """Loads a kernel of mountain car: a function of the number of episodes and the addresses of its arrays.

    Raises:
      UserError: the file is missing, damaged or another kernel's.
    """
    return object_code.load(path, kernel, integers=1, pointers=layout.N_ARRAYS)


class _Randomness:
    """The random numbers of a run, drawn ahead; what a call leaves over goes into the next."""

    def __init__(self, streams: Streams, settings: Settings) -> None:
        self.streams, self.settings = streams, settings
        self.uniforms = np.empty(0)
        self.noise = np.empty(0, np.int64) if settings.drifting else np.zeros(1, np.int64)
        # Places in the row of all draws, N_TILES a step; the last is beyond what the next call can reach.
        self.flips = np.empty(0, np.int64) if settings.drift > 0 else np.array([_NEVER])
        self._last_flip = -1

    def draw(self, episodes: int, steps_so_far: int) -> np.ndarray:
        """Draws what `episodes` episodes can need; returns their starting positions."""
        starts = self.streams.starts.uniform(START_LOW, START_HIGH, episodes)
        steps = episodes * TIME_LIMIT
        missing = max(steps - len(self.uniforms), 0)
        self.uniforms = np.concatenate([self.uniforms, self.streams.policy.random(missing)])
        if self.settings.drifting:
            missing = max(steps + episodes - len(self.noise), 0)
            words = drift.noise_words(self.streams.noise, missing).astype(np.int64)
            self.noise = np.concatenate([self.noise, words])
        if self.settings.drift > 0:
            while self._last_flip < (steps_so_far + steps) * N_TILES:
                gaps = drift.flip_gaps(self.streams.flips, self.settings.drift, 256)
                places = self._last_flip + np.cumsum(gaps)
                self.flips = np.concatenate([self.flips, places])
                self._last_flip = int(places[-1])
        return starts

    def discard(self, status: np.ndarray) -> None:
        """Forgets what a call has used."""
        self.uniforms = self.uniforms[status[layout.UNIFORMS_USED] :]
        if self.settings.drifting:
            self.noise = self.noise[status[layout.NOISE_USED] :]
            self.flips = self.flips[status[layout.FLIPS_USED] :]


def train(
    kernel: Callable[..., None], settings: Settings, progress: Callable[[int], None] = lambda episodes: None
) -> Training:
    """The same training as `plain.train`, by the method's compiled kernel (see `load`)."""
    numbers = np.zeros(layout.N_NUMBERS)
    numbers[layout.GAMMA], numbers[layout.LAM], numbers[layout.MU] = settings.gamma, settings.lam, settings.mu
    numbers[layout.ENVIRONMENT_NUMBER] = TILES_PER_RANGE[settings.readings["tile_width"]]
    numbers[layout.LOG_CONSTANT] = 1e-8 if settings.readings["log_policy"] == "plus_1e-8" else 0.0
    forgets_u = settings.readings["overshoot_divisor"] == "present_step"
    numbers[layout.U_RATE] = 1.0 if forgets_u else 1.0 - settings.gamma * settings.lam
    state = np.zeros(layout.N_STATE)
    state[layout.STATE_BETA], state[layout.STATE_ALPHA] = np.log(settings.alpha), settings.alpha
    flags, signs = _flags(settings), np.ones(N_TILES)
    store = _in_whole_cache_lines(layout.STORE_ROWS * N_FEATURES * BLOCKS)
    integers = np.zeros((layout.INTEGER_ROWS, N_FEATURES), np.int64)
    scratch = np.zeros((layout.SCRATCH_ROWS, N_FEATURES))
    status = np.zeros(layout.N_STATUS, np.int64)
    status[layout.DIVERGED] = -1

    randomness = _Randomness(random_streams(settings.seed), settings)
    training = empty_training(settings)
    beta = np.zeros((settings.episodes, layout.N_GROUPS)) if training.beta is None else training.beta
    for first in range(0, settings.episodes, _EPISODES_PER_CALL):
        episodes = min(_EPISODES_PER_CALL, settings.episodes - first)
        starts = randomness.draw(episodes, int(status[layout.STEPS]))
        arrays = (
            *(flags, numbers, state),
            *(starts, randomness.uniforms, randomness.flips, randomness.noise, signs),
            *(store, integers, scratch),
            *(training.returns[first:], training.lengths[first:], beta[first:], status),
        )
        kernel(episodes, *(array.ctypes.data for array in arrays))
        randomness.discard(status)
        if status[layout.DIVERGED] >= 0:
            diverged = training.diverged_episode = first + int(status[layout.DIVERGED])
            if diverged > 0:
                beta[diverged:] = beta[diverged - 1]
            break
        progress(episodes)
    training.weights = _weights(store, settings)
    training.steps = int(status[layout.STEPS])
    return training


def _in_whole_cache_lines(size: int) -> np.ndarray:
    """Zeros that begin where a cache line does, so that no row of four weights lies in two of them."""
    zeros = np.zeros(size + _CACHE_LINE // 8)
    first = -zeros.ctypes.data % _CACHE_LINE // 8
    return zeros[first : first + size]


def _flags(settings: Settings) -> np.ndarray:
    reading = settings.readings
    flags = np.zeros(layout.N_FLAGS, np.int64)
    flags[layout.METHOD] = layout.METHOD_CODES[settings.method]
    flags[layout.NORMALISER] = layout.NORMALISERS.index(reading["nosid_normaliser"])
    flags[layout.ENVIRONMENT_FLAG] = settings.has_bias
    flags[layout.DRIFTING] = settings.drifting
    flags[layout.BOOTSTRAP_TIME_LIMIT] = reading["time_limit"] == "bootstrap"
    flags[layout.PREVIOUS_ALPHA] = reading["weight_update"] == "previous_step_size"
    flags[layout.CUT_TERMINAL_TRACE] = reading["terminal_trace"] == "cut"
    flags[layout.FORGET_H] = reading["h_lifetime"] == "episode"
    flags[layout.DIVIDES_OVERSHOOT] = reading["overshoot_divisor"] != "absent"
    return flags


def _weights(store: np.ndarray, settings: Settings) -> np.ndarray:
    """The weights as the plain agent has them: (1 + actions, features), without unused features."""
    if METHODS[settings.method].kernels["mountain_car"] == "lazy_kernel":
        weights = store.reshape(layout.STORE_ROWS, N_FEATURES, BLOCKS)[0].T
    else:
        weights = store.reshape(N_FEATURES, layout.STORE_ROWS, BLOCKS)[:, 0].T
    used = np.ones(N_FEATURES, bool)
    used[BIAS] = settings.has_bias
    used[FIRST_NOISE:] = settings.drifting
    return weights[:, used].copy()
