"""Prediction for the plain agent, which is the oracle of the compiled one: Gymnasium's mountain car, and its features.

Learning is `metatrace.agents.prediction`'s.
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from metatrace.agents import prediction
from metatrace.domains.linear_runs import GAMMA, LAM
from metatrace.domains.mountain_car.drift import N_NOISE, Drift
from metatrace.domains.mountain_car.dynamics import TIME_LIMIT
from metatrace.domains.mountain_car.plain import Drifting, Features
from metatrace.domains.mountain_car.settings import Settings, random_streams
from metatrace.domains.mountain_car.tiles import N_TILES
from metatrace.domains.prediction.policy import choose
from metatrace.domains.prediction.settings import empty_training
from metatrace.tuning import make_tuner, readings_of


class Agent(prediction.Agent):
    """The linear prediction, which also remembers which tiles it has learnt from.

    Attributes:
      visited: (tiles,), whether a tile has been active in a state that it made a step from.
    """

    def __init__(self, *settings: Any, **more: Any) -> None:
        super().__init__(*settings, **more)
        self.visited = np.zeros(N_TILES, bool)

    def learn(self, x: np.ndarray, *step: Any) -> None:
        """One step of TD(λ), as `prediction.Agent.learn`."""
        self.visited |= x[:N_TILES] != 0
        super().learn(x, *step)

    def step_sizes(self) -> tuple[float, float]:
        """The mean α of visited tiles, and of the last `N_NOISE` features."""
        alpha = np.broadcast_to(np.exp(self.tuner.log_step_sizes()), self.weights.size)
        return alpha[:N_TILES][self.visited].mean(), alpha[-N_NOISE:].mean()


def train(settings: Settings, progress: Callable[[int], None] = lambda episodes: None) -> prediction.Training:
    """Trains for `settings.episodes` episodes; `progress` is told of every finished one."""
    streams = random_streams(settings.seed)
    environment: Any = gymnasium.make("MountainCar-v0", max_episode_steps=TIME_LIMIT)
    environment.unwrapped.np_random = streams.starts
    drift = Drift(settings.drift, streams.flips, streams.noise) if settings.drifting else None
    if drift is not None:
        environment = Drifting(environment, drift)
    tuner = make_tuner(
        settings.method,
        settings.n_features,
        alpha=settings.alpha,
        mu=settings.mu,
        gamma=GAMMA,
        lam=LAM,
        hyper=settings.hyper,
        **readings_of(settings.method, settings.readings),
    )
    agent = Agent(settings.n_features, tuner, gamma=GAMMA, cuts_terminal_trace=settings.cuts_terminal_trace)
    training = prediction.train(
        agent,
        environment,
        Features(settings, drift),
        lambda observation: choose(float(observation[1]), streams.policy.random()),
        empty_training(settings),
        after_episode=lambda: progress(1),
    )
    environment.close()
    if training.diverged_episode is None:
        training.step_sizes = np.array(agent.step_sizes()[: len(training.step_sizes)])
    return training
