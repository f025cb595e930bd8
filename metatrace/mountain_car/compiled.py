"""Runs the compiled agent: sets its arrays up, feeds it random numbers, collects what it did."""

from collections.abc import Callable

import numpy as np

from metatrace.errors import UserError
from metatrace.mountain_car import layout
from metatrace.mountain_car.dynamics import START_HIGH, START_LOW, TIME_LIMIT
from metatrace.mountain_car.settings import Settings, Training, random_streams
from metatrace.mountain_car.tiles import N_TILINGS, TILES_PER_RANGE

# So many episodes a call: progress shows, and the random numbers of a call stay in cache.
_EPISODES_PER_CALL = 50


def check_method(method: str) -> None:
    """Fails where a method has no compiled kernel.

    Raises:
      UserError: the line names the methods that have one, and the other agent.
    """
    if method not in layout.METHODS:
        raise UserError(
            f"method {method} has no compiled kernel; "
            f"use --agent plain, or one of {', '.join(layout.METHODS)}"
        )


def train(
    kernel: Callable[..., None], settings: Settings, progress: Callable[[int], None] = lambda episodes: None
) -> Training:
    """The same training as `plain.train`, by the compiled `kernel` (`object_code.load`).

    Raises:
      UserError: a method that has no compiled kernel.
    """
    check_method(settings.method)
    reading = settings.readings
    flags = np.zeros(layout.N_FLAGS, np.int64)
    flags[layout.METHOD] = layout.METHODS.index(settings.method)
    flags[layout.NORMALISER] = layout.NORMALISERS.index(reading["nosid_normaliser"])
    flags[layout.BIAS] = reading["bias_feature"] == "present"
    flags[layout.BOOTSTRAP_TIME_LIMIT] = reading["time_limit"] == "bootstrap"
    flags[layout.PREVIOUS_ALPHA] = reading["weight_update"] == "previous_step_size"
    flags[layout.CUT_TERMINAL_TRACE] = reading["terminal_trace"] == "cut"
    flags[layout.FORGET_H] = reading["h_lifetime"] == "episode"
    numbers = np.zeros(layout.N_NUMBERS)
    numbers[layout.GAMMA], numbers[layout.LAM], numbers[layout.MU] = settings.gamma, settings.lam, settings.mu
    numbers[layout.TILES_PER_RANGE] = TILES_PER_RANGE[reading["tile_width"]]
    numbers[layout.LOG_CONSTANT] = 1e-8 if reading["log_policy"] == "plus_1e-8" else 0.0
    state = np.zeros(layout.N_STATE)
    state[layout.STATE_BETA], state[layout.STATE_ALPHA] = np.log(settings.alpha), settings.alpha

    features = (layout.N_FEATURES, layout.BLOCKS)
    w, h, z = np.zeros(features), np.zeros(features), np.zeros(features)
    seen = np.zeros((layout.N_FEATURES, 2))
    touched, stamps = np.zeros(layout.N_FEATURES, np.int64), np.zeros(layout.N_FEATURES, np.int64)
    active, following = np.zeros(N_TILINGS + 1, np.int64), np.zeros(N_TILINGS + 1, np.int64)
    g = np.zeros(layout.BLOCKS)
    status = np.zeros(layout.N_STATUS, np.int64)
    status[layout.DIVERGED] = -1

    environment_rng, policy_rng = random_streams(settings.seed)
    uniforms = np.empty(0)
    training = Training(
        returns=np.full(settings.episodes, -float(TIME_LIMIT)),
        lengths=np.full(settings.episodes, TIME_LIMIT, np.int64),
        diverged_episode=None,
        weights=np.empty(0),
        steps=0,
    )
    for first in range(0, settings.episodes, _EPISODES_PER_CALL):
        episodes = min(_EPISODES_PER_CALL, settings.episodes - first)
        starts = environment_rng.uniform(START_LOW, START_HIGH, episodes)
        missing = episodes * TIME_LIMIT - len(uniforms)
        uniforms = np.concatenate([uniforms, policy_rng.random(max(missing, 0))])
        returns, lengths = training.returns[first:], training.lengths[first:]
        arrays = (
            flags,
            numbers,
            state,
            starts,
            uniforms,
            w,
            h,
            z,
            seen,
            touched,
            stamps,
            active,
            following,
            g,
        )
        kernel(episodes, *(array.ctypes.data for array in (*arrays, returns, lengths, status)))
        uniforms = uniforms[status[layout.UNIFORMS_USED] :]
        if status[layout.DIVERGED] >= 0:
            training.diverged_episode = first + int(status[layout.DIVERGED])
            break
        progress(episodes)
    training.weights = w[: settings.n_features].T.copy()
    training.steps = int(status[layout.STEPS])
    return training
