"""What the field reports of a method over seeds: interquartile mean, probability of improvement, performance profile.

After Agarwal, Schwarzer, Castro, Courville and Bellemare, *Deep Reinforcement Learning at the Edge of the Statistical
Precipice* (2021), on one task. Intervals are 95 % bootstrap intervals over seeds.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import intervals, robust
from metatrace.analysis.groups import SETTING

# At how many returns a profile is known.
_POINTS = 101
_CASE = ["environment", "drift"]


def interquartile_means(scores: pd.DataFrame) -> pd.DataFrame:
    """The mean of the middle half of a setting's final returns.

    Args:
      scores: one row per run, with final; one setting per method and drift.

    Returns:
      one row per setting, in the order of `scores`: it, runs, iqm, iqm_low, iqm_high.
    """
    rows = []
    for setting, runs in scores.groupby(SETTING, sort=False):
        finals = runs["final"].to_numpy()[:, None]
        low, high = robust.stratified_interval(robust.interquartile_mean, finals)
        made = {"runs": len(finals), "iqm": robust.interquartile_mean(finals), "iqm_low": low, "iqm_high": high}
        rows.append({**dict(zip(SETTING, setting, strict=True)), **made})
    return pd.DataFrame(rows)


def improvements(scores: pd.DataFrame) -> pd.DataFrame:
    """How likely a run of one method ends better than a run of another.

    P(X > Y) = (1/nm) Σᵢⱼ S(xᵢ, yⱼ), S = 1 where x > y, ½ where x = y, else 0, of final returns.

    Args:
      scores: as of `interquartile_means`.

    Returns:
      one row per pair of methods and drift: environment, drift, method, other (which stands before it in `scores`),
      runs, improvement, improvement_low, improvement_high.
    """
    columns = [*_CASE, "method", "other", "runs", "improvement", "improvement_low", "improvement_high"]
    rows: list[dict[str, Any]] = []
    for case, here in scores.groupby(_CASE, sort=False):
        finals = {str(method): runs["final"].to_numpy()[:, None] for method, runs in here.groupby("method", sort=False)}
        for other, method in combinations(finals, 2):
            pair = finals[method], finals[other]
            ends = robust.stratified_interval(robust.probability_of_improvement, *pair)
            values = (*case, method, other, len(pair[0]), robust.probability_of_improvement(*pair), *ends)
            rows.append(dict(zip(columns, values, strict=True)))
    return pd.DataFrame(rows, columns=columns)


def profiles(scores: pd.DataFrame) -> pd.DataFrame:
    """Which share of a setting's runs ends above a return τ, for every τ from the least to the largest of all runs.

    F(τ) = (1/n) Σᵢ [xᵢ > τ]

    Args:
      scores: as of `interquartile_means`.

    Returns:
      `_POINTS` rows per setting, in the order of `scores`: it, final (τ), mean (the share), low, high.
    """
    least, most = np.floor(scores["final"].min()), np.ceil(scores["final"].max())
    returns = np.linspace(least, max(most, least + 1), _POINTS)
    parts = []
    for setting, runs in scores.groupby(SETTING, sort=False):
        above = (runs["final"].to_numpy()[:, None] > returns).astype(np.float64)
        low, high = intervals.mean_interval(above, resamples=intervals.CURVE_RESAMPLES)
        part = dict(zip(SETTING, setting, strict=True))
        parts.append(pd.DataFrame(part | {"final": returns, "mean": above.mean(axis=0), "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True)
