"""The plain agent against the linear one (a linear network is both), and its network against loops."""

import numpy as np
import pytest
import torch

from metatrace.agents import linear
from metatrace.methods import METHODS
from metatrace.networks import plain
from metatrace.networks.shape import Convolution, NetworkShape
from metatrace.tuning import make_tuner

FEATURES, ACTIONS, GAMMA = 5, 3, 0.95
N = (1 + ACTIONS) * FEATURES


def value_and_logits(w, x):
    outputs = w.view(1 + ACTIONS, FEATURES) @ torch.from_numpy(x).to(w)
    return outputs[0], outputs[1:]


def agent_of(tuner):
    return plain.PlainAgent(value_and_logits, torch.zeros(N, dtype=torch.float64), tuner, gamma=GAMMA)


@pytest.mark.parametrize("method", [token for token, entry in METHODS.items() if "mountain_car" in entry.domains])
def test_both_agents_learn_the_same(method):
    tuners = [make_tuner(method, N, alpha=2**-4, mu=2**-6, gamma=GAMMA) for _ in range(2)]
    by_hand, by_autograd = linear.Agent(ACTIONS, FEATURES, tuners[0], gamma=GAMMA), agent_of(tuners[1])
    rng = np.random.default_rng(0)
    x = rng.normal(size=FEATURES)
    by_autograd.see(x)
    for step in range(40):
        if step % 10 == 0:
            by_hand.start_episode()
            by_autograd.start_episode()
        uniform = rng.random()
        action, pi = by_hand.act(x, uniform)
        assert by_autograd.act(uniform) == action
        assert by_autograd.entropy == pytest.approx(-(pi * np.log(pi)).sum())
        reward, following, terminal = rng.normal(), rng.normal(size=FEATURES), step % 10 == 9
        by_hand.learn(x, pi, action, reward, following, terminal)
        by_autograd.learn(reward, following, terminal)
        x = following
        np.testing.assert_allclose(by_autograd.w.detach().numpy(), by_hand.weights.ravel(), rtol=1e-9, atol=1e-12)
    assert np.abs(by_hand.weights).max() > 0.01


def test_an_entropy_bonus_keeps_the_policy_near_uniform():
    x, spread = np.ones(FEATURES), []
    for psi in (0.0, 1.0):
        agent = agent_of(make_tuner("none", N, alpha=0.05, psi=psi, gamma=GAMMA))
        agent.see(x)
        for _ in range(50):
            assert agent.act(0.0) == 0
            agent.learn(1.0, x, True)
        logits = value_and_logits(agent.w, x)[1].detach().numpy()
        spread.append(np.ptp(logits))
    assert spread[1] < 0.5 * spread[0]


def test_the_network_is_that_of_the_paper_by_loops():
    shape = NetworkShape(2, 7, (Convolution(3, 3, stride=2), Convolution(4, 2)), 8, 3, scale=0.5)
    rng = np.random.default_rng(0)
    w, observation = rng.normal(size=shape.n_weights), rng.normal(size=(2, 7, 7))
    p, x = shape.views(w), 0.5 * np.moveaxis(observation, 0, 2)

    def sigmoid(y):
        return 1 / (1 + np.exp(-y))

    for number, (_, size, stride) in enumerate(shape.convolutions, start=1):
        across = range(0, x.shape[0] - size + 1, stride)
        y = [[p[f"conv_{number}"] @ x[i : i + size, j : j + size].ravel() for j in across] for i in across]
        y += p[f"conv_{number}_bias"]
        x = y * sigmoid(y)
    y = p["dense"] @ x.ravel() + p["dense_bias"]
    hidden = sigmoid(y) * (1 + y * (1 - sigmoid(y)))
    value, logits = plain.value_and_logits(shape, torch.from_numpy(w), observation)
    assert value.item() == pytest.approx(p["value"] @ hidden + p["value_bias"][0])
    assert logits.tolist() == pytest.approx(p["policy"] @ hidden + p["policy_bias"])
