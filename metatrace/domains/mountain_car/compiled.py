"""Runs the compiled agent: fills its record, feeds it random numbers, collects what it did."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from metatrace.agents.linear import Training
from metatrace.compiled import layout, object_code
from metatrace.domains.linear_runs import GAMMA, LAM
from metatrace.domains.mountain_car import drift
from metatrace.domains.mountain_car.dynamics import START_HIGH, START_LOW, TIME_LIMIT
from metatrace.domains.mountain_car.features import BIAS, FIRST_NOISE, N_FEATURES, RECORD
from metatrace.domains.mountain_car.settings import Settings, empty_training, random_streams
from metatrace.domains.mountain_car.tiles import N_TILES, TILES_PER_RANGE

_EPISODES_PER_CALL = layout.EPISODES
_CACHE_LINE = 64  # bytes
_NEVER = np.iinfo(np.int64).max


def load(path: Path, kernel: str) -> Callable[..., None]:
    """Loads a kernel of mountain car: a function of the number of episodes and the addresses of a record and of flips.

    Raises:
      UserError: the file is missing, damaged or another kernel's.
    """
    return object_code.load(path, kernel, integers=1, pointers=2)


def random_numbers(run: Any, settings: Settings) -> Iterator[np.ndarray]:
    """Draws those of one call after another, and yields the flips; what a call leaves over goes into the next."""
    streams = random_streams(settings.seed)
    draws: dict[str, Callable[[int], np.ndarray]] = {
        "starts": lambda count: streams.starts.uniform(START_LOW, START_HIGH, count),
        "uniforms": streams.policy.random,
        "noise": lambda count: drift.noise_words(streams.noise, count),
    }
    # Places in the row of all draws, N_TILES a step; the last is beyond what the next call can reach.
    flips, last = np.full(1 if settings.drift == 0 else 0, _NEVER), -1
    while True:
        for name, draw in draws.items():
            numbers, used = run[name], run[f"{name}_used"]
            left = len(numbers) - used
            numbers[:left] = numbers[used:]
            numbers[left:] = draw(used)
        flips = flips[run["flips_used"] :]
        while settings.drift > 0 and last < (run["steps"] + layout.EPISODES * TIME_LIMIT) * N_TILES:
            places = last + np.cumsum(drift.flip_gaps(streams.flips, settings.drift, 256))
            flips, last = np.concatenate([flips, places]), int(places[-1])
        yield flips


def train(
    kernel: Callable[..., None], settings: Settings, progress: Callable[[int], None] = lambda episodes: None
) -> Training:
    """The same training as `plain.train`, by the method's compiled kernel (see `load`)."""
    own = {"method": layout.METHODS.index(settings.method), "log_constant": settings.log_constant}
    return train_by_record(kernel, settings, progress, RECORD, own)


def train_by_record(
    kernel: Callable[..., None],
    settings: Settings,
    progress: Callable[[int], None],
    kind: np.dtype[np.void],
    own: Mapping[str, float],
) -> Training:
    """A training by a kernel that works on a record of some kind.

    Args:
      own: the fields of that record which only its methods have, and any that are other than usual.
    """
    run, training = _record(settings, kind, own), empty_training(settings)
    calls = range(0, settings.episodes, _EPISODES_PER_CALL)
    for first, flips in zip(calls, random_numbers(run, settings), strict=False):
        episodes = min(_EPISODES_PER_CALL, settings.episodes - first)
        kernel(episodes, run.ctypes.data, flips.ctypes.data)
        diverged = int(run["diverged"])
        finished = episodes if diverged < 0 else diverged
        new = slice(first, first + finished)
        training.returns[new], training.lengths[new] = run["returns"][:finished], run["lengths"][:finished]
        if training.beta is not None:
            training.beta[new] = run["beta_groups"][:finished]
        if diverged >= 0:
            training.stop_at(first + diverged)
            break
        progress(episodes)
    used_features = np.ones(N_FEATURES, bool)
    used_features[BIAS] = settings.has_bias
    used_features[FIRST_NOISE:] = settings.drifting
    weights = run["store"][:, 0].T.reshape(-1, N_FEATURES)  # by block, or by action
    training.weights, training.steps = weights[:, used_features], int(run["steps"])
    return training


def _record(settings: Settings, kind: np.dtype[np.void], own: Mapping[str, float]) -> Any:
    """The record at the run's start; no row of four weights in it lies in two cache lines."""
    bytes_ = np.zeros(kind.itemsize + _CACHE_LINE, np.uint8)
    first = -bytes_.ctypes.data % _CACHE_LINE
    run = bytes_[first : first + kind.itemsize].view(kind).reshape(())
    reading = settings.readings
    for name, value in {
        "normaliser": layout.NORMALISERS.index(reading["nosid_normaliser"]),
        "drifting": settings.drifting,
        "divides_overshoot": reading["overshoot_divisor"] != "absent",
        "first_noise": FIRST_NOISE,
        "bootstraps_time_limit": settings.bootstraps_time_limit,
        "uses_previous_alpha": reading["weight_update"] == "previous_step_size",
        "cuts_terminal_trace": settings.cuts_terminal_trace,
        "forgets_h": reading["h_lifetime"] == "episode",
        "gamma": GAMMA,
        "gamma_lambda": GAMMA * LAM,
        "mu": settings.mu,
        "u_rate": 1.0 if reading["overshoot_divisor"] == "present_step" else 1.0 - GAMMA * LAM,
        "has_bias": settings.has_bias,
        "tiles_per_range": TILES_PER_RANGE[reading["tile_width"]],
        "beta": np.log(settings.alpha),
        "alpha": settings.alpha,
        "diverged": -1,
        "signs": 1.0,
        **{f"{name}_used": len(run[name]) for name in ("starts", "uniforms", "noise")},
        **own,
    }.items():
        run[name] = value
    return run
