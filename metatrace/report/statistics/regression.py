"""The statistics of regression: K1 to K6, K10 and K11.

A final score is a mean loss here, so the best setting is the one with the least.
"""

from collections.abc import Callable, Sequence

import numpy as np

from metatrace.report.claim_scores import LackingError, Roles, Scores, number
from metatrace.report.statistics.common import Numbers
from metatrace.runs.key import UNTUNED

# The meta-step-sizes over which Autostep is to need no tuning (K4): 0.003 to 0.1, five octaves.
TUNED_RANGE = (0.003, 0.1)


def _errors(scores: Scores, axis: str) -> np.ndarray:
    """The mean final error at each token of `axis`: (tokens,)."""
    return np.asarray(scores.grid("final", axis).mean(axis=0))


def _best_alpha(scores: Scores, method: str) -> float:
    """The least mean error of a method without a meta-step-size."""
    return float(_errors(scores.of(method=method), "alpha").min())


def _best_mu(scores: Scores, method: str) -> float:
    return float(_errors(scores.of(method=method), "mu").min())


def _argmin(scores: Scores, axis: str) -> float:
    """The value of a column at which the mean error is least; NaN if an error is unknown."""
    errors = _errors(scores, axis)
    return float("nan") if np.isnan(errors).any() else number(scores.values(axis)[int(errors.argmin())])


def k1(roles: Roles) -> Numbers:
    lms = _best_alpha(roles["fixed"], UNTUNED)
    return {"ratio": _ratio(_best_mu(roles["tuned"], "idbd"), lms), "lms": lms}


def k2(roles: Roles) -> Numbers:
    learned = roles["learned"].of(method="idbd")
    means = {group: float(learned.grid(f"alpha_{group}", "mu").mean()) for group in ("relevant", "irrelevant")}
    return {**means, "fixed": _argmin(roles["fixed"].of(method=UNTUNED), "alpha")}


def k3(roles: Roles) -> Numbers:
    best = [_argmin(roles[name].of(method="idbd"), "mu") for name in ("small", "large")]
    return {"orders": float(np.log10(_ratio(*best)))}


def k4(roles: Roles) -> Numbers:
    return {method: _sensitivity(roles, method) for method in ("autostep", "idbd")}


def _sensitivity(roles: Roles, method: str) -> float:
    """Worst / best mean error over `TUNED_RANGE` and the scales, each error divided by the squared scale."""
    errors: list[float] = []
    for name, scale in (("small", 0.1), ("one", 1.0), ("large", 10.0)):
        scores = roles[name].of(method=method)
        mus = [mu for mu in scores.values("mu") if TUNED_RANGE[0] <= number(mu) <= TUNED_RANGE[1]]
        if {min(map(number, mus), default=0.0), max(map(number, mus), default=0.0)} != set(TUNED_RANGE):
            raise LackingError(f"{method} from μ = {TUNED_RANGE[0]:g} to {TUNED_RANGE[1]:g}")
        errors += (_errors(scores.among("mu", mus), "mu") / scale**2).tolist()
    return _ratio(float(np.max(errors)), float(np.min(errors)))


def k5(roles: Roles) -> Numbers:
    lms = _best_alpha(roles["fixed"], UNTUNED)
    return {method: _ratio(_best_alpha(roles["fixed"], method), lms) for method in ("rmsprop", "adam")}


def k6(roles: Roles) -> Numbers:
    def mean(method: str, group: str) -> float:
        return float(roles["learned"].of(method=method).grid(f"alpha_{group}", "alpha").mean())

    means = [mean("rmsprop", group) for group in ("flipping", "constant")]
    return {
        "flipping": mean("idbd", "flipping"),
        "constant": mean("idbd", "constant"),
        "rmsprop": _ratio(max(means), min(means)),
    }


def k10(roles: Roles) -> Numbers:
    return {layer: _ratio(*_of_both(roles["tasks"], f"change_{layer}")) for layer in ("U", "W")}


def k11(roles: Roles) -> Numbers:
    crossprop, backpropagation = _of_both(roles["tasks"], "first")
    return {"difference": crossprop - backpropagation}


def _of_both(scores: Scores, score: str) -> Sequence[float]:
    """The mean of a score over runs, with crossprop and with backpropagation."""
    return [float(scores.of(method=method).grid(score, "alpha").mean()) for method in ("crossprop", UNTUNED)]


def _ratio(one: float, other: float) -> float:
    """one / other; NaN where the denominator is not above 0."""
    return one / other if other > 0 else float("nan")


STATISTICS: dict[str, Callable[[Roles], Numbers]] = {
    "K1": k1,
    "K2": k2,
    "K3": k3,
    "K4": k4,
    "K5": k5,
    "K6": k6,
    "K10": k10,
    "K11": k11,
}
