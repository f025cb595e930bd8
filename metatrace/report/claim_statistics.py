"""The statistics that decide the claims, one function per claim; `config/claims.yaml` says them in words.

Each takes the scores of the figures that the claim names and returns a value for every part of it, or raises
LackingError or UndecidableError. A value is NaN if it is unknown: a score is NaN, or a denominator is zero. Seeds are
the first axis of every array, so a bootstrap calls the same function for the seeds that it has drawn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from metatrace.report import regression_statistics
from metatrace.report.claim_scores import LackingError, Roles, Scores, UndecidableError, number
from metatrace.runs.key import UNTUNED

# A policy that never reaches the goal of mountain car.
WORST = -200.0
# Runs that end below this count as failed: halfway between success (about −100) and `WORST`.
FAILED = -150.0
# The useful μ are those whose spread is less than this share of the spread without tuning.
USEFUL = 0.5
# The largest α in the legend of the paper's figures, and the largest μ at which it shows NOSID.
LEGEND = 2.0**-5
NOSID_SHOWN = 2.0**-10
# What figure 6 compares, the μ of figure 7's β, and the games of figure 9 on which the paper reports progress.
METHODS = (UNTUNED, "scalar", "vector", "mixed")
RATES = ("4e-6", "6e-6", "8e-6", "1e-5")
BETA_MU = "2^-10"
GAMES_LEARNED = ("asterix", "beam_rider", "seaquest", "space_invaders")
TENTHS = 10
# A game of MinAtar is learned if the untuned final at the best α is more than so many times random play's.
LEARNED = 3.0
# The game of MinAtar on which step-sizes are chosen.
CHOOSING = "minatar_breakout"
# Differences of returns up to this are rounding errors.
_ZERO = 1e-9

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
    return np.divide(one, np.where(np.asarray(other) > _ZERO, other, np.nan))


def less(one: Any, other: Any) -> np.ndarray:
    """1 where one < other, 0 where not, NaN where either is NaN."""
    return np.where(np.isnan(one) | np.isnan(other), np.nan, np.less(one, other))


def _least(values: Iterable[Any]) -> float:
    """The smallest value; NaN if any is NaN, which Python's own `min` may hide."""
    return float(np.min(list(values)))


def _alphas_of_both(one: Scores, other: Scores) -> None:
    if one.values("alpha") != other.values("alpha"):
        raise LackingError("the same α with all of its methods")


def _legend(scores: Scores) -> Scores:
    """Those of the α in the paper's legend."""
    return scores.up_to("alpha", LEGEND)


