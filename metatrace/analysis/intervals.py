"""Percentile bootstrap over seeds, seeded: the same values give the same interval to the byte."""

from typing import Any

import numpy as np

RESAMPLES = 2000
# Learning curves need an interval at every episode, and the eye cannot tell 1000 resamples from 2000.
CURVE_RESAMPLES = 1000
_LEVEL = 0.95
# How many columns are resampled at a time: the work space stays in the processor's cache.
_COLUMNS = 128


def resampling_weights(runs: int, resamples: int = RESAMPLES) -> np.ndarray:
    """The weight of each run in each bootstrap resample.

    Wᵦᵢ = (how often resample b draws run i) / runs, from runs draws with replacement.

    Returns:
      (resamples, runs), float64, rows that sum to 1.
    """
    counts = np.random.default_rng(0).multinomial(runs, np.full(runs, 1 / runs), size=resamples)
    return counts / runs


def resampled_means(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean over runs in each resample: W x, the same resample for all columns.

    Args:
      values: (runs, k).
      weights: (resamples, runs), of `resampling_weights`.

    Returns:
      (resamples, k).
    """
    values = np.asarray(values, np.float64)
    centre = values.mean(axis=0)
    # About the mean: if all runs agree exactly, so does the interval. And run by run, not by BLAS, whose last digit
    # depends on the shape and the number of threads.
    deviations = values - centre
    means = np.zeros((len(weights), values.shape[1]))
    product = np.empty_like(means)
    for weight, deviation in zip(weights.T, deviations, strict=True):
        means += np.multiply(weight[:, None], deviation, out=product)
    means += centre
    return means


def percentile_interval(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % interval of bootstrap samples: their quantiles (1 − level)/2 and (1 + level)/2.

    Args:
      samples: (resamples, …), one statistic per resample (and column).

    Returns:
      low, high: (…), each.
    """
    # The same as np.quantile ("linear"), but a sort along contiguous rows is several times faster.
    ordered = np.sort(np.moveaxis(np.asarray(samples, np.float64), 0, -1), axis=-1)
    low, high = (_quantile(ordered, share) for share in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2))
    return low, high


def _quantile(ordered: np.ndarray, share: float) -> np.ndarray:
    last = ordered.shape[-1] - 1
    below = int(share * last)
    left, right = ordered[..., below], ordered[..., min(below + 1, last)]
    return left + (share * last - below) * (right - left)


def mean_interval(values: np.ndarray, *, resamples: int = RESAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """A 95 % percentile bootstrap interval of the mean over runs.

    Args:
      values: (runs,) or (runs, k); the columns share their resamples.

    Returns:
      low, high: () or (k,), in the unit of `values`. NaN for a single run: its interval is unknown, not of zero width.
    """
    values = np.asarray(values, np.float64)
    runs, shape = values.shape[0], values.shape[1:]
    columns = values.reshape(runs, -1)
    low = np.full(columns.shape[1], np.nan)
    high = low.copy()
    if runs > 1:
        weights = resampling_weights(runs, resamples)
        for start in range(0, columns.shape[1], _COLUMNS):
            part = slice(start, start + _COLUMNS)
            low[part], high[part] = percentile_interval(resampled_means(columns[:, part], weights))
    return low.reshape(shape)[()], high.reshape(shape)[()]


def with_interval(name: str, values: np.ndarray) -> dict[str, Any]:
    """The mean of a score over runs (runs,) with its interval, by column: `name`, `name`_low and `name`_high."""
    low, high = mean_interval(values)
    return {name: values.mean(), f"{name}_low": low, f"{name}_high": high}
