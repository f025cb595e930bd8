"""The statistics that decide the paper's claims, a function a claim; `config/claims.yaml` says them in words.

Each takes the scores of the figures that the claim names and gives a value for every part of it. The seeds
lie on the first axis of every array, so that a bootstrap that draws seeds calls the same function again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from metatrace.numbers import parse
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
# The μ of figure 7's β.
BETA_MU = "2^-10"
TENTHS = 10

Numbers = dict[str, float]


class LackingError(Exception):
    """What a statistic needs and the runs do not have, in words."""


@dataclass
class Draw:
    """Which seeds a bootstrap has drawn, as positions among those that all figures of a claim share."""

    positions: np.ndarray


@dataclass
class Scores:
    """The scores of the figures that have one role in a claim, over the seeds that are drawn.

    Attributes:
      table: a row a run: environment, method, alpha, mu, drift, seed, and scores (final, auc, …).
      seeds: those that all figures of the claim share.
      draw: shared with all other scores of the claim, for the same seed meets the same noise in all of them.
    """

    table: pd.DataFrame
    seeds: tuple[int, ...]
    draw: Draw
    # A bootstrap asks the same thousands of times.
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def values(self, name: str) -> list[str]:
        """The different tokens of a column: numbers by value downward, names by alphabet."""
        if name not in self._known:
            tokens = self.table[name].drop_duplicates().tolist()
            numeric = name in ("alpha", "mu", "drift")
            self._known[name] = sorted(tokens, key=lambda token: -_number(token) if numeric else token)
        return list(self._known[name])

    def of(self, **chosen: str) -> "Scores":
        """The rows of one method, drift, environment, …

        Raises:
          LackingError: there are none.
        """
        key = tuple(chosen.items())
        if key not in self._known:
            rows = self.table
            for name, value in key:
                rows = rows[rows[name] == value]
            self._known[key] = Scores(rows, self.seeds, self.draw)
        found: Scores = self._known[key]
        if found.table.empty:
            raise LackingError(f"no runs of {', '.join(f'{name} {value}' for name, value in key)}")
        return found

    def among(self, name: str, tokens: Sequence[str]) -> "Scores":
        """The rows whose token in a column is one of some."""
        key = (name, frozenset(tokens))
        if key not in self._known:
            rows = self.table[self.table[name].isin(list(tokens))]
            self._known[key] = Scores(rows, self.seeds, self.draw)
        found: Scores = self._known[key]
        return found

    def up_to(self, name: str, most: float) -> "Scores":
        """The rows whose number in a column is no larger than `most`."""
        key = ("up to", name, most)
        if key not in self._known:
            tokens = [token for token in self.values(name) if _number(token) <= most]
            self._known[key] = self.among(name, tokens)
        found: Scores = self._known[key]
        return found

    def legend(self) -> "Scores":
        """Those of the α in the paper's legend."""
        return self.up_to("alpha", LEGEND)

    def grid(self, score: str, *axes: str) -> np.ndarray:
        """A score over the drawn seeds and the tokens of some columns, as `values` orders them.

        Returns:
          (seeds, …), an axis a column.

        Raises:
          LackingError: there is not exactly one run for each combination and seed.
        """
        key = ("grid", score, axes)
        if key not in self._known:
            tokens = [self.values(axis) for axis in axes]
            keys = [*axes, "seed"]
            rows = pd.Series(self.table[score].to_numpy(), pd.MultiIndex.from_frame(self.table[keys].astype("object")))
            index = pd.MultiIndex.from_product([*tokens, list(self.seeds)], names=keys)
            if not rows.index.is_unique or not index.isin(rows.index).all():
                raise LackingError(f"not one run for every seed and {', '.join(axes) or 'no other choice'}")
            values = rows.reindex(index).to_numpy(np.float64)
            shaped = values.reshape([*map(len, tokens), len(self.seeds)])
            self._known[key] = np.ascontiguousarray(np.moveaxis(shaped, -1, 0))
        everything: np.ndarray = self._known[key]
        return everything[self.draw.positions]


