"""What statistics of several families use."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from metatrace.report.claim_scores import LackingError, Scores, number
from metatrace.runs.key import UNTUNED

# The largest α in the legend of the paper's figures.
LEGEND = 2.0**-5
# What figures 6 and 8 compare.
METHODS = (UNTUNED, "scalar", "vector", "mixed")
# Differences of returns up to this are rounding errors.
ZERO = 1e-9

Numbers = dict[str, float]


def spread(auc: np.ndarray) -> np.ndarray:
    """The standard deviation over α of the mean over seeds; auc: (seeds, alphas, …)."""
    return np.asarray(auc.mean(axis=0).std(axis=0))


def octaves(tokens: Sequence[str]) -> np.ndarray:
    """log₂ of number tokens; −∞ of 0."""
    with np.errstate(divide="ignore"):
        return np.log2([number(token) for token in tokens])


def ratio(one: Any, other: Any) -> Any:
    """one / other, of numbers or arrays; NaN where the denominator is negative, or zero but for rounding.

    Without this, a bootstrap resample that draws one seed only divides by a spread of 10^-14, and its interval ends
    at 10^12.
    """
    return np.divide(one, np.where(np.asarray(other) > ZERO, other, np.nan))


def less(one: Any, other: Any) -> np.ndarray:
    """1 where one < other, 0 where not, NaN where either is NaN."""
    return np.where(np.isnan(one) | np.isnan(other), np.nan, np.less(one, other))


def least(values: Iterable[Any]) -> float:
    """The smallest value; NaN if any is NaN, which Python's own `min` may hide."""
    return float(np.min(list(values)))


def alphas_of_both(one: Scores, other: Scores) -> None:
    if one.values("alpha") != other.values("alpha"):
        raise LackingError("the same α with all of its methods")


def legend(scores: Scores) -> Scores:
    """Those of the α in the paper's legend."""
    return scores.up_to("alpha", LEGEND)
