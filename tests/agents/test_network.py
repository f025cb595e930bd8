"""The autograd agent against the linear one: a linear network is both."""

import numpy as np
import pytest

from metatrace.agents import linear
from metatrace.tuning import METHODS, make_tuner

torch = pytest.importorskip("torch")
FEATURES, ACTIONS, GAMMA = 5, 3, 0.95
N = (1 + ACTIONS) * FEATURES


def value_and_logits(w, x):
    outputs = w.view(1 + ACTIONS, FEATURES) @ torch.from_numpy(x).to(w)
    return outputs[0], outputs[1:]


@pytest.mark.parametrize("method", METHODS)
def test_both_agents_learn_the_same(method):
    from metatrace.agents import network

    tuners = [make_tuner(method, N, alpha=2**-4, mu=2**-6, gamma=GAMMA) for _ in range(2)]
    by_hand = linear.Agent(ACTIONS, FEATURES, tuners[0], gamma=GAMMA)
    by_autograd = network.Agent(value_and_logits, torch.zeros(N, dtype=torch.float64), tuners[1], gamma=GAMMA)
    rng = np.random.default_rng(0)
    x = rng.normal(size=FEATURES)
    for step in range(40):
        if step % 10 == 0:
            by_hand.start_episode()
            by_autograd.start_episode()
        action, pi = by_hand.act(x, rng.random())
        reward, following, terminal = rng.normal(), rng.normal(size=FEATURES), step % 10 == 9
        by_hand.learn(x, pi, action, reward, following, terminal)
        by_autograd.learn(x, action, reward, following, terminal)
        x = following
        np.testing.assert_allclose(by_autograd.w.detach().numpy(), by_hand.weights.ravel(), rtol=1e-9, atol=1e-12)
    assert np.abs(by_hand.weights).max() > 0.01


def test_an_entropy_bonus_keeps_the_policy_near_uniform():
    from metatrace.agents import network

    x, spread = np.ones(FEATURES), []
    for psi in (0.0, 1.0):
        tuner = make_tuner("none", N, alpha=0.05, psi=psi, gamma=GAMMA)
        agent = network.Agent(value_and_logits, torch.zeros(N, dtype=torch.float64), tuner, gamma=GAMMA)
        for _ in range(50):
            agent.learn(x, 0, 1.0, x, True)
        logits = value_and_logits(agent.w, x)[1].detach().numpy()
        spread.append(np.ptp(logits))
    assert spread[1] < 0.5 * spread[0]
