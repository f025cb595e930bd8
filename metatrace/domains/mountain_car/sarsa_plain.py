"""Mountain car for the plain SARSA(λ), the oracle of the compiled one. Learning is `metatrace.agents.sarsa`'s."""

from collections.abc import Callable
from typing import Any

import gymnasium

from metatrace.agents import sarsa
from metatrace.agents.linear import Training
from metatrace.domains.linear_runs import GAMMA, make_tuner_of
from metatrace.domains.mountain_car.dynamics import N_ACTIONS, TIME_LIMIT
from metatrace.domains.mountain_car.plain import Features
from metatrace.domains.mountain_car.settings import Settings, empty_training, random_streams


def train(settings: Settings, progress: Callable[[int], None] = lambda episodes: None) -> Training:
    """Trains for `settings.episodes` episodes; `progress` is told of every finished one."""
    streams = random_streams(settings.seed)
    environment: Any = gymnasium.make("MountainCar-v0", max_episode_steps=TIME_LIMIT)
    environment.unwrapped.np_random = streams.starts
    agent = sarsa.Agent(
        N_ACTIONS,
        settings.n_features,
        make_tuner_of(settings, N_ACTIONS * settings.n_features),
        gamma=GAMMA,
        epsilon=settings.epsilon,
        cuts_terminal_trace=settings.cuts_terminal_trace,
    )
    training = sarsa.train(
        agent,
        environment,
        Features(settings, None),
        streams.policy,
        empty_training(settings),
        bootstraps_time_limit=settings.bootstraps_time_limit,
        after_episode=lambda number: progress(1),
    )
    environment.close()
    return training
