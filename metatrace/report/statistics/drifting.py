"""The statistics of drifting mountain car: C11 to C15, and K14."""

from collections.abc import Callable, Mapping

import numpy as np

from metatrace.report.claim_scores import Roles, Scores
from metatrace.report.statistics.common import METHODS, Numbers, least, ratio
from metatrace.runs.key import UNTUNED

RATES = ("4e-6", "6e-6", "8e-6", "1e-5")
# The μ of figure 7's β.
BETA_MU = "2^-10"
TENTHS = 10

ByMethod = Mapping[str, Scores]


def _by_rate(roles: Roles, *methods: str) -> list[ByMethod]:
    """At each drift rate upward, each method's runs, at the α and μ that other seeds chose."""
    runs = roles["drifting"].all_of("drift", RATES).all_of("method", methods)
    return [{method: runs.of(drift=rate, method=method) for method in methods} for rate in RATES]


def _difference(runs: ByMethod, one: str, other: str, score: str) -> float:
    return float((runs[one].grid(score) - runs[other].grid(score)).mean())


def _ahead_of_others(rates: list[ByMethod]) -> Numbers:
    """By how much mixed ends ahead of the best of the others, at each rate."""
    ahead = [least(_difference(runs, "mixed", other, "final") for other in runs if other != "mixed") for runs in rates]
    return dict(zip(("lowest", "second", "third", "highest"), ahead, strict=True))


def c11(roles: Roles) -> Numbers:
    rates = _by_rate(roles, *METHODS)
    quick = least((runs.grid("tenth_2") - runs.grid("first")).mean() for methods in rates for runs in methods.values())
    return {"quick": quick, **_ahead_of_others(rates)}


def c12(roles: Roles) -> Numbers:
    rates = _by_rate(roles, UNTUNED, "scalar")
    tenths = [[runs["scalar"].grid(f"tenth_{tenth}").mean() for tenth in range(1, TENTHS + 1)] for runs in rates]
    third, highest = (float(course[-1] - np.max(course)) for course in tenths[2:])
    early = float(np.mean([_difference(runs, "scalar", UNTUNED, "tenth_1") for runs in rates]))
    return {"early": early, "third": third, "highest": highest}


def c13(roles: Roles) -> Numbers:
    rates = _by_rate(roles, "scalar", "vector")
    return {
        part: float(np.mean([_difference(runs, "vector", "scalar", score) for runs in rates]))
        for part, score in (("early", "tenth_1"), ("final", "final"))
    }


def c14(roles: Roles) -> Numbers:
    rates = _by_rate(roles, *METHODS)
    tuned = [method for method in METHODS if method != UNTUNED]
    return {
        score: least(_difference(runs, method, UNTUNED, score) for runs in rates for method in tuned)
        for score in ("final", "auc")
    }


def c15(roles: Roles) -> Numbers:
    ratios = {}
    for method in ("vector", "mixed"):
        runs = roles["beta"].of(method=method, mu=BETA_MU)
        apart = [
            (runs.of(group=f"{part}/informative").grid("beta") - runs.of(group=f"{part}/noisy").grid("beta")).mean()
            for part in ("value", "policy")
        ]
        ratios[method] = float(ratio(*apart))
    return ratios


def k14(roles: Roles) -> Numbers:
    return _ahead_of_others(_by_rate(roles, "mixed", UNTUNED, "rmsprop", "adam"))


STATISTICS: dict[str, Callable[[Roles], Numbers]] = {
    "C11": c11,
    "C12": c12,
    "C13": c13,
    "C14": c14,
    "C15": c15,
    "K14": k14,
}
