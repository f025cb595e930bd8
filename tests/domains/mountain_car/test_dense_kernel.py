"""RMSProp, Adam and ObGD, compiled, against the plain agent, on plain and on drifting mountain car."""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import pytest

from metatrace.compiled import dense_layout
from metatrace.domains import readings
from metatrace.domains.mountain_car import compiled, dense, plain
from metatrace.domains.mountain_car.domain import DOMAIN
from metatrace.domains.mountain_car.readings import MOUNTAIN_CAR
from metatrace.domains.mountain_car.settings import Settings
from metatrace.methods import METHODS
from metatrace.runs.results import load_run

# Step-sizes at which both agents agree to the last digits, and larger ones, at which learning is chaotic.
CALM = {"rmsprop": (2**-16, 2**-12), "adam": (2**-16, 2**-12), "obgd": (2**-10, 1.0, 2**10)}
CHAOTIC = [("rmsprop", 2**-8), ("rmsprop", 2**-3), ("adam", 2**-8), ("adam", 2**-3)]
OTHER_HYPER = {
    "rmsprop": {"rho": "0.9", "epsilon": "1e-8"},
    "adam": {"beta_1": "2^-1", "beta_2": "0.99", "epsilon": "0.001"},
    "obgd": {"kappa": "2^-2"},
}
OTHER_READINGS = {reading.key: reading.values[-1] for reading in MOUNTAIN_CAR}


@pytest.fixture(scope="session")
def kernel_file(kernel_files):
    return kernel_files("dense_kernel")


@pytest.fixture(scope="session")
def kernel(kernel_file):
    return compiled.load(kernel_file, "dense_kernel")


def settings_of(method, alpha, *, episodes, drift=None, hyper=None, seed=0, **chosen):
    answers = readings.complete(MOUNTAIN_CAR, chosen, "readings")
    drifting = {} if drift is None else {"drifting": True, "drift": drift}
    return Settings(method, alpha, 0.0, seed, episodes, hyper=hyper or {}, readings=answers, **drifting)


def distance(one, other):
    """The largest difference of two trainings' weights, relative to the largest weight."""
    return abs(one.weights - other.weights).max() / abs(other.weights).max()


def assert_equal(kernel, settings, within=1e-9):
    expected, found = plain.train(settings), dense.train(kernel, settings)
    assert np.array_equal(found.returns, expected.returns) and np.array_equal(found.lengths, expected.lengths)
    assert found.steps == expected.steps and found.weights.shape == expected.weights.shape
    assert found.diverged_episode is expected.diverged_episode is None
    assert abs(expected.weights).max() > 0 and distance(found, expected) <= within
    if settings.drifting:
        np.testing.assert_allclose(found.beta, expected.beta, rtol=1e-9, atol=1e-9)


def test_the_kernel_runs_these_methods():
    assert tuple(token for token in METHODS if DOMAIN.kernel_of(token) == "dense_kernel") == dense_layout.METHODS


@pytest.mark.parametrize("drift", [None, 0.0, 1e-5])
@pytest.mark.parametrize("method, alpha", [(method, alpha) for method, alphas in CALM.items() for alpha in alphas])
def test_both_agents_agree(kernel, method, alpha, drift):
    """Over so many steps that adam's features settle and come back."""
    assert_equal(kernel, settings_of(method, alpha, drift=drift, episodes=6))


@pytest.mark.parametrize("drift", [None, 1e-4])
@pytest.mark.parametrize("method", OTHER_HYPER)
def test_both_agents_agree_with_other_hyper_parameters(kernel, method, drift):
    alpha = 1.0 if method == "obgd" else 2**-13
    settings = settings_of(method, alpha, drift=drift, episodes=5, hyper=OTHER_HYPER[method])
    assert_equal(kernel, settings)
    usual = dense.train(kernel, dataclasses.replace(settings, hyper={}))
    assert not np.array_equal(usual.weights, dense.train(kernel, settings).weights)


def test_both_agents_agree_where_adams_weights_never_settle(kernel):
    hyper = {"beta_1": "0.999", "beta_2": "0.9"}
    assert dense.settling_time(0.999, 0.9) > 2**60 and dense.settling_time(0.9, 0.999) == 424
    assert_equal(kernel, settings_of("adam", 2**-13, episodes=5, hyper=hyper))


