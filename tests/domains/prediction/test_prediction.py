"""Predictions on mountain car: the agent on a task of its own, and compiled against the plain agent."""

import os
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

from metatrace.agents import prediction
from metatrace.domains import readings
from metatrace.domains.mountain_car.compiled import load
from metatrace.domains.prediction import compiled, plain
from metatrace.domains.prediction.domain import DOMAIN
from metatrace.domains.prediction.policy import choose
from metatrace.domains.prediction.settings import settings_of
from metatrace.domains.protocol import Request
from metatrace.methods import METHODS, complete_hyper
from metatrace.runs.key import RunKey
from metatrace.runs.results import load_run
from metatrace.tuning import make_tuner

# A large μ and a small one of each method.
MUS = {
    "none": ("0",),
    "scalar": ("2^-5", "2^-9"),
    "vector": ("2^-5", "2^-9"),
    "mixed": ("2^-5", "2^-9"),
    "vector-unnormalized": ("2^-10", "2^-16"),
    "tidbd": ("2^-6", "2^-12"),
    "tidbd-scalar": ("2^-12", "2^-16"),
    "autotidbd": ("2^-3", "2^-9"),
}
SETTINGS = (("prediction", "0"), ("drifting_prediction", "0"), ("drifting_prediction", "0.001"))
OTHER_READINGS = {reading.key: reading.values[-1] for reading in DOMAIN.environments["drifting_prediction"].readings}


@pytest.fixture(scope="module")
def train(kernel_files):
    """Trains by the method's compiled kernel."""
    kernels = {name: load(kernel_files(name), name) for name in DOMAIN.kernels}
    return lambda settings: compiled.train(kernels[DOMAIN.kernel_of(settings.method)], settings)


def asked(environment, method, mu, *, alpha="2^-8", drift="0", seed=0, episodes=6, hyper=None, **chosen):
    """The settings of a run."""
    answers = readings.complete(DOMAIN.environments[environment].readings, chosen, "readings")
    key = RunKey(environment, method, alpha, mu, drift, seed)
    return settings_of(Request(key, episodes, answers, complete_hyper(method, hyper or {}, "hyper")))


def assert_equal(train, settings):
    expected, found = plain.train(settings), train(settings)
    assert np.array_equal(found.lengths, expected.lengths) and np.array_equal(found.returns, expected.returns)
    assert found.diverged_episode == expected.diverged_episode
    assert found.weights.shape == expected.weights.shape and abs(expected.weights).max() > 0
    assert abs(found.weights - expected.weights).max() <= 1e-9 * abs(expected.weights).max()
    np.testing.assert_allclose(found.losses, expected.losses, rtol=1e-9)
    np.testing.assert_allclose(found.step_sizes, expected.step_sizes, rtol=1e-9)


def test_every_method_of_the_domain_has_a_kernel():
    assert {token for token, method in METHODS.items() if "prediction" in method.domains} == MUS.keys()
    assert {DOMAIN.kernel_of(method) for method in MUS} == set(DOMAIN.kernels)


@pytest.mark.parametrize("environment, drift", SETTINGS)
@pytest.mark.parametrize("method", MUS)
def test_both_agents_agree(train, method, environment, drift):
    for mu in MUS[method]:
        assert_equal(train, asked(environment, method, mu, drift=drift))


@pytest.mark.parametrize("method", MUS)
def test_both_agents_agree_under_all_other_readings_together(train, method):
    hyper = {"tau": "100"} if method == "autotidbd" else {}
    settings = asked("drifting_prediction", method, MUS[method][-1], drift="1e-5", hyper=hyper, **OTHER_READINGS)
    assert_equal(train, settings)
    usual = asked("drifting_prediction", method, MUS[method][-1], drift="1e-5")
    assert not np.array_equal(train(usual).weights, train(settings).weights)


@pytest.mark.parametrize("reading, hyper", [({"autotidbd_eta": "zero"}, {}), ({}, {"tau": "100"})], ids=str)
def test_what_concerns_autotidbd_alone_reaches_both_agents(train, reading, hyper):
    settings = asked("drifting_prediction", "autotidbd", "2^-6", hyper=hyper, **reading)
    assert_equal(train, settings)
    usual = train(asked("drifting_prediction", "autotidbd", "2^-6")).step_sizes
    assert not np.allclose(train(settings).step_sizes, usual, rtol=1e-6, atol=0)


