"""SARSA(λ) on a network: the plain agent against its text in numpy, and the compiled one against the plain."""

from functools import partial

import numpy as np
import pytest
import torch

from metatrace.agents.linear import DivergedError
from metatrace.domains.minatar import game as minatar
from metatrace.networks import plain, related
from metatrace.networks.plain_sarsa import PlainSarsa
from metatrace.networks.shape import Convolution, NetworkShape, initial_weights
from metatrace.tuning import make_tuner

FEATURES, ACTIONS, GAMMA, LAM = 5, 3, 0.95, 0.8
SMALL = NetworkShape(3, 10, (Convolution(5, 3),), 12, 4)
TWO = NetworkShape(2, 11, (Convolution(4, 3, stride=2), Convolution(3, 2)), 8, 2, scale=0.1)
MINATAR = minatar.network_shape(4, 6)


def linear_values(w, x):
    values = w.view(ACTIONS, FEATURES) @ torch.from_numpy(x).to(w)
    return values.sum() * 0, values


def linear_agent(alpha=2**-4, **temperature):
    tuner = make_tuner("sarsa-none", ACTIONS * FEATURES, alpha=alpha, gamma=GAMMA, lam=LAM)
    chosen = {"tau_0": 0.5, "tau_k": 0.1, **temperature}
    return PlainSarsa(linear_values, torch.zeros(ACTIONS * FEATURES, dtype=torch.float64), tuner, gamma=GAMMA, **chosen)


def test_with_a_linear_network_it_is_the_text():
    """Step by step with w, z and softmax written out, over episodes in which the policy gets colder."""
    rng = np.random.default_rng(0)
    agent, w = linear_agent(), np.zeros((ACTIONS, FEATURES))
    for episode in range(4):
        z, x = np.zeros_like(w), rng.normal(size=FEATURES)
        agent.start_episode()
        agent.see(x)
        before = reward = None
        for step in range(12):
            logits = w @ x / (0.5 / (1 + 0.1 * episode))
            pi = np.exp(logits) / np.exp(logits).sum()
            uniform = rng.random()
            chosen = int(np.searchsorted(np.cumsum(pi), uniform, side="right"))
            if before is not None:
                w = w + 2**-4 * (reward + GAMMA * (w @ x)[chosen] - before) * z
            action = agent.act(uniform)
            assert action == chosen and agent.entropy == pytest.approx(-(pi * np.log(pi)).sum())
            np.testing.assert_allclose(agent.w.detach().numpy(), w.ravel(), rtol=1e-12, atol=1e-15)
            z = GAMMA * LAM * z
            z[action] += x
            before, reward, following, terminal = (w @ x)[action], rng.normal(), rng.normal(size=FEATURES), step == 11
            agent.learn(reward, following, terminal)
            x = following
        w = w + 2**-4 * (reward - before) * z
        np.testing.assert_allclose(agent.w.detach().numpy(), w.ravel(), rtol=1e-12, atol=1e-15)
    assert np.abs(w).max() > 0.05


@pytest.mark.parametrize("method", ["scalar", "mixed"])
def test_tuners_see_the_gradient_of_delta(method):
    """∂δ/∂w = γ∂Q(S', A')/∂w − ∂Q(S, A)/∂w, and −∂Q(S, A)/∂w in the last step."""
    agent, seen = linear_agent(), []
    agent.tuner = make_tuner(method, ACTIONS * FEATURES, alpha=0.1, mu=0.01, gamma=GAMMA, lam=LAM)
    step = agent.tuner.step
    agent.tuner.step = lambda **what: (seen.append(what["grad_delta"].numpy()), step(**what))[1]
    x, y = np.eye(FEATURES)[:2]
    agent.start_episode()
    agent.see(x)
    first = agent.act(0.1)
    agent.learn(1.0, y, False)
    second = agent.act(0.9)
    agent.learn(1.0, x, True)

    def grad_Q(features, action):
        return np.kron(np.eye(ACTIONS)[action], features)

    np.testing.assert_allclose(seen, [GAMMA * grad_Q(y, second) - grad_Q(x, first), -grad_Q(y, second)])