def test_weights_that_settled_too_early_would_be_seen(kernel, monkeypatch):
    """That the tests above can fail."""
    settings = settings_of("adam", 2**-12, episodes=6)
    monkeypatch.setattr(dense, "settling_time", lambda beta_1, beta_2: 0)
    assert distance(dense.train(kernel, settings), plain.train(settings)) > 1e-9


@pytest.mark.parametrize("method", CALM)
def test_both_agents_agree_under_all_other_readings_together(kernel, method):
    assert_equal(kernel, settings_of(method, CALM[method][1], episodes=5, drift=1e-4, **OTHER_READINGS))


@pytest.mark.parametrize("drift", [None, 1e-5])
@pytest.mark.parametrize("method, alpha", CHAOTIC)
def test_where_learning_is_chaotic_the_kernel_is_as_near_as_rounding_allows(kernel, method, alpha, drift):
    """As for the lazy kernel: within a hundred times the distance that a change of α by one part in 10¹⁵ makes."""
    for episodes in (1, 4):
        settings = settings_of(method, alpha, drift=drift, episodes=episodes)
        expected = plain.train(settings)
        perturbed = plain.train(dataclasses.replace(settings, alpha=alpha * (1 + 2**-50)))
        assert distance(dense.train(kernel, settings), expected) <= 100 * distance(perturbed, expected)


# Methods with an α at which the first squares overflow, or the bound does; and one that they survive.
@pytest.mark.parametrize(
    "method, alpha, episode",
    [
        *((method, alpha, 0) for method in ("rmsprop", "adam") for alpha in (1e160, 1e300)),
        *((method, 1e100, None) for method in CALM),
        ("obgd", 1e308, 0),
    ],
)
def test_both_agents_diverge_in_the_same_episode_or_not_at_all(kernel, method, alpha, episode):
    settings = settings_of(method, alpha, episodes=3, drift=1e-5)
    expected, found = plain.train(settings), dense.train(kernel, settings)
    assert found.diverged_episode == expected.diverged_episode == episode
    assert np.array_equal(found.returns, expected.returns) and np.isfinite(found.beta).all()


@pytest.mark.parametrize("method", CALM)
def test_a_run_in_chunks_is_the_run_in_one(kernel, method, monkeypatch):
    settings = settings_of(method, 2**-9, episodes=60, drift=1e-4)
    whole = dense.train(kernel, settings)
    for size in (1, 7):
        monkeypatch.setattr(compiled, "_EPISODES_PER_CALL", size)
        chunked = dense.train(kernel, settings)
        for name in ("returns", "weights", "beta"):
            assert np.array_equal(getattr(chunked, name), getattr(whole, name))


def test_they_meet_the_same_drift_and_noise_as_other_methods(kernel):
    """A policy that never learns takes the same way whatever the method."""
    ways = [dense.train(kernel, settings_of(method, 1e-30, episodes=20, drift=1e-3)).returns for method in CALM]
    untuned = plain.train(settings_of("none", 1e-30, episodes=20, drift=1e-3)).returns
    assert all(np.array_equal(way, untuned) for way in ways)


@pytest.mark.parametrize("method", CALM)
def test_hyper_parameters_reach_a_run_by_the_command(tmp_path, kernel_file, method):
    chosen = [word for name, token in OTHER_HYPER[method].items() for word in ("--hyper", f"{name}={token}")]
    options = ["--environment", "drifting_mountain_car", "--drift", "1e-5", "--method", method, "--alpha", "2^-4"]
    common = ["run", *options, "--seed", "0", "--episodes", "3", "--kernel", str(kernel_file)]
    made = []
    for number, more in enumerate(([], chosen)):
        path = tmp_path / f"{number}.npz"
        command = [sys.executable, "-m", "metatrace", *common, *more, "--output", str(path)]
        subprocess.run(command, env=os.environ, check=True, capture_output=True)
        made.append(load_run(path))
    assert made[0].meta["hyper"] == {parameter.name: parameter.default for parameter in METHODS[method].hyper}
    assert made[1].meta["hyper"] == OTHER_HYPER[method]
    assert not np.array_equal(made[0].beta, made[1].beta)