@pytest.mark.parametrize(
    "method, alpha, mu, episode",
    [
        ("none", "0.09", "0", 3),
        ("vector", "2^4", "2^-2", None),
        ("tidbd", "2^-4", "2^-2", 0),
        ("tidbd-scalar", "2^1", "2^4", 0),
        ("autotidbd", "2^-4", "2^-1", None),
    ],
)
def test_both_agents_diverge_in_the_same_episode_or_not_at_all(train, method, alpha, mu, episode):
    settings = asked("drifting_prediction", method, mu, alpha=alpha, episodes=5)
    expected, found = plain.train(settings), train(settings)
    assert found.diverged_episode == expected.diverged_episode == episode
    np.testing.assert_allclose(found.losses, expected.losses, rtol=1e-6)
    np.testing.assert_allclose(found.step_sizes, expected.step_sizes, rtol=1e-6)
    assert np.array_equal(found.lengths, expected.lengths) and np.isnan(found.step_sizes).all() == (episode is not None)
    if episode is not None:  # from there on, values are 0
        calm = train(asked("drifting_prediction", "none", "0", alpha="1e-30", episodes=5))
        np.testing.assert_allclose(found.losses[episode:], calm.losses[episode:], rtol=1e-9)


@pytest.mark.parametrize("method", ["none", "vector", "autotidbd"])
def test_a_run_in_chunks_is_the_run_in_one(train, method, monkeypatch):
    settings = asked("drifting_prediction", method, MUS[method][-1], drift="0.001", episodes=20)
    whole = train(settings)
    for size in (1, 7):
        monkeypatch.setattr(compiled, "_EPISODES_PER_CALL", size)
        chunked = train(settings)
        for name in ("losses", "lengths", "weights", "step_sizes"):
            assert np.array_equal(getattr(chunked, name), getattr(whole, name))


def test_methods_with_the_same_seed_meet_the_same_episodes(train):
    """The policy is fixed: all see the same states, whatever they learn."""
    ways = [train(asked("prediction", method, MUS[method][0], episodes=20)).lengths for method in MUS]
    drifting = train(asked("drifting_prediction", "none", "0", drift="0.001", episodes=20)).lengths
    assert all(np.array_equal(way, ways[0]) for way in (*ways, drifting)) and len(set(ways[0])) > 5
    assert not np.array_equal(ways[0], train(asked("prediction", "none", "0", episodes=20, seed=1)).lengths)


def test_the_error_falls_to_what_chance_leaves(train):
    losses = train(asked("prediction", "none", "0", alpha="2^-8", episodes=400)).losses
    assert losses[0] > 35 and losses[-100:].mean() < 6


@pytest.mark.parametrize(
    ("velocity", "uniform", "action"),
    [(0.01, 0.1, 2), (-0.01, 0.99, 0), (0.0, 0.5, 2), (0.01, 0.0, 0), (-0.01, 0.04, 1), (-0.01, 0.0999999999, 2)],
)
def test_the_policy_pushes_along_or_at_random(velocity, uniform, action):
    assert choose(velocity, uniform) == action


def test_a_tenth_of_its_actions_are_random():
    uniforms = (np.arange(3000) + 0.5) / 3000
    assert np.bincount([choose(-0.01, uniform) for uniform in uniforms]).tolist() == [2800, 100, 100]


# The agent, by hand and on a chain of three states whose values are known.


def test_an_error_is_that_against_what_then_came():
    """G = 1 + ½·(2 + ½·4), 2 + ½·4, 4 = 3, 4, 4."""
    assert prediction.value_error([3, 4, 4], [1, 2, 4], 0.5) == 0
    assert prediction.value_error([0, 4, 1], [1, 2, 4], 0.5) == pytest.approx(np.sqrt((9 + 0 + 9) / 3))
    assert prediction.value_error([1e300, 0], [0, 0], 0.5) == np.inf