def test_the_policy_is_near_greedy_when_cold_and_uniform_when_hot():
    for tau_0, entropy in ((1e-3, 0.0), (1e3, np.log(ACTIONS))):
        agent = linear_agent(tau_0=tau_0)
        with torch.no_grad():
            agent.w += torch.arange(ACTIONS * FEATURES) / 10
        agent.start_episode()
        agent.see(np.ones(FEATURES))
        agent.act(0.5)
        assert agent.entropy == pytest.approx(entropy, abs=1e-4)


@pytest.fixture(scope="session")
def both(kernel_files):
    """Makes the compiled agent and the plain one, in float64, at the same weights."""
    kernel = related.load(kernel_files("related_kernel"))

    def make(shape, start="pytorch_default", alpha=2**-7):
        weights = initial_weights(shape, 1, start)
        settings = {"gamma": 0.99, "tau_0": 0.5, "tau_k": 0.01}
        tuners = [make_tuner("sarsa-none", n, alpha=alpha) for n in (1, shape.n_weights)]
        network, w = partial(plain.value_and_logits, shape), torch.from_numpy(weights).double()
        compiled = related.CompiledSarsa(shape, weights, tuners[0], kernel, **settings)
        return compiled, PlainSarsa(network, w, tuners[1], **settings)

    return make


def play(agents, shape, steps, rewarded=True):
    """Both on one stream of observations and rewards; an episode has 23 steps."""
    rng = np.random.default_rng(0)
    seen = rng.integers(0, 2, (steps + 1, shape.channels, shape.side, shape.side), dtype=np.uint8)
    for agent in agents:
        agent.start_episode()
        agent.see(seen[0])
    for step in range(steps):
        uniform, reward, terminal = rng.random(), rewarded * float(rng.normal()), step % 23 == 22
        assert len({agent.act(uniform) for agent in agents}) == 1
        assert agents[0].entropy == pytest.approx(agents[1].entropy, abs=1e-4)
        for agent in agents:
            agent.learn(reward, seen[step + 1], terminal)
        assert agents[0].delta == pytest.approx(agents[1].delta, abs=1e-4)
        if terminal:
            for agent in agents:
                agent.start_episode()


@pytest.mark.parametrize("shape", [SMALL, TWO, MINATAR], ids=["small", "two", "minatar"])
def test_the_compiled_agent_is_the_plain_one(both, shape):
    compiled, exact = agents = both(shape)
    start = exact.w.detach().numpy().copy()
    play(agents, shape, 24 if shape is MINATAR else 30)
    made, right = shape.views(compiled.arrays["w"] - start), shape.views(exact.w.detach().numpy() - start)
    for name in shape.weights:
        if name.startswith("value"):  # no action value depends on it
            assert not made[name].any() and not right[name].any()
        else:
            assert np.linalg.norm(right[name]) > 0, name
            assert np.linalg.norm(made[name] - right[name]) <= 1e-3 * np.linalg.norm(right[name]), name


def test_nothing_is_learned_before_the_first_reward(both):
    compiled, exact = agents = both(SMALL, "zero")
    start = compiled.arrays["w"].copy()
    play(agents, SMALL, 30, rewarded=False)
    assert np.array_equal(compiled.arrays["w"], start) and np.array_equal(exact.w.detach().numpy(), start)
    assert compiled.entropy == pytest.approx(np.log(4))


def test_a_value_that_is_not_finite_ends_learning(both):
    for agent in both(SMALL):
        agent.start_episode()
        agent.see(np.ones((3, 10, 10), np.uint8))
        agent.act(0.5)
        agent.learn(np.nan, np.ones((3, 10, 10), np.uint8), True)
        with pytest.raises(DivergedError):
            agent.act(0.5)


def test_it_learns_which_action_pays_in_which_state(both):
    """And that the second of two steps pays: both games have a step without a reward first."""
    agent, _ = both(SMALL, "zero", alpha=2**-4)
    rng, states = np.random.default_rng(0), np.zeros((2, 3, 10, 10), np.uint8)
    states[0, 0], states[1, 1] = 1, 1
    earned = []
    for _ in range(600):
        state = int(rng.integers(2))
        agent.start_episode()
        agent.see(states[state])
        first = agent.act(rng.random())
        agent.learn(0.0, states[(state + first) % 2], False)
        second = agent.act(rng.random())
        earned.append(float(second == 1 + (state + first) % 2))
        agent.learn(earned[-1], states[state], True)
    assert np.mean(earned[:50]) < 0.5 and np.mean(earned[-100:]) > 0.75