@cache
def _number(token: str) -> float:
    return parse(token, "token", zero=True)


Roles = Mapping[str, Scores]


def spread(auc: np.ndarray) -> np.ndarray:
    """The standard deviation over α of the mean over seeds; auc: (seeds, alphas, …)."""
    return np.asarray(auc.mean(axis=0).std(axis=0))


def octaves(tokens: Sequence[str]) -> np.ndarray:
    """log₂ of number tokens."""
    return np.log2([_number(token) for token in tokens])


def _useful(tuned: Scores, untuned: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Which μ are useful, and log₂ of each: (mus,), (mus,). Over the α of the legend that both have."""
    tuned, untuned = tuned.legend(), untuned.legend()
    untuned = untuned.among("alpha", tuned.values("alpha"))
    tuned = tuned.among("alpha", untuned.values("alpha"))
    ratios = spread(tuned.grid("auc", "alpha", "mu")) / spread(untuned.grid("auc", "alpha"))
    return ratios < USEFUL, octaves(tuned.values("mu"))


def _centre(tuned: Scores, untuned: Scores) -> float:
    """log₂ of the geometric centre of the useful μ; NaN where there is none."""
    useful, log_mu = _useful(tuned, untuned)
    return float(log_mu[useful].mean()) if useful.any() else np.nan


def _gain(tuned: Scores, untuned: Scores) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """AUC, tuned − untuned: (seeds, alphas, mus); the mean untuned AUC: (alphas,); and log₂ α."""
    tuned, untuned = tuned.legend(), untuned.legend()
    if tuned.values("alpha") != untuned.values("alpha"):
        raise LackingError("not the same α with and without tuning")
    baseline = untuned.grid("auc", "alpha")
    gain = tuned.grid("auc", "alpha", "mu") - baseline[:, :, None]
    return gain, baseline.mean(axis=0), octaves(tuned.values("alpha"))


def _slope(y: np.ndarray, x: np.ndarray) -> float:
    """The least-squares slope Σ (x − x̄)(y − ȳ) / Σ (x − x̄)²."""
    x = x - x.mean()
    return float(x @ (y - y.mean()) / (x @ x))


def _failed(scores: Scores, mu: str) -> float:
    return float((scores.of(mu=mu).legend().grid("final", "alpha") < FAILED).mean())


def c1(roles: Roles) -> Numbers:
    learned = roles["untuned"].grid("auc", "alpha").mean(axis=0) - WORST
    return {"smallest": learned[-1] / learned.max(), "largest": learned[0] / learned.max()}


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
        _centre(roles[name].of(method=method), roles["untuned"])
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
        "deviation": float(deviations[0] / deviations[1]) if deviations[1] > 0 else np.nan,
    }


def c7(roles: Roles) -> Numbers:
    return {
        name: _failed(roles[f"{name}_beyond"], roles[f"{name}_beyond"].values("mu")[0])
        - _failed(roles[name], roles[name].values("mu")[0])
        for name in ("normalized", "unnormalized")
    }


def c8(roles: Roles) -> Numbers:
    sid, scalar = (roles[name].legend().grid("auc", "alpha", "mu") for name in ("sid", "scalar"))
    if sid.shape != scalar.shape:
        raise LackingError("not the same α and μ of both methods")
    # With this sample's own mean as divisor (n, not n − 1), as everywhere here.
    deviation = np.sqrt(((sid.var(axis=0) + scalar.var(axis=0)) / 2).mean())
    return {"distance": float(abs((sid - scalar).mean(axis=0)).mean() / deviation)}


def c9(roles: Roles) -> Numbers:
    nosid, scalar = (roles[name].of(method=name) for name in ("nosid", "scalar"))
    # Under another reading fewer α ran; both methods are then held to those.
    alphas = nosid.values("alpha")
    scalar = scalar.among("alpha", alphas)
    shown = [roles["nosid_shown"].up_to("mu", NOSID_SHOWN), roles["scalar_shown"]]
    finals = [scores.of(alpha=alphas[0]).grid("final", "mu").mean() for scores in shown]
    (useful, log_mu), (other, log_other) = (_useful(scores, roles["untuned"]) for scores in (nosid, scalar))
    large = [_failed(nosid, mu) for mu in ("2^-8", "2^-7")]
    return {
        "large_alpha": float(finals[0] - finals[1]),
        "width": float(useful.sum() - other.sum()),
        "shift": _mean(log_other[other]) - _mean(log_mu[useful]),
        "unstable": float(np.mean(large)) - _failed(nosid, "2^-10"),
    }


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else np.nan


def c10(roles: Roles) -> Numbers:
    gains = []
    for name in ("vector", "scalar"):
        gain, _, _ = _gain(roles[name], roles["untuned"])
        gains.append(gain.mean(axis=(0, 1)).max())
    return {"gain": float(gains[0] / gains[1]) if gains[1] > 0 else np.nan}


def _at_best_mu(scores: Scores, drift: str) -> dict[str, Scores]:
    """Each method's runs at one drift rate, at its best μ by final return."""
    best = {}
    at_drift = scores.of(drift=drift)
    for method in at_drift.values("method"):
        runs = at_drift.of(method=method)
        finals = runs.grid("final", "mu").mean(axis=0)
        best[method] = runs.of(mu=runs.values("mu")[int(finals.argmax())])
    return best


def _rates(roles: Roles) -> list[str]:
    """The drift rates upward; a claim that names the first to the fourth needs four."""
    return roles["drifting"].values("drift")[::-1]


def _at_rates(roles: Roles) -> list[dict[str, Scores]]:
    return [_at_best_mu(roles["drifting"], rate) for rate in _rates(roles)]


def _difference(best: Mapping[str, Scores], one: str, other: str, score: str) -> float:
    missing = {one, other} - best.keys()
    if missing:
        raise LackingError(f"no runs of {', '.join(sorted(missing))}")
    return float((best[one].grid(score) - best[other].grid(score)).mean())


def _ranks(values: Sequence[float]) -> Numbers:
    """A value for the highest drift rate and, where there are as many, for those below it."""
    names = ("lowest", "second", "third", "highest")
    if len(values) != len(names):
        raise LackingError(f"{len(values)} drift rates, not {len(names)}")
    return dict(zip(names, values, strict=True))


def c11(roles: Roles) -> Numbers:
    rates = _at_rates(roles)
    quick = min(float((runs.grid("tenth_2") - runs.grid("first")).mean()) for best in rates for runs in best.values())
    ahead = [min(_difference(best, "mixed", other, "final") for other in best if other != "mixed") for best in rates]
    return {"quick": quick, **_ranks(ahead)}


def c12(roles: Roles) -> Numbers:
    rates = _at_rates(roles)
    tenths = [[float(best["scalar"].grid(f"tenth_{tenth}").mean()) for tenth in range(1, TENTHS + 1)] for best in rates]
    drops = _ranks([course[-1] - max(course) for course in tenths])
    early = float(np.mean([_difference(best, "scalar", UNTUNED, "tenth_1") for best in rates]))
    return {"early": early, "third": drops["third"], "highest": drops["highest"]}


def c13(roles: Roles) -> Numbers:
    rates = _at_rates(roles)
    return {
        part: float(np.mean([_difference(best, "vector", "scalar", score) for best in rates]))
        for part, score in (("early", "tenth_1"), ("final", "final"))
    }


def c14(roles: Roles) -> Numbers:
    rates = _at_rates(roles)
    return {
        score: min(_difference(best, method, UNTUNED, score) for best in rates for method in best if method != UNTUNED)
        for score in ("final", "auc")
    }


def c15(roles: Roles) -> Numbers:
    ratios = {}
    for method in ("vector", "mixed"):
        runs = roles["beta"].of(method=method, mu=BETA_MU)
        value, policy = (
            (runs.of(group=f"{part}/informative").grid("beta") - runs.of(group=f"{part}/noisy").grid("beta")).mean()
            for part in ("value", "policy")
        )
        ratios[method] = float(value / policy) if policy > 0 else np.nan
    return ratios


def c16(roles: Roles) -> Numbers:
    sweep = roles["sweep"]
    finals = {method: _finals(sweep.of(method=method)) for method in sweep.values("method")}
    missing = {UNTUNED, "scalar", "vector", "mixed"} - finals.keys()
    if missing:
        raise LackingError(f"no runs of {', '.join(sorted(missing))}")
    untuned = finals[UNTUNED]
    left = {method: int((values > untuned.max() / 2).sum()) for method, values in finals.items()}
    best = np.argsort(-untuned, kind="stable")[:3]
    random = float(sweep.table["random"].iloc[0])
    return {
        "closer": float(finals["scalar"].std() / untuned.std()) if untuned.std() > 0 else np.nan,
        "leave": float(left["scalar"] - left[UNTUNED]),
        "vector": float((finals["vector"] - untuned)[best].mean()),
        "mixed": float((finals["mixed"] - untuned)[best].mean()),
        "tuned": min(float(finals[method][0]) for method in ("scalar", "vector", "mixed")) - random,
        "untuned": float(untuned[0]) / random if random > 0 else np.nan,
    }


def _finals(runs: Scores, score: str = "final") -> np.ndarray:
    """A score of each α, mean over seeds: (alphas,), α downward."""
    return np.asarray(runs.grid(score, "alpha").mean(axis=0))


def _game(roles: Roles, environment: str) -> tuple[Scores, Scores]:
    """The runs of a game without tuning and with mixed Metatrace."""
    runs = roles["games"].of(environment=environment)
    return runs.of(method=UNTUNED), runs.of(method="mixed")


def c17(roles: Roles) -> Numbers:
    ratios = []
    for game in roles["games"].values("environment"):
        if game != "freeway":
            untuned, mixed = map(_finals, _game(roles, game))
            ratios.append(mixed.std() / untuned.std() if untuned.std() > 0 else np.nan)
    return {"spread": float(np.exp(np.mean(np.log(ratios)))) if np.all(np.array(ratios) > 0) else np.nan}


def c18(roles: Roles) -> Numbers:
    values = {}
    for game, rank in (("space_invaders", 0), ("seaquest", 1)):
        untuned, mixed = map(_finals, _game(roles, game))
        # The worst, and the second best of three.
        values[game] = float(np.sort(mixed)[rank if rank == 0 else -2] - untuned.max())
    return values


def c19(roles: Roles) -> Numbers:
    untuned, mixed = _game(roles, "asterix")
    best = int(_finals(untuned).argmax())
    return {
        "similar": float(_finals(mixed).min() / _finals(untuned)[best]),
        "faster": float(_finals(mixed, "auc").mean() - _finals(untuned, "auc")[best]),
    }


def c20(roles: Roles) -> Numbers:
    untuned, mixed = _game(roles, "beam_rider")
    best = int(_finals(untuned).argmax())
    return {"faster": float(_finals(untuned, "auc")[best] - _finals(mixed, "auc")[best])}


def c21(roles: Roles) -> Numbers:
    runs = roles["games"].of(environment="freeway")
    most = max(float(_finals(runs.of(method=method)).max()) for method in (UNTUNED, "mixed"))
    return {"progress": most - float(runs.table["random"].iloc[0])}


STATISTICS: dict[str, Callable[[Roles], dict[str, Any]]] = {
    f"C{number}": statistic
    for number, statistic in enumerate(
        (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21), 1
    )
}
