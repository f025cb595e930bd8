"""Runs the compiled TD(λ): fills its record, feeds it random numbers, collects what it did."""

from collections.abc import Callable
from typing import Any

import numpy as np

from metatrace import numbers
from metatrace.agents.prediction import Training
from metatrace.compiled import layout
from metatrace.compiled.prediction_layout import TIDBD_METHODS
from metatrace.domains.linear_runs import GAMMA, LAM
from metatrace.domains.mountain_car.compiled import random_numbers
from metatrace.domains.mountain_car.features import BIAS, FIRST_NOISE
from metatrace.domains.mountain_car.settings import Settings
from metatrace.domains.mountain_car.tiles import N_TILES, TILES_PER_RANGE
from metatrace.domains.prediction.layout import RECORD
from metatrace.domains.prediction.settings import empty_training
from metatrace.methods import UNTUNED, complete_hyper

_EPISODES_PER_CALL = layout.EPISODES
_CACHE_LINE = 64  # bytes
_A_I = 2  # row of `store`: a_i, of the methods with a step-size for each weight


def train(
    kernel: Callable[..., None], settings: Settings, progress: Callable[[int], None] = lambda episodes: None
) -> Training:
    """The same training as `plain.train`, by the method's compiled kernel (see `mountain_car.compiled.load`)."""
    run, training = _record(settings), empty_training(settings)
    calls = range(0, settings.episodes, _EPISODES_PER_CALL)
    for first, flips in zip(calls, random_numbers(run, settings), strict=False):
        episodes = min(_EPISODES_PER_CALL, settings.episodes - first)
        kernel(episodes, run.ctypes.data, flips.ctypes.data)
        if run["diverged"] >= 0 and training.diverged_episode is None:
            training.diverged_episode = first + int(run["diverged"])
        new = slice(first, first + episodes)
        training.losses[new] = np.sqrt(run["squared_errors"][:episodes])
        training.returns[new], training.lengths[new] = run["returns"][:episodes], run["lengths"][:episodes]
        progress(episodes)
    noise = slice(FIRST_NOISE, None)
    weights = run["store"][:, 0, 0]
    training.weights = np.concatenate([weights[:BIAS], weights[noise] if settings.drifting else []])
    if training.diverged_episode is not None:
        return training
    alpha = _step_sizes(run, settings)
    of_groups = (alpha[:N_TILES][run["stamps"][:N_TILES] > 0], alpha[noise])
    training.step_sizes = np.array([of_group.mean() for of_group in of_groups[: len(training.step_sizes)]])
    return training


def _step_sizes(run: Any, settings: Settings) -> np.ndarray:
    """α of every weight: (features,)."""
    shared = np.exp(run["beta"])
    if settings.method in (UNTUNED, "scalar"):
        return np.full(len(run["store"]), shared)
    return np.asarray(shared * run["store"][:, _A_I, 0])


def _record(settings: Settings) -> Any:
    """The record at the run's start; no feature's row of its store lies in two cache lines."""
    bytes_ = np.zeros(RECORD.itemsize + _CACHE_LINE, np.uint8)
    first = -bytes_.ctypes.data % _CACHE_LINE
    run = bytes_[first : first + RECORD.itemsize].view(RECORD).reshape(())
    reading = settings.readings
    if settings.method in TIDBD_METHODS:
        tokens = complete_hyper(settings.method, settings.hyper, "hyper")
        run["tidbd_method"] = TIDBD_METHODS.index(settings.method)
        run["tau"] = numbers.parse(tokens.get("tau", "0"), "tau", zero=True)
        run["eta_0"] = 1.0 if reading["autotidbd_eta"] == "one" else 0.0
    else:
        run["method"] = layout.METHODS.index(settings.method)
    for name, value in {
        "drifting": settings.drifting,
        "divides_overshoot": reading["overshoot_divisor"] != "absent",
        "first_noise": FIRST_NOISE,
        "uses_previous_alpha": reading["weight_update"] == "previous_step_size",
        "cuts_terminal_trace": settings.cuts_terminal_trace,
        "forgets_h": reading["h_lifetime"] == "episode",
        "gamma": GAMMA,
        "gamma_lambda": GAMMA * LAM,
        "mu": settings.mu,
        "u_rate": 1.0 if reading["overshoot_divisor"] == "present_step" else 1.0 - GAMMA * LAM,
        "tiles_per_range": TILES_PER_RANGE[reading["tile_width"]],
        "beta": np.log(settings.alpha),
        "alpha": settings.alpha,
        "diverged": -1,
        "signs": 1.0,
        **{f"{name}_used": len(run[name]) for name in ("starts", "uniforms", "noise")},
    }.items():
        run[name] = value
    return run
