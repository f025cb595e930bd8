"""The statistics of games: C16 to C21, and M16 to M23, which ask much the same of MinAtar."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from metatrace.report.claim_scores import LackingError, Roles, Scores, UndecidableError
from metatrace.report.statistics.common import METHODS, Numbers, alphas_of_both, least, less, ratio
from metatrace.runs.key import UNTUNED

# The games of figure 9 on which the paper reports progress.
GAMES_LEARNED = ("asterix", "beam_rider", "seaquest", "space_invaders")
# A game of MinAtar is learned if the untuned final at the best α is more than so many times random play's.
LEARNED = 3.0
# The game of MinAtar on which step-sizes are chosen.
CHOOSING = "minatar_breakout"


def c16(roles: Roles) -> Numbers:
    sweep = roles["sweep"].all_of("method", METHODS)
    runs = {method: sweep.of(method=method) for method in METHODS}
    for scores in runs.values():
        alphas_of_both(scores, runs[UNTUNED])
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
        "tuned": least(finals[method][0] for method in METHODS if method != UNTUNED) - random,
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
    alphas_of_both(untuned, mixed)
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
    return {part: least(values[part] for values in found) for part in ("similar", "faster")}


def m22(roles: Roles) -> Numbers:
    games = _learned(roles)
    mixed, rmsprop = _at_best_alpha(roles["games"].of(method="mixed")), _at_best_alpha(roles["rmsprop"])
    ends = [[runs.of(environment=game).grid("final").mean() for runs in (mixed, rmsprop)] for game in games]
    return {"ratio": _geometric_mean(ratio(*pair) for pair in ends)}


def m23(roles: Roles) -> Numbers:
    return {game: float(roles[game].grid("final").mean()) for game in ("breakout", "space_invaders", "asterix")}


STATISTICS: dict[str, Callable[[Roles], Numbers]] = {
    "C16": c16,
    "C17": c17,
    "C18": c18,
    "C19": c19,
    "C20": c20,
    "C21": c21,
    # C16 is asked of one game, whichever it is.
    "M16": c16,
    "M17": m17,
    "M18": m18,
    "M19": m19,
    "M22": m22,
    "M23": m23,
}
