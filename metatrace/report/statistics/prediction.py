"""The statistics of predictions: K7 to K9."""

from collections.abc import Callable, Iterable

import numpy as np

from metatrace.report.claim_scores import Roles, Scores
from metatrace.report.statistics.common import ZERO, Numbers, least, octaves, ratio
from metatrace.runs.key import UNTUNED

# Figure P3: the drift rates of its predictions on noisy features, and the share of the best error that counts as good.
PREDICTION_RATES = ("0", "6e-6")
NEARLY_BEST = 1.1


def _errors(runs: Scores, axis: str) -> np.ndarray:
    """The final error at each α or μ, mean over seeds: downward."""
    return np.asarray(runs.grid("final", axis).mean(axis=0))


def _predictions(roles: Roles, method: str) -> list[Scores]:
    """A method's runs on noisy features at each drift rate, upward."""
    runs = roles["tuned"].all_of("drift", PREDICTION_RATES).of(method=method)
    return [runs.of(drift=rate) for rate in PREDICTION_RATES]


def _error_ratios(one: Iterable[np.ndarray], other: Iterable[np.ndarray]) -> list[float]:
    """The least error of one method over that of another, at each drift rate; NaN where any is NaN."""
    return [float(ratio(errors.min(), others.min())) for errors, others in zip(one, other, strict=True)]


def _nearly_best_octaves(runs: Scores) -> float:
    """Over how many octaves of μ the error is within a tenth of its least; straight lines over log₂ μ between the μ."""
    errors, log_mu = _errors(runs, "mu"), octaves(runs.values("mu"))
    most = NEARLY_BEST * errors.min()
    left, right = errors[:-1], errors[1:]
    # Which share of the way from one μ to the next lies below `most`.
    lower, apart = np.minimum(left, right), abs(right - left)
    crossing = np.divide(most - lower, apart, where=apart > ZERO, out=np.where(lower <= most, 1.0, 0.0))
    below = np.where(np.isnan(left) | np.isnan(right), np.nan, np.clip(crossing, 0, 1))
    return float(below @ -np.diff(log_mu))


def k7(roles: Roles) -> Numbers:
    tidbd = _predictions(roles, "tidbd")
    untuned = roles["untuned"].all_of("drift", PREDICTION_RATES).of(method=UNTUNED)
    apart = []
    for runs in tidbd:
        best = int(_errors(runs, "mu").argmin())
        tiles, noise = (runs.grid(group, "mu").mean(axis=0)[best] for group in ("tiles", "noise"))
        apart.append(float(np.divide(tiles, noise)) if noise > 0 else np.nan)
    errors = _error_ratios(
        (_errors(runs, "mu") for runs in tidbd),
        (_errors(untuned.of(drift=rate), "alpha") for rate in PREDICTION_RATES),
    )
    return {"separates": least(apart), "error": float(np.max(errors))}


def k8(roles: Roles) -> Numbers:
    wide, narrow = (map(_nearly_best_octaves, _predictions(roles, method)) for method in ("autotidbd", "tidbd"))
    return dict(zip(("still", "drifting"), (one - other for one, other in zip(wide, narrow, strict=True)), strict=True))


def k9(roles: Roles) -> Numbers:
    vector, tidbd = ([_errors(runs, "mu") for runs in _predictions(roles, method)] for method in ("vector", "tidbd"))
    return {"error": float(np.max(_error_ratios(vector, tidbd)))}


STATISTICS: dict[str, Callable[[Roles], Numbers]] = {
    "K7": k7,
    "K8": k8,
    "K9": k9,
}