def _useful(tuned: Scores, untuned: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Which μ are useful (1, 0 or NaN), and log₂ of each: (mus,), (mus,). Over the α of the legend that both have."""
    tuned, untuned = _legend(tuned), _legend(untuned)
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
    tuned, untuned = _legend(tuned), _legend(untuned)
    _alphas_of_both(tuned, untuned)
    baseline = untuned.grid("auc", "alpha")
    gain = tuned.grid("auc", "alpha", "mu") - baseline[:, :, None]
    return gain, baseline.mean(axis=0), octaves(tuned.values("alpha"))


def _slope(y: np.ndarray, x: np.ndarray) -> float:
    """The least-squares slope Σ (x − x̄)(y − ȳ) / Σ (x − x̄)²."""
    x = x - x.mean()
    return float(ratio(x @ (y - y.mean()), x @ x))


def _failed(scores: Scores, mu: str) -> float:
    """The share of the runs at one μ that failed."""
    return float(less(_legend(scores.of(mu=mu)).grid("final", "alpha"), FAILED).mean())


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
    one, other = (_legend(roles[name]) for name in ("sid", "scalar"))
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


ByMethod = Mapping[str, Scores]


def _by_rate(roles: Roles, *methods: str) -> list[ByMethod]:
    """At each drift rate upward, each method's runs, at the α and μ that other seeds chose."""
    runs = roles["drifting"].all_of("drift", RATES).all_of("method", methods)
    return [{method: runs.of(drift=rate, method=method) for method in methods} for rate in RATES]


def _difference(runs: ByMethod, one: str, other: str, score: str) -> float:
    return float((runs[one].grid(score) - runs[other].grid(score)).mean())


def c11(roles: Roles) -> Numbers:
    rates = _by_rate(roles, *METHODS)
    quick = _least((runs.grid("tenth_2") - runs.grid("first")).mean() for methods in rates for runs in methods.values())
    others = [method for method in METHODS if method != "mixed"]
    ahead = [_least(_difference(runs, "mixed", other, "final") for other in others) for runs in rates]
    return {"quick": quick, **dict(zip(("lowest", "second", "third", "highest"), ahead, strict=True))}


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
        score: _least(_difference(runs, method, UNTUNED, score) for runs in rates for method in tuned)
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


def c16(roles: Roles) -> Numbers:
    sweep = roles["sweep"].all_of("method", METHODS)
    runs = {method: sweep.of(method=method) for method in METHODS}
    for scores in runs.values():
        _alphas_of_both(scores, runs[UNTUNED])
    finals = {method: _finals(scores) for method, scores in runs.items()}
    untuned = finals[UNTUNED]
    left = {method: less(untuned.max() / 2, finals[method]).sum() for method in (UNTUNED, "scalar")}
    best = np.argsort(-untuned, kind="stable")[:3]
    random = sweep.constant("random")
    return {
        "closer": float(ratio(finals["scalar"].std(), untuned.std())),
        "leave": float(left["scalar"] - left[UNTUNED]),
        "vector": float((finals["vector"] - untuned)[best].mean()),
        "mixed": float((finals["mixed"] - untuned)[best].mean()),
        "tuned": _least(finals[method][0] for method in METHODS if method != UNTUNED) - random,
        "untuned": float(ratio(untuned[0], random)),
    }


def _finals(runs: Scores, score: str = "final") -> np.ndarray:
    """A score of each α, mean over seeds: (alphas,), α downward."""
    return np.asarray(runs.grid(score, "alpha").mean(axis=0))


def _game(roles: Roles, environment: str) -> tuple[Scores, Scores]:
    """The runs of a game without tuning and with mixed Metatrace."""
    runs = roles["games"].of(environment=environment)
    return runs.of(method=UNTUNED), runs.of(method="mixed")


def _geometric_mean(values: Iterable[Any]) -> float:
    """NaN if any value is NaN or negative, and 0 if one is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.exp(np.mean(np.log(list(values)))))


def _spread_ratio(roles: Roles, games: Sequence[str]) -> float:
    """Spread of final over α, mixed / none, geometric mean over some games; NaN if mixed has no spread on one."""
    spreads = [[_finals(runs).std() for runs in _game(roles, game)] for game in games]
    ratios = np.array([ratio(mixed, untuned) for untuned, mixed in spreads])
    return _geometric_mean(np.where(ratios > 0, ratios, np.nan))


def c17(roles: Roles) -> Numbers:
    roles["games"].all_of("environment", GAMES_LEARNED)
    return {"spread": _spread_ratio(roles, GAMES_LEARNED)}


def c18(roles: Roles) -> Numbers:
    values = {}
    for game, rank in (("space_invaders", 0), ("seaquest", -2)):  # the worst, and the second best of three
        untuned, mixed = map(_finals, _game(roles, game))
        if len(mixed) < 2:
            raise LackingError(f"a second α with mixed on {game}")
        # A sort puts NaN last, where the choice would hide it.
        values[game] = float(np.sort(mixed)[rank] + 0 * mixed.sum() - untuned.max())
    return values


def c19(roles: Roles) -> Numbers:
    return _end_and_start(roles, "asterix")


def _end_and_start(roles: Roles, game: str) -> Numbers:
    """Mixed against the best constant α on a game: its worst final as a share, its mean AUC as a difference."""
    untuned, mixed = _game(roles, game)
    best = int(_finals(untuned).argmax())
    return {
        "similar": float(ratio(_finals(mixed).min(), _finals(untuned)[best])),
        "faster": float(_finals(mixed, "auc").mean() - _finals(untuned, "auc")[best]),
    }


def c20(roles: Roles) -> Numbers:
    untuned, mixed = _game(roles, "beam_rider")
    _alphas_of_both(untuned, mixed)
    best = int(_finals(untuned).argmax())
    return {"faster": float(_finals(untuned, "auc")[best] - _finals(mixed, "auc")[best])}


def c21(roles: Roles) -> Numbers:
    runs = roles["games"].of(environment="freeway")
    most = np.max([_finals(runs.of(method=method)).max() for method in (UNTUNED, "mixed")])
    return {"progress": float(most) - runs.constant("random")}


def _learned(roles: Roles) -> list[str]:
    """The games on which, over all seeds, the untuned final at the best α is more than `LEARNED` times random play's.

    A game without a finished episode, or without a score of random play, is none.

    Raises:
      UndecidableError: there is none.
    """
    games = []
    for game in roles["games"].values("environment"):
        untuned, _ = _game(roles, game)
        best = untuned.whole_grid("final", "alpha").mean(axis=0).max()
        if ratio(best, untuned.constant("random")) > LEARNED:
            games.append(game)
    if not games:
        raise UndecidableError(
            f"without tuning no game is learned: none ends at more than {LEARNED:g} times random play's return"
        )
    return games


def _at_best_alpha(runs: Scores) -> Scores:
    """A method's runs at the α with the best final on `CHOOSING`, over all seeds."""
    chosen = runs.of(environment=CHOOSING)
    finals = chosen.whole_grid("final", "alpha").mean(axis=0)
    return runs.of(alpha=chosen.values("alpha")[int(finals.argmax())])


def m17(roles: Roles) -> Numbers:
    return {"spread": _spread_ratio(roles, _learned(roles))}


def m18(roles: Roles) -> Numbers:
    pairs = [_game(roles, game) for game in _learned(roles)]
    ahead = np.array([_finals(mixed).min() - _finals(untuned).max() for untuned, mixed in pairs])
    return {"games": float(less(0.0, ahead).mean())}


def m19(roles: Roles) -> Numbers:
    found = [_end_and_start(roles, game) for game in _learned(roles)]
    return {part: _least(values[part] for values in found) for part in ("similar", "faster")}


def m22(roles: Roles) -> Numbers:
    games = _learned(roles)
    mixed, rmsprop = _at_best_alpha(roles["games"].of(method="mixed")), _at_best_alpha(roles["rmsprop"])
    ends = [[runs.of(environment=game).grid("final").mean() for runs in (mixed, rmsprop)] for game in games]
    return {"ratio": _geometric_mean(ratio(*pair) for pair in ends)}


def m23(roles: Roles) -> Numbers:
    return {game: float(roles[game].grid("final").mean()) for game in ("breakout", "space_invaders", "asterix")}


_OF_THE_PAPER = (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21)


def _spread_at_best_mu(scores: Scores) -> float:
    """The spread of AUC over α, at the μ with the highest mean AUC over these α."""
    auc = scores.grid("auc", "alpha", "mu")
    return float(spread(auc)[auc.mean(axis=(0, 1)).argmax()])


def k12(roles: Roles) -> Numbers:
    untuned = _legend(roles["untuned"])
    ratios = {}
    for name in ("sid", "nosid"):
        tuned = _legend(roles[name])
        _alphas_of_both(tuned, untuned)
        ratios[name] = float(ratio(_spread_at_best_mu(tuned), _spread_at_best_mu(untuned)))
    return ratios


def k13(roles: Roles) -> Numbers:
    optimisers = [roles["optimisers"].of(method=method) for method in ("adam", "rmsprop")]
    for scores in optimisers:
        _alphas_of_both(roles["scalar"], scores)
    return {"spread": float(ratio(_spread_at_best_mu(roles["scalar"]), _least(map(_spread_at_best_mu, optimisers))))}


def k14(roles: Roles) -> Numbers:
    others = (UNTUNED, "rmsprop", "adam")
    rates = _by_rate(roles, "mixed", *others)
    ahead = [_least(_difference(runs, "mixed", other, "final") for other in others) for runs in rates]
    return dict(zip(("lowest", "second", "third", "highest"), ahead, strict=True))


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
    crossing = np.divide(most - lower, apart, where=apart > _ZERO, out=np.where(lower <= most, 1.0, 0.0))
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
    return {"separates": _least(apart), "error": float(np.max(errors))}


def k8(roles: Roles) -> Numbers:
    wide, narrow = (map(_nearly_best_octaves, _predictions(roles, method)) for method in ("autotidbd", "tidbd"))
    return dict(zip(("still", "drifting"), (one - other for one, other in zip(wide, narrow, strict=True)), strict=True))


def k9(roles: Roles) -> Numbers:
    vector, tidbd = ([_errors(runs, "mu") for runs in _predictions(roles, method)] for method in ("vector", "tidbd"))
    return {"error": float(np.max(_error_ratios(vector, tidbd)))}


STATISTICS: dict[str, Callable[[Roles], dict[str, Any]]] = {
    **{f"C{number}": statistic for number, statistic in enumerate(_OF_THE_PAPER, 1)},
    # C16 is asked of one game, whichever it is.
    "M16": c16,
    "M17": m17,
    "M18": m18,
    "M19": m19,
    "M22": m22,
    "M23": m23,
    **regression_statistics.STATISTICS,
    "K7": k7,
    "K8": k8,
    "K9": k9,
    "K12": k12,
    "K13": k13,
    "K14": k14,
}
