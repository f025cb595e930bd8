import numpy as np
import pytest

from metatrace.analysis.intervals import (
    mean_interval,
    percentile_interval,
    resampled_means,
    resampling_weights,
)


def test_weights_are_shares_of_draws_with_replacement():
    weights = resampling_weights(4, 500)
    assert weights.shape == (500, 4)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    np.testing.assert_array_equal(weights * 4, np.round(weights * 4))
    np.testing.assert_allclose(weights.mean(axis=0), 0.25, atol=0.03)
    # A run is left out of a resample with probability (3/4)⁴.
    assert np.mean(weights == 0) == pytest.approx(0.75**4, abs=0.03)


def test_resampled_means_are_weighted_means():
    values = np.array([[0.0, 10.0], [4.0, 20.0]])
    weights = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(resampled_means(values, weights), [[2, 15], [0, 10], [4, 20]])


def test_percentiles_are_numpys_linear_quantiles():
    samples = np.random.default_rng(3).normal(size=(201, 4))
    low, high = np.quantile(samples, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(percentile_interval(samples), (low, high), rtol=1e-12)


def test_interval_of_three_runs_worked_out_in_full():
    # The 27 equally likely resamples of (0, 3, 30): the mean of (0, 0, 0) is the smallest with
    # probability 1/27 > 2.5 %, that of (30, 30, 30) the largest alike.
    assert mean_interval(np.array([0.0, 3.0, 30.0])) == (0, 30)


def test_interval_covers_the_true_mean_about_as_often_as_it_says():
    samples = np.random.default_rng(0).normal(5, 2, size=(30, 1500))
    low, high = mean_interval(samples, resamples=600)
    # The percentile bootstrap of 30 falls a little short of its level.
    assert 0.9 < np.mean((low <= 5) & (high >= 5)) < 0.97


def test_single_run_has_no_known_interval():
    assert np.isnan(mean_interval(np.array([7.0]))).all()
    low, high = mean_interval(np.ones((1, 4)))
    assert low.shape == (4,) and np.isnan(low).all() and np.isnan(high).all()


def test_runs_that_agree_give_exactly_their_value():
    low, high = mean_interval(np.full((7, 3), -200.0))
    np.testing.assert_array_equal([low, high], np.full((2, 3), -200.0))


def test_a_column_has_the_same_bytes_alone_and_among_many():
    values = np.random.default_rng(1).normal(size=(6, 300))
    low, high = mean_interval(values)
    assert mean_interval(values[:, 299]) == (low[299], high[299])
    assert low.tobytes() == mean_interval(values)[0].tobytes()
