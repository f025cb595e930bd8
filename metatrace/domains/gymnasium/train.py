"""Trains the linear agent on a task of Gymnasium."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from metatrace import numbers
from metatrace.agents import linear
from metatrace.compiled import object_code
from metatrace.domains.protocol import Progress, Request
from metatrace.runs.results import Run
from metatrace.tuning import make_tuner, readings_of

if TYPE_CHECKING:
    from metatrace.domains.gymnasium.domain import Task

GAMMA, LAM = 0.99, 0.8


def train(task: "Task", request: Request, progress: Progress) -> Run:
    """Makes a run. Episodes from the one in which it diverges on count as failed."""
    key, answers = request.key, request.readings
    module, _, name = task.features.partition(":")
    features = getattr(import_module(module), name)(
        task.low, task.high, tiles=task.tiles, tilings=task.tilings, groups=task.groups
    )
    starts, actions = np.random.SeedSequence(key.seed).spawn(2)
    environment: Any = gymnasium.make(task.id, max_episode_steps=task.time_limit)
    environment.unwrapped.np_random = np.random.Generator(np.random.PCG64(starts))
    n_actions = int(environment.action_space.n)
    tuner = make_tuner(
        key.method,
        (1 + n_actions) * features.n_features,
        alpha=numbers.parse(key.alpha, "alpha"),
        mu=numbers.parse(key.mu, "mu", zero=True),
        gamma=GAMMA,
        lam=LAM,
        hyper=request.hyper,
        **readings_of(key.method, answers),
    )
    agent = linear.Agent(
        n_actions,
        features.n_features,
        tuner,
        gamma=GAMMA,
        log_constant=1e-8 if answers["log_policy"] == "plus_1e-8" else 0.0,
        cuts_terminal_trace=answers["terminal_trace"] == "cut",
    )
    policy = np.random.Generator(np.random.PCG64(actions))
    made = linear.train(
        agent,
        environment,
        features,
        policy,
        request.length,
        bootstraps_time_limit=answers["time_limit"] == "bootstrap",
        after_episode=lambda number: progress(1),
    )
    environment.close()
    finished = len(made.returns)
    returns = np.full(request.length, task.failed_return)
    lengths = np.full(request.length, task.time_limit, np.int64)
    returns[:finished], lengths[:finished] = made.returns, made.lengths
    return Run(
        key,
        returns=returns,
        lengths=lengths,
        diverged_episode=finished if made.diverged else None,
        meta={
            "agent": "plain",
            "processor": object_code.this_processor(),
            "episodes": request.length,
            "gamma": GAMMA,
            "lam": LAM,
            "readings": dict(answers),
            **({"hyper": dict(request.hyper)} if request.hyper else {}),
        },
    )
