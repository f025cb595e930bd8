"""The statistics of plain mountain car: C1 to C10, K12 and K13."""

from collections.abc import Callable

import numpy as np

from metatrace.report.claim_scores import LackingError, Roles, Scores
from metatrace.report.statistics.common import Numbers, alphas_of_both, least, legend, less, octaves, ratio, spread

# A policy that never reaches the goal of mountain car.
WORST = -200.0
# Runs that end below this count as failed: halfway between success (about −100) and `WORST`.
FAILED = -150.0
# The useful μ are those whose spread is less than this share of the spread without tuning.
USEFUL = 0.5
# The largest μ at which the paper shows NOSID.
NOSID_SHOWN = 2.0**-10


def _useful(tuned: Scores, untuned: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Which μ are useful (1, 0 or NaN), and log₂ of each: (mus,), (mus,). Over the α of the legend that both have."""
    tuned, untuned = legend(tuned), legend(untuned)
    untuned = untuned.among("alpha", tuned.values("alpha"))
    tuned = tuned.among("alpha", untuned.values("alpha"))
    ratios = ratio(spread(tuned.grid("auc", "alpha", "mu")), spread(untuned.grid("auc", "alpha")))
    return less(ratios, USEFUL), octaves(tuned.values("mu"))


def _centre(useful: np.ndarray, log_mu: np.ndarray) -> float:
    """log₂ of the geometric centre of the useful μ; NaN where there is none, or where it is not known which are."""
    if np.isnan(useful).any() or not useful.any():
        return np.nan
    return float(log_mu[useful == 1].mean())


def _gain(tuned: Scores, untuned: Scores) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """AUC, tuned − untuned: (seeds, alphas, mus); the mean untuned AUC: (alphas,); and log₂ α."""
    tuned, untuned = legend(tuned), legend(untuned)
    alphas_of_both(tuned, untuned)
    baseline = untuned.grid("auc", "alpha")
    gain = tuned.grid("auc", "alpha", "mu") - baseline[:, :, None]
    return gain, baseline.mean(axis=0), octaves(tuned.values("alpha"))


def _slope(y: np.ndarray, x: np.ndarray) -> float:
    """The least-squares slope Σ (x − x̄)(y − ȳ) / Σ (x − x̄)²."""
    x = x - x.mean()
    return float(ratio(x @ (y - y.mean()), x @ x))


def _failed(scores: Scores, mu: str) -> float:
    """The share of the runs at one μ that failed."""
    return float(less(legend(scores.of(mu=mu)).grid("final", "alpha"), FAILED).mean())


def c1(roles: Roles) -> Numbers:
    learned = roles["untuned"].grid("auc", "alpha").mean(axis=0) - WORST
    return {"smallest": ratio(learned[-1], learned.max()), "largest": ratio(learned[0], learned.max())}


def c2(roles: Roles) -> Numbers:
    useful, _ = _useful(roles["tuned"], roles["untuned"])
    return {"useful": float(useful.mean())}


def c3(roles: Roles) -> Numbers:
    gain, untuned, log_alpha = _gain(roles["tuned"], roles["untuned"])
    distance = abs(log_alpha - log_alpha[untuned.argmax()])
    return {"gain": float(gain.mean()), "slope": _slope(gain.mean(axis=(0, 2)), distance)}


def c4(roles: Roles) -> Numbers:
    return c2(roles) | c3(roles)


def c5(roles: Roles) -> Numbers:
    centres = [
        _centre(*_useful(roles[name].of(method=method), roles["untuned"]))
        for name, method in (("normalized", "scalar"), ("unnormalized", "scalar-unnormalized"))
    ]
    return {"shift": centres[0] - centres[1]}


def c6(roles: Roles) -> Numbers:
    untuned = roles["untuned"].of(alpha="2^-5")
    deviations = [
        # Over seeds at each μ, then over μ: the whole deviation.
        roles[name].of(alpha="2^-5").grid("auc", "mu").std()
        for name in ("normalized", "unnormalized")
    ]
    return {
        "improvement": float((untuned.grid("final") - untuned.grid("first")).mean()),
        "deviation": float(ratio(*deviations)),
    }


def c7(roles: Roles) -> Numbers:
    return {
        name: _failed(roles[f"{name}_beyond"], roles[f"{name}_beyond"].values("mu")[0])
        - _failed(roles[name], roles[name].values("mu")[0])
        for name in ("normalized", "unnormalized")
    }


def c8(roles: Roles) -> Numbers:
    one, other = (legend(roles[name]) for name in ("sid", "scalar"))
    if any(one.values(name) != other.values(name) for name in ("alpha", "mu")):
        raise LackingError("the same α and μ with both methods")
    sid, scalar = (scores.grid("auc", "alpha", "mu") for scores in (one, other))
    # A unit, so it is taken over all seeds: a resample that draws one seed alone has no deviation to divide by.
    variances = [scores.whole_grid("auc", "alpha", "mu").var(axis=0) for scores in (one, other)]
    deviation = np.sqrt(np.mean(variances))
    return {"distance": float(ratio(abs((sid - scalar).mean(axis=0)).mean(), deviation))}


def c9(roles: Roles) -> Numbers:
    nosid, scalar = (roles[name].of(method=name) for name in ("nosid", "scalar"))
    # Under another reading fewer α ran; both methods are then compared at those.
    scalar = scalar.among("alpha", nosid.values("alpha"))
    shown = [roles["nosid_shown"].up_to("mu", NOSID_SHOWN), roles["scalar_shown"]]
    largest = shown[0].values("alpha")[0]
    finals = [scores.of(alpha=largest).grid("final", "mu").mean() for scores in shown]
    useful, other = (_useful(scores, roles["untuned"]) for scores in (nosid, scalar))
    large = [_failed(nosid, mu) for mu in ("2^-8", "2^-7")]
    return {
        "large_alpha": float(finals[0] - finals[1]),
        "width": float(useful[0].sum() - other[0].sum()),
        "shift": _centre(*other) - _centre(*useful),
        "unstable": float(np.mean(large)) - _failed(nosid, "2^-10"),
    }


def c10(roles: Roles) -> Numbers:
    gains = [_gain(roles[name], roles["untuned"])[0].mean(axis=(0, 1)).max() for name in ("vector", "scalar")]
    return {"gain": float(ratio(*gains))}


def _spread_at_best_mu(scores: Scores) -> float:
    """The spread of AUC over α, at the μ with the highest mean AUC over these α."""
    auc = scores.grid("auc", "alpha", "mu")
    return float(spread(auc)[auc.mean(axis=(0, 1)).argmax()])


def k12(roles: Roles) -> Numbers:
    untuned = legend(roles["untuned"])
    ratios = {}
    for name in ("sid", "nosid"):
        tuned = legend(roles[name])
        alphas_of_both(tuned, untuned)
        ratios[name] = float(ratio(_spread_at_best_mu(tuned), _spread_at_best_mu(untuned)))
    return ratios


def k13(roles: Roles) -> Numbers:
    optimisers = [roles["optimisers"].of(method=method) for method in ("adam", "rmsprop")]
    for scores in optimisers:
        alphas_of_both(roles["scalar"], scores)
    return {"spread": float(ratio(_spread_at_best_mu(roles["scalar"]), least(map(_spread_at_best_mu, optimisers))))}


STATISTICS: dict[str, Callable[[Roles], Numbers]] = {
    "C1": c1,
    "C2": c2,
    "C3": c3,
    "C4": c4,
    "C5": c5,
    "C6": c6,
    "C7": c7,
    "C8": c8,
    "C9": c9,
    "C10": c10,
    "K12": k12,
    "K13": k13,
}
