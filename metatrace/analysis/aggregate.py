"""From runs to five tidy tables: curves, scores, settings, spread and tenths.

A setting is (environment, method, α, μ, drift), all tokens; a run is a setting and a seed. Rows are ordered by setting,
as in `groups`, then by seed or episode.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metatrace.analysis import intervals, smoothing
from metatrace.analysis.groups import SETTING, by_setting, per_run
from metatrace.numbers import parse
from metatrace.runs.results import Run


class Tables(NamedTuple):
    """The tables of `aggregate`; low and high bound 95 % bootstrap intervals over seeds.

    curves (one row per setting and kept episode): environment, method, alpha, mu, drift, episode (from 1;
      `smoothing.drawn_episodes` says which are kept), mean, low, high (of the trailing mean of returns), runs.
    scores (one row per run): environment, method, alpha, mu, drift, seed, episodes, final (mean return over the last
      `final_episodes`), final_episodes, auc (mean return over all episodes), diverged, diverged_episode (from 0;
      missing if the run did not diverge).
    settings (one row per setting): of `settings`.
    spread (one row per environment, method, mu and drift): alphas (how many α), spread, spread_low, spread_high.
    tenths (one row per run): environment, method, alpha, mu, drift, seed, first (mean return over the first
      `final_episodes`), tenth_1 … tenth_10 (mean return over each tenth of the episodes; NaN for an empty one).
    """

    curves: pd.DataFrame
    scores: pd.DataFrame
    settings: pd.DataFrame
    spread: pd.DataFrame
    tenths: pd.DataFrame


def aggregate(runs: Sequence[Run], *, window: int, final: int = 100, spread_alpha_max: float) -> Tables:
    """Aggregates runs over their seeds.

    Args:
      runs: all runs of a grid, in any order; they have the same number of episodes.
      window: of the trailing mean, in episodes.
      final: how many last episodes make the final score; all of them if a run has fewer.
      spread_alpha_max: the largest α that the spread counts (the paper's legend ends at 2^-5).
    """

    def score(run: Run) -> dict[str, Any]:
        last = run.returns[-final:]
        return {
            "episodes": len(run.returns),
            "final": last.mean(),
            "final_episodes": len(last),
            "auc": run.returns.mean(),
            "diverged": run.diverged_episode is not None,
            "diverged_episode": run.diverged_episode,
        }

    def tenths(run: Run) -> dict[str, float]:
        parts = enumerate(np.array_split(run.returns, 10), 1)
        means = {f"tenth_{i}": part.mean() if len(part) else np.nan for i, part in parts}
        return {"first": run.returns[:final].mean(), **means}

    groups = by_setting(runs)
    smooth = {
        setting: smoothing.trailing_mean(np.stack([run.returns for run in members]), window)
        for setting, members in groups.items()
    }
    scores = per_run(groups, score).astype({"diverged_episode": "Int64"})
    return Tables(
        curve_table((setting._asdict(), values) for setting, values in smooth.items()),
        scores,
        settings(scores),
        _spread(scores, spread_alpha_max),
        per_run(groups, tenths),
    )


def curve_table(curves: Iterable[tuple[Mapping[str, str], np.ndarray]]) -> pd.DataFrame:
    """Means over runs with intervals, at the kept episodes.

    Args:
      curves: for each curve the columns that name it, and its runs: (runs, episodes).

    Returns:
      one row per curve and kept episode: the columns that name it, episode (from 1), mean, low, high, runs.
    """
    parts = []
    for names, values in curves:
        kept = smoothing.drawn_episodes(values.shape[1])
        parts.append(curve(names, "episode", (kept + 1).astype(np.int32), values[:, kept]))
    return pd.concat(parts, ignore_index=True)


def curve(names: Mapping[str, str], over: str, at: np.ndarray, values: np.ndarray) -> pd.DataFrame:
    """A mean over runs with its interval.

    Args:
      names: the columns that name the curve.
      over: what it goes over, episode or frame. at: (k,), where its points are.
      values: (runs, k).

    Returns:
      one row per point: the columns that name it, `over`, mean, low, high, runs.
    """
    low, high = intervals.mean_interval(values, resamples=intervals.CURVE_RESAMPLES)
    runs = np.full(len(at), len(values), at.dtype)
    return pd.DataFrame({**names, over: at, "mean": values.mean(axis=0), "low": low, "high": high, "runs": runs})


def settings(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of each setting: means over its runs, with intervals.

    A mean is NaN if any run has no score. A mean over the other runs would favour settings whose slow runs drop out,
    and would be over other seeds than its neighbours'.

    Args:
      scores: one row per run, with final, auc, diverged, and of games entropy.

    Returns:
      one row per setting, in the order of `scores`: environment, method, alpha, mu, drift, runs, final, final_low,
      final_high, auc, auc_low, auc_high, entropy (if `scores` has it), diverged (how many runs).
    """
    rows: list[dict[str, Any]] = []
    # sort=False keeps the order by value; sorting the tokens as text would break it.
    for setting, runs in scores.groupby(SETTING, sort=False):
        row: dict[str, Any] = {**dict(zip(SETTING, setting, strict=True)), "runs": len(runs)}
        for score in ("final", "auc"):
            row |= intervals.with_interval(score, runs[score].to_numpy())
        if "entropy" in runs:
            row["entropy"] = runs["entropy"].mean(skipna=False)
        rows.append({**row, "diverged": runs["diverged"].sum()})
    return pd.DataFrame(rows)


def _spread(scores: pd.DataFrame, alpha_max: float) -> pd.DataFrame:
    keys = ["environment", "method", "mu", "drift"]
    rows = []
    for key, runs in scores.groupby(keys, sort=False):
        counted = runs[runs["alpha"].map(lambda token: parse(token, "alpha") <= alpha_max)]
        auc = [group["auc"].to_numpy() for _, group in counted.groupby("alpha", sort=False)]
        spread = alpha_spread(np.stack(auc, axis=1) if auc else np.empty((1, 0)))
        rows.append([*key, len(auc), *spread])
    return pd.DataFrame(rows, columns=[*keys, "alphas", "spread", "spread_low", "spread_high"])


def alpha_spread(auc: np.ndarray) -> tuple[float, float, float]:
    """How much the choice of α matters: the standard deviation over α of the mean AUC.

    spread = √( (1/A) Σₐ (m̄ₐ − m̄)² ), m̄ₐ the mean over seeds at α number a: the population's standard deviation (ddof
    0), because the α are a whole grid and not a sample. The interval resamples seeds jointly over α, because runs with
    the same seed meet the same noise.

    Args:
      auc: (seeds, alphas), mean return of each run.

    Returns:
      spread, low, high, in units of return. All NaN for fewer than two α; low and high NaN for a single seed.
    """
    seeds, alphas = auc.shape
    if alphas < 2:
        return np.nan, np.nan, np.nan
    spread = float(auc.mean(axis=0).std())
    if seeds < 2:
        return spread, np.nan, np.nan
    means = intervals.resampled_means(auc, intervals.resampling_weights(seeds))
    low, high = intervals.percentile_interval(means.std(axis=1))
    return spread, float(low), float(high)
