"""Trains the linear agent on a task of Gymnasium."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from metatrace.agents import linear
from metatrace.compiled import object_code
from metatrace.domains.linear_runs import make_agent, run_of, settings_of
from metatrace.domains.protocol import Progress, Request
from metatrace.runs.results import Run

if TYPE_CHECKING:
    from metatrace.domains.gymnasium.domain import Task


def train(task: "Task", request: Request, progress: Progress) -> Run:
    """Makes a run. Episodes from the one in which it diverges on count as failed."""
    settings = settings_of(request)
    module, _, name = task.features.partition(":")
    features = getattr(import_module(module), name)(
        task.low, task.high, tiles=task.tiles, tilings=task.tilings, groups=task.groups
    )
    starts, actions = map(np.random.default_rng, np.random.SeedSequence(settings.seed).spawn(2))
    environment: Any = gymnasium.make(task.id, max_episode_steps=task.time_limit)
    environment.unwrapped.np_random = starts
    agent = make_agent(settings, int(environment.action_space.n), features.n_features)
    training = linear.train(
        agent,
        environment,
        features,
        actions,
        linear.Training.empty(settings.episodes, task.failed_return, task.time_limit, agent.weights.shape),
        bootstraps_time_limit=settings.bootstraps_time_limit,
        after_episode=lambda number: progress(1),
    )
    environment.close()
    return run_of(request, training, "plain", object_code.this_processor())
