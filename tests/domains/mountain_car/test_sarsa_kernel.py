"""SARSA(λ), compiled, against the plain agent, closed loop."""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import pytest

from metatrace.compiled import sarsa_layout
from metatrace.domains import readings
from metatrace.domains.mountain_car import compiled, sarsa, sarsa_plain
from metatrace.domains.mountain_car.domain import DOMAIN
from metatrace.domains.mountain_car.settings import Settings
from metatrace.methods import METHODS, SARSA
from metatrace.runs.results import load_run

# A meta-step-size at which each method learns.
MUS = {"sarsa-none": 0.0, "sarsa-scalar": 2**-10, "sarsa-mixed": 2**-10, "sarsa-sid": 2**-16, "sarsa-nosid": 2**-8}
ASKED = DOMAIN.environments["mountain_car"].asked("sarsa-none")
OTHER_READINGS = {reading.key: reading.values[-1] for reading in ASKED}


@pytest.fixture(scope="session")
def train(kernel_files):
    """Trains by whichever compiled kernel runs the method."""
    kernels = {name: compiled.load(kernel_files(name), name) for name in ("sarsa_lazy_kernel", "sarsa_packed_kernel")}

    def by_kernel(settings):
        return sarsa.train(kernels[DOMAIN.kernel_of(settings.method)], settings)

    return by_kernel


def settings_of(method, alpha, *, episodes, seed=0, mu=None, **chosen):
    mu = MUS[method] if mu is None else mu
    return Settings(method, alpha, mu, seed, episodes, readings=readings.complete(ASKED, chosen, "readings"))


def distance(one, other):
    """The largest difference of two trainings' weights, relative to the largest weight."""
    return abs(one.weights - other.weights).max() / abs(other.weights).max()


def assert_equal(train, settings, within=1e-8):
    expected, found = sarsa_plain.train(settings), train(settings)
    assert np.array_equal(found.returns, expected.returns) and np.array_equal(found.lengths, expected.lengths)
    assert found.steps == expected.steps and found.weights.shape == expected.weights.shape
    assert found.diverged_episode is expected.diverged_episode is None
    assert abs(expected.weights).max() > 0 and distance(found, expected) <= within


def test_the_kernels_run_these_methods():
    there = {token for token, entry in METHODS.items() if entry.agent == SARSA and "mountain_car" in entry.domains}
    assert there == set(MUS) == set(sarsa_layout.TUNERS)
    for token, tuner in sarsa_layout.TUNERS.items():
        assert METHODS[token].tuner == METHODS[tuner].tuner and METHODS[token].options == METHODS[tuner].options


@pytest.mark.parametrize("alpha", [2**-13, 2**-8, 2**-6])
@pytest.mark.parametrize("method", MUS)
def test_both_agents_have_the_same_returns_and_weights(train, method, alpha):
    assert_equal(train, settings_of(method, alpha, episodes=8))


@pytest.mark.parametrize("method", MUS)
def test_both_agents_agree_under_all_other_readings_together(train, method):
    """Among them a bootstrapped time limit, after which one more action is chosen, and no exploration."""
    assert_equal(train, settings_of(method, 2**-8, episodes=8, **OTHER_READINGS))


@pytest.mark.slow
@pytest.mark.parametrize("method", MUS)
def test_both_agents_agree_over_150_episodes(train, method):
    assert_equal(train, settings_of(method, 2**-8, episodes=150), within=1e-6)


@pytest.mark.parametrize("method", ["sarsa-none", "sarsa-mixed"])
def test_where_learning_is_chaotic_the_kernel_is_as_near_as_rounding_allows(train, method):
    """As for the lazy kernel: within a thousand times the distance that a change of α by one part in 10¹⁵ makes."""
    settings = settings_of(method, 2**-4, episodes=5)
    expected = sarsa_plain.train(settings)
    perturbed = sarsa_plain.train(dataclasses.replace(settings, alpha=2**-4 * (1 + 2**-50)))
    assert distance(train(settings), expected) <= 1000 * distance(perturbed, expected)


def test_both_agents_diverge_in_the_same_episode(train):
    settings = settings_of("sarsa-none", 2.0**10, episodes=4)
    expected, found = sarsa_plain.train(settings), train(settings)
    assert found.diverged_episode == expected.diverged_episode is not None
    assert np.array_equal(found.returns, expected.returns)


@pytest.mark.parametrize("method", ["sarsa-scalar", "sarsa-mixed"])
def test_a_run_in_chunks_is_the_run_in_one(train, method, monkeypatch):
    settings = settings_of(method, 2**-8, episodes=60)
    whole = train(settings)
    for size in (1, 7):
        monkeypatch.setattr(compiled, "_EPISODES_PER_CALL", size)
        assert np.array_equal(train(settings).weights, whole.weights)


def test_learning_untuned_reaches_the_goal(train):
    returns = train(settings_of("sarsa-none", 2**-8, episodes=400)).returns
    assert returns[:20].mean() < -190 and returns[-100:].mean() > -160


@pytest.mark.parametrize("key, value", OTHER_READINGS.items())
def test_every_reading_makes_a_difference(train, key, value):
    method = "sarsa-nosid" if key == "nosid_normaliser" else "sarsa-mixed"
    alpha = 2**-2 if key == "overshoot_divisor" else 2**-6  # where steps overshoot
    usual, other = (train(settings_of(method, alpha, episodes=60, **chosen)) for chosen in ({}, {key: value}))
    if key != "sid_meta_gradient":  # which has a single answer
        assert usual.weights.shape != other.weights.shape or not np.array_equal(usual.weights, other.weights)


def run(path, *options):
    command = [sys.executable, "-m", "metatrace", "run", "--seed", "0", "--episodes", "3", "--output", str(path)]
    return subprocess.run([*command, *options], env=os.environ, capture_output=True, text=True, check=False)


def test_a_run_by_the_command_has_the_readings_that_concern_it(tmp_path, kernel_files):
    kernel = ("--kernel", str(kernel_files("sarsa_lazy_kernel")), "--environment", "mountain_car", "--alpha", "2^-8")
    assert run(tmp_path / "a.npz", *kernel, "--method", "sarsa-none").returncode == 0
    meta = load_run(tmp_path / "a.npz").meta
    assert meta["readings"]["exploration"] == "0.1" and "log_policy" not in meta["readings"]


@pytest.mark.parametrize(
    "environment, method, options, words",
    [
        ("mountain_car", "sarsa-none", ["--reading", "log_policy=exact"], "log_policy: there is no such reading"),
        ("mountain_car", "none", ["--reading", "exploration=0.1"], "exploration: there is no such reading"),
        ("drifting_mountain_car", "sarsa-none", ["--drift", "1e-5"], "does not run on drifting_mountain_car"),
    ],
)
def test_what_does_not_apply_is_refused_in_one_line(tmp_path, environment, method, options, words):
    done = run(tmp_path / "a.npz", "--environment", environment, "--method", method, "--alpha", "2^-8", *options)
    assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1
