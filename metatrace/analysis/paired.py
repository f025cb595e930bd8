"""Two methods compared at the same settings and seeds, as the paper compares SID and NOSID in words."""

from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import intervals

SCORES = ("auc", "final")


def differences(scores: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """How much better the first of two methods does than the second, at every α and μ.

    d̄ = (1/n) Σᵢ (xᵢ − yᵢ), xᵢ and yᵢ the scores of the two methods' runs with seed i, which draw the same numbers. As
    a multiple of the standard deviation over seeds: d̄ / √((s²ₓ + s²ᵧ) / 2), with sample variances (ddof 1).

    Args:
      scores: of `aggregate`, of one environment and drift; both methods have the same α, μ and seeds.
      first, second: the two methods.

    Returns:
      one row per setting, in the order of `scores`: environment, first, second, drift, alpha, mu, runs (of each
      method), and for each of `auc` and `final`, in units of return: auc_difference, auc_low, auc_high (95 % bootstrap
      interval over seeds), auc_significant (whether the interval excludes 0; False for a single seed, whose interval is
      unknown), auc_first_deviation, auc_second_deviation (NaN for a single seed) and auc_multiple (NaN if both
      deviations are 0 or unknown).
    """
    keys = ["environment", "drift", "alpha", "mu"]
    by_method = [scores[scores["method"] == method] for method in (first, second)]
    pairs = by_method[0].merge(by_method[1], on=[*keys, "seed"], suffixes=("_first", "_second"), validate="1:1")
    rows: list[dict[str, Any]] = []
    for (environment, drift, alpha, mu), runs in pairs.groupby(keys, sort=False):
        row = {"environment": environment, "first": first, "second": second}
        row |= {"drift": drift, "alpha": alpha, "mu": mu, "runs": len(runs)}
        for score in SCORES:
            row |= _compared(score, runs[f"{score}_first"], runs[f"{score}_second"])
        rows.append(row)
    return pd.DataFrame(rows)


def _compared(score: str, first: pd.Series, second: pd.Series) -> dict[str, Any]:
    """One score of a setting; both are (seeds,), in the same order."""
    paired = (first - second).to_numpy()
    low, high = intervals.mean_interval(paired)
    pooled = np.sqrt((first.std() ** 2 + second.std() ** 2) / 2)
    return {
        f"{score}_difference": paired.mean(),
        f"{score}_low": low,
        f"{score}_high": high,
        # With an unknown interval (NaN), neither comparison holds.
        f"{score}_significant": bool(low > 0 or high < 0),
        f"{score}_first_deviation": first.std(),
        f"{score}_second_deviation": second.std(),
        f"{score}_multiple": paired.mean() / pooled if pooled > 0 else np.nan,
    }


def overview(differences: pd.DataFrame) -> pd.DataFrame:
    """The differences, summarized.

    Args:
      differences: of `differences`.

    Returns:
      one row per score (auc, final): environment, first, second, score, settings (how many), significant (at how many
      the interval excludes 0), first_better and second_better (how many of these), share_significant (of all settings),
      median_difference and median_abs_difference (over settings, in units of return), median_abs_multiple (of the
      standard deviation over seeds; NaN if it is never known), largest_difference (with its sign), and where it occurs:
      largest_alpha, largest_mu.
    """
    rows: list[dict[str, Any]] = []
    for score in SCORES:
        values, marked = differences[f"{score}_difference"], differences[f"{score}_significant"]
        largest = differences.iloc[int(np.argmax(values.abs()))]
        rows.append(
            {
                **{key: largest[key] for key in ("environment", "first", "second")},
                "score": score,
                "settings": len(values),
                "significant": marked.sum(),
                "first_better": (marked & (values > 0)).sum(),
                "second_better": (marked & (values < 0)).sum(),
                "share_significant": marked.mean(),
                "median_difference": values.median(),
                "median_abs_difference": values.abs().median(),
                "median_abs_multiple": differences[f"{score}_multiple"].abs().median(),
                "largest_difference": largest[f"{score}_difference"],
                "largest_alpha": largest["alpha"],
                "largest_mu": largest["mu"],
            }
        )
    return pd.DataFrame(rows)
