"""Trains a plain agent on an environment of Gymnasium."""

from typing import Any

import numpy as np

from metatrace import numbers
from metatrace.agents import linear
from metatrace.compiled import object_code
from metatrace.domains.gymnasium.environment import make
from metatrace.domains.gymnasium.features import features_of
from metatrace.domains.linear_runs import GAMMA, LAM, run_of
from metatrace.domains.protocol import Progress, Request
from metatrace.runs.results import Run
from metatrace.tuning import make_tuner, readings_of

PSI = 0.01  # ψ of the network, the weight of the entropy term, as on games; the linear agent has none


def train(id: str, request: Request, progress: Progress) -> Run:
    """Makes a run. An episode that its time limit ends is bootstrapped: its last state is not terminal.

    Episodes from the one in which learning diverges on count as one in which the first action is taken step after step.

    Raises:
      UserError: as `environment.make`.
    """
    key, answers = request.key, request.readings
    of_environment, of_policy, of_network = np.random.SeedSequence(key.seed).spawn(3)
    environment = make(id)
    environment.reset(seed=int(of_environment.generate_state(1)[0]))  # the resets to come draw on from there
    features = features_of(answers["features"], environment.observation_space)
    n_actions, by_network = int(environment.action_space.n), answers["features"] == "network"
    psi = PSI if by_network else 0.0
    settings: dict[str, Any] = dict(
        alpha=numbers.parse(key.alpha, "alpha"),
        mu=numbers.parse(key.mu, "mu", zero=True),
        gamma=GAMMA,
        lam=LAM,
        psi=psi,
        hyper=request.hyper,
        **readings_of(key.method, answers),
    )
    agent: Any
    if by_network:
        import torch

        from metatrace.domains.gymnasium.network import Learner, Network
        from metatrace.networks.plain import PlainAgent

        torch.set_num_threads(1)
        network = Network(features.n_features, n_actions)
        w = network.initial_weights(np.random.default_rng(of_network))
        agent = Learner(PlainAgent(network, w, make_tuner(key.method, len(w), **settings), gamma=GAMMA))
    else:
        tuner = make_tuner(key.method, (1 + n_actions) * features.n_features, **settings)
        agent = linear.Agent(n_actions, features.n_features, tuner, gamma=GAMMA)
    training = linear.train(
        agent,
        environment,
        features,
        np.random.default_rng(of_policy),
        linear.Training.empty(request.length, 0.0, 0, agent.weights.shape),
        bootstraps_time_limit=True,
        after_episode=lambda number: progress(1),
    )
    if training.diverged_episode is not None:
        failed = slice(training.diverged_episode, None)
        training.returns[failed], training.lengths[failed] = episode_without_policy(environment)
    environment.close()
    made = run_of(request, training, "plain", object_code.this_processor())
    if by_network:
        made.meta["psi"] = PSI
    return made


def episode_without_policy(environment: Any) -> tuple[float, int]:
    """The return and the steps of an episode in which the first action is taken step after step."""
    environment.reset()
    total, length, over = 0.0, 0, False
    while not over:
        _, reward, terminated, truncated, _ = environment.step(0)
        total, length, over = total + float(reward), length + 1, terminated or truncated
    return total, length
