"""The plain SARSA(λ): its policy, its update by hand, and a task that it learns."""

import gymnasium
import numpy as np
import pytest

from metatrace.agents import sarsa
from metatrace.agents.linear import Training
from metatrace.methods import METHODS, SARSA
from metatrace.tuning import make_tuner

GAMMA, LAM, ALPHA, LENGTH = 0.9, 0.5, 0.25, 5


class Corridor(gymnasium.Env):
    """Cells in a row, from left to right; every step costs 1."""

    observation_space = gymnasium.spaces.Discrete(LENGTH)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.cell = 0
        return self.cell, {}

    def step(self, action):
        self.cell = max(0, self.cell + 2 * int(action) - 1)
        return min(self.cell, LENGTH - 1), -1.0, self.cell == LENGTH, False, {}


def cell(observation):
    return np.eye(LENGTH)[observation]


def agent_of(method="sarsa-none", *, alpha=ALPHA, mu=2**-8, epsilon=0.1, **options):
    tuner = make_tuner(method, 2 * LENGTH, alpha=alpha, mu=mu, gamma=GAMMA, lam=LAM)
    return sarsa.Agent(2, LENGTH, tuner, gamma=GAMMA, epsilon=epsilon, **options)


def trained(agent, episodes, limit=60, **options):
    environment = gymnasium.wrappers.TimeLimit(Corridor(), limit)
    training = Training.empty(episodes, -float(limit), limit, agent.weights.shape)
    return sarsa.train(agent, environment, cell, np.random.default_rng(0), training, **options)


@pytest.mark.parametrize("method", [token for token, entry in METHODS.items() if entry.agent == SARSA])
def test_every_method_learns_to_go_right(method):
    training = trained(agent_of(method), 100)
    assert np.mean(training.lengths[-20:]) < 8 and training.diverged_episode is None
    assert np.array_equal(training.returns, -training.lengths) and training.steps == training.lengths.sum()


def test_the_policy_is_epsilon_greedy_and_breaks_ties_at_random():
    agent = agent_of(epsilon=0.2)
    x = cell(0)
    np.testing.assert_allclose(agent.policy(x), [0.5, 0.5])
    agent.weights[1, 0] = 1e-9
    np.testing.assert_allclose(agent.policy(x), [0.1, 0.9])
    assert [agent.act(x, uniform) for uniform in (0.0, 0.0999, 0.1001, 0.9999999999999999)] == [0, 0, 1, 1]


def test_two_steps_by_hand():
    agent = agent_of()
    agent.start_episode()
    agent.weights[:] = [[1, 2, 0, 0, 0], [3, 4, 0, 0, 0]]
    agent.learn(cell(0), 1, -1.0, cell(1), 0)
    delta = -1 + GAMMA * 2 - 3
    expected = np.zeros((2, LENGTH))
    expected[:, :2] = [[1, 2], [3 + ALPHA * delta, 4]]
    np.testing.assert_allclose(agent.weights, expected, rtol=1e-14)
    agent.learn(cell(1), 0, -1.0, cell(2), None)  # a terminal state has no value
    delta = -1 - 2
    expected[0, 1] += ALPHA * delta
    expected[1, 0] += ALPHA * delta * GAMMA * LAM
    np.testing.assert_allclose(agent.weights, expected, rtol=1e-14)


def test_the_tuner_sees_the_gradients_of_q_and_of_the_td_error():
    agent, seen = agent_of(), {}

    def step(**given):
        seen.update(given)
        return np.zeros(2 * LENGTH)

    agent.tuner.step = step
    agent.learn(cell(3), 1, -1.0, cell(4), 0)
    block = np.zeros((2, LENGTH))
    block[1, 3] = 1
    assert np.array_equal(seen["grad_U"], block.ravel()) and np.array_equal(seen["z"], block.ravel())
    block[1, 3], block[0, 4] = -1, GAMMA
    assert np.array_equal(seen["grad_delta"], block.ravel()) and "grad_H" not in seen


def test_a_time_limit_is_terminal_or_bootstrapped():
    values = []
    for bootstraps in (False, True):
        agent = agent_of(epsilon=0.0)
        agent.weights[:] = [[0] * LENGTH, [2.0] * LENGTH]
        trained(agent, 1, limit=1, bootstraps_time_limit=bootstraps)
        values.append(agent.weights[1, 0])
    np.testing.assert_allclose(values, [2 + ALPHA * (-1 - 2), 2 + ALPHA * (-1 + GAMMA * 2 - 2)])


def test_the_terminal_step_can_forget_the_trace():
    for cuts in (False, True):
        agent = agent_of(cuts_terminal_trace=cuts)
        agent.learn(cell(0), 1, -1.0, cell(1), 1)
        agent.learn(cell(1), 1, -1.0, cell(2), None)
        assert (agent.z.reshape(2, LENGTH)[1, :2] > 0).tolist() == [not cuts, True]


def test_a_training_that_diverges_ends_there():
    training = trained(agent_of(alpha=1e300), 20)
    assert training.diverged_episode < 20 and (training.returns[training.diverged_episode :] == -60).all()
