"""Mountain car for the plain agent, which is the oracle of the compiled kernels.

Gymnasium's own environment, tile features (their signs drifting where the environment drifts), and the mean β of each
group of weights. Learning is `metatrace.agents.linear`'s.
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from metatrace.agents import linear
from metatrace.domains.linear_runs import make_agent
from metatrace.domains.mountain_car.drift import N_NOISE, Drift
from metatrace.domains.mountain_car.dynamics import N_ACTIONS, TIME_LIMIT
from metatrace.domains.mountain_car.settings import Settings, empty_training, random_streams
from metatrace.domains.mountain_car.tiles import N_TILES, active_tiles


class Features:
    """What the agent sees of an observation: tiles, then the bias feature and the noise where there are any."""

    def __init__(self, settings: Settings, drift: Drift | None) -> None:
        self.settings, self.drift = settings, drift

    def __call__(self, observation: np.ndarray) -> np.ndarray:
        """x: (features,), 1 where a tile is active (its sign where signs drift), else 0; noise last."""
        x = np.zeros(self.settings.n_features)
        tiles = active_tiles(observation, self.settings.readings["tile_width"])
        x[tiles] = 1
        if self.settings.has_bias:
            x[N_TILES] = 1
        if self.drift is not None:
            x[tiles] = self.drift.signs[tiles]
            x[-N_NOISE:] = self.drift.noise()
        return x


class Drifting(gymnasium.Wrapper):
    """The environment whose every step moves the drift on as well."""

    def __init__(self, environment: Any, drift: Drift) -> None:
        super().__init__(environment)
        self.drift = drift

    def step(self, action: Any) -> Any:
        made = self.env.step(action)
        self.drift.step()
        return made


class Agent(linear.Agent):
    """The linear agent, which also remembers which tiles it has learnt from.

    Attributes:
      visited: (tiles,), whether a tile has been active in a state that the agent acted in.
    """

    def __init__(self, *settings: Any, **more: Any) -> None:
        super().__init__(*settings, **more)
        self.visited = np.zeros(N_TILES, bool)

    def learn(self, x: np.ndarray, *step: Any) -> None:
        """One step of AC(λ), as `linear.Agent.learn`."""
        self.visited |= x[:N_TILES] != 0
        super().learn(x, *step)

    def mean_beta(self) -> np.ndarray:
        """The mean log step-size of each of `settings.BETA_GROUPS`: (groups,)."""
        beta = np.broadcast_to(self.tuner.log_step_sizes(), self.weights.size).reshape(self.weights.shape)
        tiles, noise = beta[:, :N_TILES], beta[:, -N_NOISE:]
        visited = tiles[:, self.visited]
        groups = (tiles[0], noise[0], tiles[1:], noise[1:], visited[0], visited[1:])
        return np.array([group.mean() for group in groups])


def train(settings: Settings, progress: Callable[[int], None] = lambda episodes: None) -> linear.Training:
    """Trains for `settings.episodes` episodes; `progress` is told of every finished one."""
    streams = random_streams(settings.seed)
    environment: Any = gymnasium.make("MountainCar-v0", max_episode_steps=TIME_LIMIT)
    environment.unwrapped.np_random = streams.starts
    drift = Drift(settings.drift, streams.flips, streams.noise) if settings.drifting else None
    if drift is not None:
        environment = Drifting(environment, drift)
    agent, training = make_agent(settings, N_ACTIONS, settings.n_features, Agent), empty_training(settings)

    def after_episode(number: int) -> None:
        if training.beta is not None:
            training.beta[number] = agent.mean_beta()
        progress(1)

    linear.train(
        agent,
        environment,
        Features(settings, drift),
        streams.policy,
        training,
        bootstraps_time_limit=settings.bootstraps_time_limit,
        after_episode=after_episode,
    )
    environment.close()
    return training
