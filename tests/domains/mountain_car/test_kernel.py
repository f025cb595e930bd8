"""The compiled agent against the plain one, closed loop: the same code but for rounding.

Closed loop means that nothing is fed from one to the other: a difference in one weight would reach
the policy, the next action and everything after it.
"""

import ctypes
import dataclasses
import itertools
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

from metatrace.domains import readings
from metatrace.domains.mountain_car import compiled, plain
from metatrace.domains.mountain_car.domain import DOMAIN
from metatrace.domains.mountain_car.features import RECORD
from metatrace.domains.mountain_car.readings import MOUNTAIN_CAR
from metatrace.domains.mountain_car.settings import Settings, random_streams
from metatrace.methods import METHODS

# Every method with the largest and the smallest μ of the paper's figures.
MUS = {
    "none": (0.0, 0.0),
    "scalar": (2**-6, 2**-11),
    "scalar-unnormalized": (2**-14, 2**-19),
    "sid": (2**-14, 2**-19),
    "nosid": (2**-10, 2**-15),
}
assert set(MUS) == {method for method in METHODS if DOMAIN.kernel_of(method) == "lazy_kernel"}
# Untuned, learning is chaotic at the largest step-sizes: see the test of that name.
CHAOTIC = {("none", 2**-3), ("none", 2**-4)}
OTHER_READINGS = [(reading.key, value) for reading in MOUNTAIN_CAR for value in reading.values[1:]]


def settings_of(method, alpha, *, mu=None, episodes=20, seed=0, **chosen):
    mu = MUS[method][0] if mu is None else mu
    return Settings(method, alpha, mu, seed, episodes, readings=readings.complete(MOUNTAIN_CAR, chosen, "readings"))


def distance(one, other):
    """The largest difference of two trainings' weights, relative to the largest weight."""
    return abs(one.weights - other.weights).max() / abs(other.weights).max()


def assert_equal(kernel, settings, within=1e-8):
    expected, found = plain.train(settings), compiled.train(kernel, settings)
    assert np.array_equal(found.returns, expected.returns)
    assert np.array_equal(found.lengths, expected.lengths)
    assert found.steps == expected.steps
    assert found.diverged_episode is expected.diverged_episode is None
    assert abs(expected.weights).max() > 0
    assert distance(found, expected) <= within


@pytest.mark.parametrize("alpha", (2**-8, 2**-4, 2**-3), ids=lambda alpha: f"2^{int(np.log2(alpha))}")
@pytest.mark.parametrize("method", MUS)
def test_both_agents_have_the_same_returns_and_weights(kernel, method, alpha):
    assert_equal(kernel, settings_of(method, alpha, episodes=4 if (method, alpha) in CHAOTIC else 16))


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0, 1], ids=["largest mu", "smallest mu"])
@pytest.mark.parametrize("alpha", (2**-13, 2**-5), ids=lambda alpha: f"2^{int(np.log2(alpha))}")
@pytest.mark.parametrize("method", MUS)
def test_both_agents_have_the_same_returns_and_weights_over_150_episodes(kernel, method, alpha, mu):
    if (method, alpha) in CHAOTIC or (method == "none" and mu == 1):
        pytest.skip("chaotic, or the same as with the largest mu")
    assert_equal(kernel, settings_of(method, alpha, mu=MUS[method][mu], episodes=150))


@pytest.mark.parametrize("method", ["scalar", "nosid"])
@pytest.mark.parametrize("reading", OTHER_READINGS, ids="=".join)
def test_both_agents_agree_under_every_other_reading(kernel, method, reading):
    assert_equal(kernel, settings_of(method, 2**-6, episodes=8, **dict([reading])))


@pytest.mark.parametrize("method", MUS)
def test_both_agents_agree_under_all_other_readings_together(kernel, method):
    assert_equal(kernel, settings_of(method, 2**-6, episodes=12, **dict(OTHER_READINGS)))


@pytest.mark.slow
@pytest.mark.parametrize("method, reading", list(itertools.product(MUS, OTHER_READINGS)), ids=str)
def test_both_agents_agree_under_every_other_reading_over_100_episodes(kernel, method, reading):
    assert_equal(kernel, settings_of(method, 2**-6, episodes=100, **dict([reading])))


@pytest.mark.parametrize("reading", OTHER_READINGS, ids="=".join)
def test_every_reading_makes_a_difference(kernel, reading):
    """Else the tests above would show nothing."""
    method = "nosid" if reading[0] == "nosid_normaliser" else "scalar"
    usual = compiled.train(kernel, settings_of(method, 2**-6))
    other = compiled.train(kernel, settings_of(method, 2**-6, **dict([reading])))
    assert usual.weights.shape != other.weights.shape or not np.array_equal(usual.weights, other.weights)


@pytest.mark.parametrize("alpha, episodes", [(2**-3, (1, 2, 4, 8)), (2**-4, (1, 2, 4, 8))])
def test_where_learning_is_chaotic_the_kernel_is_as_near_as_rounding_allows(kernel, alpha, episodes):
    """Untuned at large α a change in the sixteenth digit grows without end, in the plain agent alone.

    The yardstick is the plain agent with its step-size changed by one part in 10¹⁵, as a few roundings
    would. The kernel stays within a thousand times the distance that this change makes.
    """
    for count in episodes:
        settings = settings_of("none", alpha, episodes=count)
        expected = plain.train(settings)
        perturbed = plain.train(dataclasses.replace(settings, alpha=alpha * (1 + 2**-50)))
        found = compiled.train(kernel, settings)
        assert np.array_equal(found.returns, expected.returns)
        assert distance(found, expected) <= 1000 * distance(perturbed, expected)


