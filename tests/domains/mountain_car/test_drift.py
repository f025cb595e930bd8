"""Drift and noise: drawn by gaps as if drawn one by one, and the same for both agents."""

import numpy as np
import pytest

from metatrace.domains.mountain_car import kernels
from metatrace.domains.mountain_car.drift import N_NOISE, Drift, flip_gaps, noise_words
from metatrace.domains.mountain_car.features import BIAS, FIRST_NOISE, N_FEATURES, RECORD
from metatrace.domains.mountain_car.tiles import N_TILES


def generator(*seed):
    return np.random.Generator(np.random.PCG64(list(seed)))


def flips_by_gaps(rate, steps, seed):
    """How many signs flip in each of `steps` steps, and how often each does."""
    drift = Drift(rate, generator(seed, 0), generator(seed, 1))
    per_step, per_feature = np.zeros(steps, int), np.zeros(N_TILES, int)
    for step in range(steps):
        before = drift.signs.copy()
        drift.step()
        flipped = drift.signs != before
        per_step[step] = flipped.sum()
        per_feature += flipped
    return per_step, per_feature


def flips_one_by_one(rate, steps, seed):
    """The same by N_TILES draws a step."""
    flipped = generator(seed).random((steps, N_TILES)) < rate
    return flipped.sum(axis=1), flipped.sum(axis=0)


def chi_squared(table):
    """Pearson's statistic of how far the rows of a table of counts are from one distribution."""
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    return ((table - expected) ** 2 / expected).sum()


def beyond_one_in_a_thousand(freedom):
    """The 0.999 quantile of χ², by the cube root of Wilson and Hilferty: right to 3 % from 2 degrees on."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + 3.0902 * np.sqrt(part)) ** 3


@pytest.mark.parametrize("rate", [1e-4, 1e-3, 0.02])
def test_flips_by_gaps_are_distributed_as_flips_one_by_one(rate):
    """The counts a step and a feature against brute force (two samples), and against the binomial mean."""
    steps = 4000
    for by_gaps, brute in zip(flips_by_gaps(rate, steps, 1), flips_one_by_one(rate, steps, 2), strict=True):
        most = max(by_gaps.max(), brute.max()) + 1
        table = np.array([np.bincount(counts, minlength=most) for counts in (by_gaps, brute)])
        table = table[:, table.sum(axis=0) > 10]
        assert chi_squared(table) < beyond_one_in_a_thousand(table.shape[1] - 1)
    expected = rate * steps * N_TILES
    assert abs(by_gaps.sum() - expected) < 5 * np.sqrt(expected)


def test_a_rate_of_zero_never_flips_and_a_rate_of_one_always():
    assert flips_by_gaps(0.0, 50, 0)[0].sum() == 0
    assert (flips_by_gaps(1.0, 50, 0)[0] == N_TILES).all()


def test_signs_start_positive_and_live_on():
    drift = Drift(0.01, generator(3), generator(4))
    assert (drift.signs == 1).all()
    for _ in range(200):
        drift.step()
    assert set(np.unique(drift.signs)) == {-1.0, 1.0}
    assert 0.3 < (drift.signs < 0).mean() < 0.6  # 2 flips a feature: on the way to a half


def test_noise_is_fair_fresh_and_without_memory():
    drift = Drift(0.0, generator(5), generator(6))
    noise = np.array([drift.noise() for _ in range(4000)])
    assert noise.shape == (4000, N_NOISE) and set(np.unique(noise)) == {0.0, 1.0}
    assert (abs(noise.mean(axis=0) - 0.5) < 5 * 0.5 / np.sqrt(4000)).all()
    together = np.corrcoef(np.hstack([noise[1:], noise[:-1]]).T) - np.eye(2 * N_NOISE)
    assert abs(together).max() < 5 / np.sqrt(4000)


def test_many_draws_at_once_are_the_draws_one_by_one():
    """What lets the kernel draw ahead: the generator does not tell the two apart."""
    one, other = generator(7), generator(7)
    assert (flip_gaps(one, 1e-4, 50) == [flip_gaps(other, 1e-4, 1)[0] for _ in range(50)]).all()
    assert (noise_words(one, 7) == [noise_words(other, 1)[0] for _ in range(7)]).all()
    assert (noise_words(one, 8) == noise_words(other, 8)).all()


@pytest.mark.parametrize("rate", [1e-4, 0.01])
def test_the_kernels_signs_are_the_plain_agents(rate):
    drift = Drift(rate, generator(8), generator(9))
    places = -1 + np.cumsum(flip_gaps(generator(8), rate, 100_000))
    signs, used = np.ones(N_TILES), 0
    for step in range(1000):
        drift.step()
        used = kernels.drift_one_step(step, places, used, signs)
        assert np.array_equal(signs, drift.signs)
    assert used == (places < 1000 * N_TILES).sum()


@pytest.mark.parametrize("has_bias", [0, 1])
@pytest.mark.parametrize("drifting", [0, 1])
def test_the_kernel_observes_tiles_with_signs_bias_and_noise(drifting, has_bias):
    rng = generator(10)
    active, x = np.zeros(N_FEATURES, np.int64), np.zeros(N_FEATURES)
    run = np.zeros(1, RECORD)[0]
    run["drifting"], run["has_bias"], run["tiles_per_range"] = drifting, has_bias, 9.0
    for _ in range(200):
        signs = run["signs"][:] = rng.choice([-1.0, 1.0], N_TILES)
        word = int(noise_words(rng, 1)[0])
        state = rng.uniform(-1.2, 0.6), rng.uniform(-0.07, 0.07)
        count = kernels.observe(state, run, word, active, x)
        found = dict(zip(active[:count], x[:count], strict=True))
        tiles = [i for i in found if i < N_TILES]
        noise = {i - FIRST_NOISE for i in found if i >= FIRST_NOISE}
        assert len(found) == count and len(tiles) == 16
        assert all(found[i] == (signs[i] if drifting else 1.0) for i in tiles)
        assert (BIAS in found) == has_bias
        assert noise == ({bit for bit in range(N_NOISE) if word >> bit & 1} if drifting else set())
