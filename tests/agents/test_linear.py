"""The plain linear agent, on a task of its own: a corridor with three actions, none of it mountain car's."""

import gymnasium
import numpy as np
import pytest

from metatrace.agents import linear
from metatrace.methods import METHODS
from metatrace.tuning import make_tuner

GAMMA, LAM = 0.95, 0.8
LENGTH = 6


class Corridor(gymnasium.Env):
    """Cells in a row; left, stay or right; reward 1 at the right end."""

    observation_space = gymnasium.spaces.Discrete(LENGTH)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        self.cell = 0
        return self.cell, {}

    def step(self, action):
        self.cell = min(max(self.cell + int(action) - 1, 0), LENGTH)
        arrived = self.cell == LENGTH
        return min(self.cell, LENGTH - 1), float(arrived), arrived, False, {}


def cell(observation):
    return np.eye(LENGTH)[observation]


def agent_of(method, *, alpha=2**-3, mu=2**-8, **options):
    tuner = make_tuner(method, 4 * LENGTH, alpha=alpha, mu=mu, gamma=GAMMA, lam=LAM)
    return linear.Agent(3, LENGTH, tuner, gamma=GAMMA, **options)


def trained(agent, episodes, *, limit=50, **options):
    environment = gymnasium.wrappers.TimeLimit(Corridor(), limit)
    training = linear.Training.empty(episodes, -1.0, limit, agent.weights.shape)
    return linear.train(agent, environment, cell, np.random.default_rng(0), training, **options)


@pytest.mark.parametrize("method", [token for token, entry in METHODS.items() if "mountain_car" in entry.domains])
def test_every_method_learns_to_go_right(method):
    # Adam's steps are as large as α, whatever the gradient; ObGD's are small, whatever α.
    agent = agent_of(method, alpha=2**-5 if method == "adam" else 2**-1)
    training = trained(agent, 600 if method == "obgd" else 200)
    assert np.mean(training.lengths[-20:]) < 10 < 20 < np.mean(training.lengths[:3])
    assert np.mean(training.returns[-20:]) == 1 and training.steps == sum(training.lengths)
    assert (agent.policy(cell(0)).argmax(), agent.value(cell(LENGTH - 1))) == (2, pytest.approx(1, abs=0.1))


def test_gradients_are_those_of_small_differences():
    rng = np.random.default_rng(1)
    for constant in (0.0, 0.1):
        agent = agent_of("none", log_constant=constant)
        agent.weights = rng.normal(size=agent.weights.shape)
        x, action = rng.normal(size=LENGTH), 1

        def U(agent=agent, x=x, constant=constant, action=action):
            return agent.value(x) + 0.5 * np.log(agent.policy(x)[action] + constant)

        found, flat = agent.grad_U(x, agent.policy(x), action), agent.weights.reshape(-1)
        for i in range(len(flat)):
            flat[i] += 1e-6
            above = U()
            flat[i] -= 2e-6
            below = U()
            flat[i] += 1e-6
            assert found[i] == pytest.approx((above - below) / 2e-6, abs=1e-8)


def test_the_weights_change_by_what_the_tuner_says():
    agent = agent_of("none")

    def step(**given):
        assert given["delta"] == -1.0 and np.array_equal(given["z"], given["grad_U"])
        return np.arange(4.0 * LENGTH)

    agent.tuner.step = step
    agent.learn(cell(2), agent.policy(cell(2)), 1, -1.0, cell(3), False)
    assert np.array_equal(agent.weights.ravel(), np.arange(4.0 * LENGTH))


def test_a_time_limit_is_terminal_or_bootstrapped():
    """Every episode ends by the limit at cell 0 or 1, where a bootstrapped value has no reason to be 0."""
    values = []
    for bootstraps in (False, True):
        agent = agent_of("none")
        agent.weights[0] = 1.0
        trained(agent, 1, limit=1, bootstraps_time_limit=bootstraps)
        values.append(agent.value(cell(0)))
    assert values[0] == pytest.approx(1 - 2**-3) and values[1] == pytest.approx(1 - 2**-3 * (1 - GAMMA))


def test_the_terminal_step_can_forget_the_trace():
    for cuts in (False, True):
        agent = agent_of("none", cuts_terminal_trace=cuts)
        for now, terminal in ((0, False), (1, True)):
            agent.learn(cell(now), agent.policy(cell(now)), 2, 0.0, cell(now + 1), terminal)
        assert (agent.z.reshape(4, LENGTH)[0] > 0).tolist()[:2] == [not cuts, True]


def test_a_training_that_diverges_ends_there():
    told = []
    training = trained(agent_of("none", alpha=1e300), 20, after_episode=told.append)
    finished = training.diverged_episode
    assert finished < 20 and training.steps > sum(training.lengths[:finished])
    assert told == list(range(finished)) and (training.returns[finished:] == -1).all()