def test_learning_untuned_at_a_large_step_size_is_chaotic():
    """Why the closed-loop test cannot ask for 10⁻⁸ there: the plain agent does not agree with itself."""
    settings = settings_of("none", 2**-3, episodes=25)
    expected = plain.train(settings)
    perturbed = plain.train(dataclasses.replace(settings, alpha=2**-3 * (1 + 2**-50)))
    assert distance(perturbed, expected) > 1e-8


@pytest.mark.parametrize("method", MUS)
def test_late_updates_of_long_episodes_are_not_lost(kernel, method):
    """The lazy trace's factor falls to 10⁻²⁰ in an episode: without rebasing its sums lose all digits."""
    settings = settings_of(method, 2**-13, episodes=3)
    expected, found = plain.train(settings), compiled.train(kernel, settings)
    assert (expected.lengths == 200).all()
    assert distance(found, expected) <= 1e-11


@pytest.mark.slow
def test_without_rebasing_late_updates_would_be_lost(tmp_path):
    """That the test above can fail: the same kernel, compiled never to rebase."""
    path = tmp_path / "never_rebases.o"
    code = (
        "import os, sys; os.environ.update(NUMBA_CPU_NAME='generic', NUMBA_CPU_FEATURES='')\n"
        "from metatrace.compiled import lazy_kernel, object_code\n"
        "lazy_kernel.REBASE_BELOW = 0.0\n"
        "from metatrace.domains.mountain_car.domain import DOMAIN\n"
        "made = object_code.as_file('lazy_kernel', '', DOMAIN.compile('lazy_kernel'))\n"
        "open(sys.argv[1], 'wb').write(made)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    settings = settings_of("none", 2**-13, episodes=3)
    assert distance(compiled.train(compiled.load(path, "lazy_kernel"), settings), plain.train(settings)) > 1e-6


@pytest.mark.parametrize("method", MUS)
def test_a_run_in_chunks_is_the_run_in_one(kernel, method, monkeypatch):
    settings = settings_of(method, 2**-6, episodes=120)
    whole = compiled.train(kernel, settings)
    for size in (1, 7):
        monkeypatch.setattr(compiled, "_EPISODES_PER_CALL", size)
        chunked = compiled.train(kernel, settings)
        assert np.array_equal(chunked.returns, whole.returns)
        assert np.array_equal(chunked.lengths, whole.lengths)
        assert np.array_equal(chunked.weights, whole.weights)
        assert chunked.steps == whole.steps == whole.lengths.sum()


def test_a_shorter_run_is_the_beginning_of_a_longer_one(kernel):
    longer = compiled.train(kernel, settings_of("scalar", 2**-6, episodes=130))
    shorter = compiled.train(kernel, settings_of("scalar", 2**-6, episodes=77))
    assert np.array_equal(longer.returns[:77], shorter.returns)


def test_both_agents_agree_beyond_the_first_chunk(kernel):
    assert_equal(kernel, settings_of("scalar", 2**-5, episodes=60))


def test_progress_is_told_of_every_episode_once(kernel):
    settings = settings_of("scalar", 2**-6, episodes=120)
    told = []
    compiled.train(kernel, settings, told.append)
    assert sum(told) == 120 and len(told) > 1
    told = []
    plain.train(dataclasses.replace(settings, episodes=3), told.append)
    assert told == [1, 1, 1]


def starts_met(kernel, settings):
    """Where the episodes of a training start, read at the call of the kernel."""
    starts = []

    def listening(episodes, run, flips):
        starts.extend((ctypes.c_double * episodes).from_address(run + RECORD.fields["starts"][1]))
        kernel(episodes, run, flips)

    compiled.train(listening, settings)
    return starts


def test_methods_with_the_same_seed_meet_the_same_starts(kernel):
    met = {
        tuple(starts_met(kernel, settings_of(method, alpha, episodes=70, seed=5)))
        for method in MUS
        for alpha in (2**-4, 2**-9)
    }
    assert len(met) == 1 and len(set(met.pop())) == 70


def test_the_starts_are_gymnasiums(kernel):
    environment = gymnasium.make("MountainCar-v0").unwrapped
    environment.np_random = random_streams(5).starts
    expected = [environment.reset() and environment.state[0] for _ in range(70)]
    assert starts_met(kernel, settings_of("scalar", 2**-6, episodes=70, seed=5)) == expected


def test_another_seed_is_another_run_and_the_same_seed_the_same(kernel):
    runs = [compiled.train(kernel, settings_of("scalar", 2**-5, episodes=60, seed=seed)) for seed in (0, 0, 1, 2)]
    assert np.array_equal(runs[0].weights, runs[1].weights)
    assert len({run.weights.tobytes() for run in runs}) == 3
    assert len({run.returns.tobytes() for run in runs}) == 3


def test_starts_and_actions_come_from_different_streams():
    streams = dataclasses.astuple(random_streams(0))
    drawn = [set(stream.random(1000)) for stream in streams]
    assert len(set.union(*drawn)) == 1000 * len(streams) == 4000
