"""Two methods compared at the same settings and seeds, as the paper compares SID and NOSID in words."""

from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import intervals
from metatrace.errors import UserError

SCORES = ("auc", "final")
_SETTING = ["alpha", "mu"]
_COLUMNS = {
    **dict.fromkeys(("environment", "first", "second", "drift", *_SETTING), "str"),
    "runs": "int64",
}
_OVERVIEW = {
    **dict.fromkeys(("environment", "first", "second", "score"), "str"),
    **dict.fromkeys(("settings", "significant", "first_better", "second_better"), "int64"),
    **dict.fromkeys(("share_significant", "median_difference", "median_abs_difference"), "float64"),
    **dict.fromkeys(("median_abs_multiple", "largest_difference"), "float64"),
    **dict.fromkeys(("largest_alpha", "largest_mu"), "str"),
}


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

    Raises:
      UserError: a method has no runs, or only one of the two has some setting and seed.
    """
    for column in ("environment", "drift"):
        if scores[column].nunique() > 1:
            raise UserError(f"the runs have several values of {column}; a comparison needs a single one")
    by_method = {method: scores[scores["method"] == method] for method in (first, second)}
    for method, part in by_method.items():
        if part.empty:
            there = ", ".join(scores["method"].unique())
            raise UserError(f"there are no runs of {method} to compare; there are runs of {there}")
    runs = [{key: rows for key, rows in part.groupby(_SETTING, sort=False)} for part in by_method.values()]
    rows: list[dict[str, Any]] = []
    for alpha, mu in dict.fromkeys([*runs[0], *runs[1]]):
        here = [part[alpha, mu].sort_values("seed") if (alpha, mu) in part else None for part in runs]
        if here[0] is None or here[1] is None or list(here[0]["seed"]) != list(here[1]["seed"]):
            raise UserError(
                f"{first} and {second} do not have the same seeds at alpha {alpha} mu {mu}; "
                "run both with the same settings and seeds"
            )
        row: dict[str, Any] = {key: here[0][key].iloc[0] for key in ("environment", "drift")}
        row |= {"first": first, "second": second, "alpha": alpha, "mu": mu, "runs": len(here[0])}
        for score in SCORES:
            row |= _compared(score, here[0][score].to_numpy(), here[1][score].to_numpy())
        rows.append(row)
    columns = [*_COLUMNS, *(key for key in rows[0] if key not in _COLUMNS)]
    return pd.DataFrame(rows, columns=columns).astype(_COLUMNS)


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
        multiples = differences[f"{score}_multiple"].abs().dropna()
        largest = differences.iloc[int(np.argmax(values.abs()))]
        rows.append(
            {
                **{key: largest[key] for key in ("environment", "first", "second")},
                "score": score,
                "settings": len(values),
                "significant": int(marked.sum()),
                "first_better": int((marked & (values > 0)).sum()),
                "second_better": int((marked & (values < 0)).sum()),
                "share_significant": marked.mean(),
                "median_difference": values.median(),
                "median_abs_difference": values.abs().median(),
                "median_abs_multiple": multiples.median() if len(multiples) else np.nan,
                "largest_difference": largest[f"{score}_difference"],
                "largest_alpha": largest["alpha"],
                "largest_mu": largest["mu"],
            }
        )
    return pd.DataFrame(rows, columns=list(_OVERVIEW)).astype(_OVERVIEW)


def _compared(score: str, first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """One score of a setting; both are (seeds,), in the same order."""
    paired = first - second
    low, high = intervals.mean_interval(paired)
    deviations = [values.std(ddof=1) if len(values) > 1 else np.nan for values in (first, second)]
    pooled = np.sqrt((deviations[0] ** 2 + deviations[1] ** 2) / 2)
    return {
        f"{score}_difference": paired.mean(),
        f"{score}_low": low,
        f"{score}_high": high,
        # With an unknown interval (NaN), neither comparison holds.
        f"{score}_significant": bool(low > 0 or high < 0),
        f"{score}_first_deviation": deviations[0],
        f"{score}_second_deviation": deviations[1],
        f"{score}_multiple": paired.mean() / pooled if pooled > 0 else np.nan,
    }
