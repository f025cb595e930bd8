"""The tables of docs/choosing.md, from the scores of every run: `python -m metatrace.report.choosing`.

python -m metatrace.report.choosing [reports/published/scores.parquet]
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metatrace import markdown
from metatrace.analysis import intervals, tables
from metatrace.analysis.aggregate import alpha_spread
from metatrace.methods import METHODS
from metatrace.numbers import parse

PAGE = Path("docs/choosing.md")
PUBLISHED = Path("reports/published/scores.parquet")
# Of figures S8 and S10; the seeds of the other figures, which also choose, are below these.
FIRST_JUDGED = 100
# Of the figures on MinAtar, but for M5, which compares with what its authors published.
FRAMES = 500_000
_SHOWN = ("none", "scalar", "mixed", "rmsprop", "adam", "obgd")


def over_alpha(scores: pd.DataFrame, score: str, name: str) -> list[Sequence[str]]:
    """For each method its best μ, by the mean score over all α, and what α does to the score there.

    Args:
      scores: one row per run of one environment: method, alpha, mu, seed, and the score.
      score: the column to go by. name: what the table calls it.
    """
    head = ("method", "α tried", "best μ", f"{name}, mean over α", "spread over α", "best α", f"{name} there")
    rows: list[Sequence[str]] = [head]
    for method in (token for token in METHODS if token in set(scores["method"])):
        runs_of = scores[scores["method"] == method]
        by_mu = {
            str(mu): runs.pivot_table(index="seed", columns="alpha", values=score)
            for mu, runs in runs_of[runs_of["seed"].isin(_shared_seeds(runs_of))].groupby("mu")
        }
        mu, found = max(by_mu.items(), key=lambda item: (item[1].shape[1], item[1].to_numpy().mean()))
        at_alpha = found.mean()
        spread = alpha_spread(found.to_numpy())
        best = str(at_alpha.idxmax())
        rows.append(
            (
                METHODS[method].label,
                f"{_largest(list(found.columns))} … {_largest(list(found.columns), sign=-1)}",
                mu if METHODS[method].has_mu else "–",
                _estimate(found.to_numpy().mean(axis=1)),
                f"{spread[0]:.1f} [{spread[1]:.1f}, {spread[2]:.1f}]",
                best,
                _estimate(found[best].to_numpy()),
            )
        )
    return rows


def mountain_car(scores: pd.DataFrame) -> list[Sequence[str]]:
    """`over_alpha` by AUC on mountain car."""
    here = (scores["environment"] == "mountain_car") & (scores["seed"] < FIRST_JUDGED)
    return over_alpha(scores[here], "auc", "AUC")


def breakout(scores: pd.DataFrame) -> list[Sequence[str]]:
    """`over_alpha` by final return on MinAtar's breakout, of the figures that try many α."""
    return over_alpha(_on_minatar(scores, "minatar_breakout"), "final", "final return")


def minatar(scores: pd.DataFrame) -> list[Sequence[str]]:
    """The final return on each game of MinAtar, of each method and α that ran on all of them."""
    here = _on_minatar(scores, "minatar_")
    games = sorted(set(here["environment"]))
    rows: list[Sequence[str]] = [("method", "α", *(game.removeprefix("minatar_").replace("_", " ") for game in games))]
    for method in (token for token in METHODS if token in set(here["method"])):
        runs_of = here[here["method"] == method]
        for alpha in sorted(set(runs_of["alpha"]), key=lambda token: -parse(token, "alpha")):
            finals = dict(list(runs_of[runs_of["alpha"] == alpha].groupby("environment")["final"]))
            if len(finals) == len(games):
                rows.append((METHODS[method].label, alpha, *(_estimate(finals[game], digits=2) for game in games)))
    return rows


def _on_minatar(scores: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """The runs of games whose names begin so, but for those of figure M5."""
    here = scores["environment"].str.startswith(prefix) & (scores["seed"] < FIRST_JUDGED)
    return scores[here & (scores["frames"] == FRAMES)]


def drifting(scores: pd.DataFrame) -> list[Sequence[str]]:
    """For each method and drift rate the α and μ that some seeds chose by final return, and that of others there."""
    rows: list[Sequence[str]] = [("drift rate", "method", "α", "μ", "final return")]
    here = scores[(scores["environment"] == "drifting_mountain_car") & scores["method"].isin(_SHOWN)]
    chosen_by, judged = here[here["seed"] < FIRST_JUDGED], here[here["seed"] >= FIRST_JUDGED]
    setting = ["drift", "method", "alpha", "mu"]
    finals = chosen_by[chosen_by["seed"].isin(_shared_seeds(chosen_by))].groupby(setting)["final"].mean().to_dict()
    there = {tuple(map(str, key)): runs["final"].to_numpy() for key, runs in judged.groupby(setting)}
    for drift in sorted(set(judged["drift"]), key=lambda token: parse(token, "drift", zero=True)):
        for method in _SHOWN:
            settings = [key for key in there if key[:2] == (drift, method) and key in finals]
            if settings:
                best = max(settings, key=lambda key: float(finals[key]))
                mu = best[3] if METHODS[method].has_mu else "–"
                rows.append((drift, METHODS[method].label, best[2], mu, _estimate(there[best])))
    return rows


def _shared_seeds(scores: pd.DataFrame) -> set[int]:
    """The seeds that every setting has; figure 6 has more of some."""
    by_setting = scores.groupby(["drift", "method", "alpha", "mu"])["seed"]
    return set.intersection(*(set(seeds) for _, seeds in by_setting)) if len(scores) else set()


def _largest(tokens: Sequence[str], sign: int = 1) -> str:
    return str(max(tokens, key=lambda token: sign * parse(token, "alpha")))


def _estimate(values: object, digits: int = 1) -> str:
    made = intervals.with_interval("x", values)  # type: ignore[arg-type]
    value, low, high = (f"{made[name]:z.{digits}f}" for name in ("x", "x_low", "x_high"))
    return f"{value} [{low}, {high}]"


def page(text: str, scores: pd.DataFrame, source: str) -> str:
    """The page with its tables made again: what stands between `<!-- name -->` and `<!-- end -->`."""
    tables_of = {"mountain car": mountain_car, "drifting": drifting, "breakout": breakout, "minatar": minatar}
    for name, make in tables_of.items():
        head, *rows = make(scores)
        made = f"From `{source}`; 95 % bootstrap intervals over seeds.\n\n{markdown.table(head, rows)}"
        text = markdown.with_part(text, name, made)
    return text


def own_scores(path: Path) -> pd.DataFrame:
    """The scores of every run under the config's own readings, from a file as `metatrace publish` writes it."""
    scores = tables.read(path)
    return scores[scores["variant"] == ""]


def main() -> None:
    """Rewrites the tables of the page in the current folder."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PUBLISHED
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), own_scores(path), str(path)), encoding="utf-8")


if __name__ == "__main__":
    main()