class Chain(gymnasium.Env):
    """Three states, one after the other; a step from state i earns i + 1."""

    def reset(self, *, seed=None, options=None):
        self.state = 0
        return 0, {}

    def step(self, action):
        assert action == 7
        self.state += 1
        return self.state % 3, float(self.state), self.state == 3, False, {}


def learned(method, episodes, **options):
    tuner = make_tuner(method, 3, alpha=0.2, mu=2**-8, gamma=0.5, lam=0.8)
    training = prediction.Training.empty(episodes, 3, 1)
    agent = prediction.Agent(3, tuner, gamma=0.5, **options)
    return prediction.train(agent, Chain(), lambda state: np.eye(3)[state], lambda state: 7, training)


@pytest.mark.parametrize("method", [method for method in METHODS if "prediction" in METHODS[method].domains])
def test_every_method_finds_the_values(method):
    training = learned(method, 500)
    np.testing.assert_allclose(training.weights, [1 + 0.5 * (2 + 0.5 * 3), 2 + 0.5 * 3, 3], rtol=1e-3)
    assert training.losses[0] > 1 > 0.01 > training.losses[-1] and training.diverged_episode is None
    assert (training.returns == 6).all() and (training.lengths == 3).all()


@pytest.mark.parametrize("cut, first", [(False, 0.2 * (1 + 0.4 * 2 + 0.16 * 3)), (True, 0.2 * (1 + 0.4 * 2))])
def test_the_first_episode_by_hand(cut, first):
    """α = 0.2, γλ = 0.4, and V is 0 where it is looked at: δ is the reward."""
    second = 0.2 * (2 + (0 if cut else 0.4 * 3))
    training = learned("none", 1, cuts_terminal_trace=cut)
    np.testing.assert_allclose(training.weights, [first, second, 0.6], rtol=1e-12)


# By the command.


def run_by_command(path, *options):
    command = [sys.executable, "-m", "metatrace", "run", "--seed", "0", "--output", str(path), *options]
    return subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)


def test_a_run_by_the_command(tmp_path, kernel_files):
    path = tmp_path / "run.npz"
    options = ["--environment", "drifting_prediction", "--drift", "6e-6", "--method", "autotidbd", "--alpha", "2^-8"]
    more = ["--mu", "2^-6", "--episodes", "5", "--hyper", "tau=100", "--kernel", str(kernel_files("tidbd_kernel"))]
    done = run_by_command(path, *options, *more)
    assert done.returncode == 0, done.stderr
    run = load_run(path)
    expected = plain.train(
        asked("drifting_prediction", "autotidbd", "2^-6", drift="6e-6", episodes=5, hyper={"tau": "100"})
    )
    np.testing.assert_allclose(run.losses, expected.losses, rtol=1e-9)
    np.testing.assert_allclose(run.step_sizes, expected.step_sizes, rtol=1e-9)
    assert np.array_equal(run.returns, -run.lengths) and run.meta["hyper"] == {"tau": "100"}
    assert run.meta["step_size_groups"] == ["tiles/visited", "noise"]
    assert run.meta["readings"]["autotidbd_eta"] == "one" and "time_limit" not in run.meta["readings"]


def test_the_command_says_where_a_run_diverged(tmp_path, kernel_files):
    path = tmp_path / "run.npz"
    kernel = str(kernel_files("prediction_lazy_kernel"))
    options = ["--environment", "prediction", "--method", "none", "--alpha", "2^4", "--episodes", "20"]
    done = run_by_command(path, *options, "--kernel", kernel)
    assert done.returncode == 0
    assert f"diverged in episode {load_run(path).diverged_episode}: from there on it predicts 0" in done.stderr


def test_a_method_of_control_alone_is_refused(tmp_path):
    done = run_by_command(
        tmp_path / "run.npz", "--environment", "prediction", "--method", "sid", "--alpha", "2^-8", "--episodes", "5"
    )
    assert done.returncode == 2
    assert done.stderr.strip().endswith(
        "--method: sid does not run on prediction; it must be one of none, scalar, vector, mixed, vector-unnormalized, "
        "tidbd, tidbd-scalar, autotidbd"
    )
