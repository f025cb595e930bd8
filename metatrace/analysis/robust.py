"""Few runs over several tasks: interquartile mean, probability of improvement, stratified bootstrap.

After Agarwal, Schwarzer, Castro, Courville and Bellemare, *Deep Reinforcement Learning at the Edge of the
Statistical Precipice* (2021). Seeded: the same scores give the same interval to the byte. A score of NaN (a run without
one) makes every statistic that it enters NaN.
"""

from collections.abc import Callable

import numpy as np

from metatrace.analysis.intervals import RESAMPLES, percentile_interval


def interquartile_mean(scores: np.ndarray) -> float:
    """The mean of the middle half of all scores, over runs and tasks together.

    IQM = (1/(N − 2k)) Σ_{i = k+1}^{N−k} x₍ᵢ₎, x₍ᵢ₎ the N scores in ascending order, k = ⌊N/4⌋.

    Args:
      scores: (runs, tasks), at least one, comparable from task to task.

    Returns:
      in the unit of the scores.
    """
    ordered = np.sort(scores, axis=None)
    if np.isnan(ordered[-1]):  # a sort puts NaN last, and trimming would hide it
        return np.nan
    cut = len(ordered) // 4
    return float(ordered[cut : len(ordered) - cut].mean())


def probability_of_improvement(first: np.ndarray, second: np.ndarray) -> float:
    """How likely a run of the first method is better than one of the second, on a task drawn at random.

    P(X > Y) = (1/T) Σₜ (1/(n m)) Σᵢⱼ S(xᵢₜ, yⱼₜ), S = 1 where x > y, ½ where x = y, else 0.

    Args:
      first: (n, tasks).
      second: (m, tasks), of the same tasks.

    Returns:
      from 0 to 1; ½ if neither is better.
    """
    ahead = np.sign(first[:, None] - second[None, :])  # (n, m, tasks)
    return float((0.5 * (1 + ahead)).mean())


def stratified_interval(
    statistic: Callable[..., float], *scores: np.ndarray, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """A 95 % percentile bootstrap interval that resamples the runs of each task separately.

    Args:
      statistic: a function of as many arrays as `scores`.
      scores: (runs, tasks), each resampled separately.

    Returns:
      low, high, of the statistic. NaN if every array has a single run: its interval is unknown, not of zero width.
    """
    if all(len(values) < 2 for values in scores):
        return np.nan, np.nan
    rng = np.random.default_rng(0)
    samples = np.array([statistic(*(_resampled(values, rng) for values in scores)) for _ in range(resamples)])
    low, high = percentile_interval(samples)
    return float(low), float(high)


def _resampled(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many runs of each task, drawn with replacement."""
    return np.take_along_axis(scores, rng.integers(0, len(scores), scores.shape), axis=0)
