"""The tables of docs/choosing.md, from the scores of every run: `python -m metatrace.report.choosing`.

python -m metatrace.report.choosing [reports/published/scores.parquet]
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metatrace.analysis import intervals, tables
from metatrace.analysis.aggregate import alpha_spread
from metatrace.methods import METHODS
from metatrace.numbers import parse

PAGE = Path("docs/choosing.md")
PUBLISHED = Path("reports/published/scores.parquet")
# Of figures S8 and S10; the seeds of the other figures, which also choose, are below these.
FIRST_JUDGED = 100
_SHOWN = ("none", "scalar", "mixed", "rmsprop", "adam", "obgd")


def mountain_car(scores: pd.DataFrame) -> list[Sequence[str]]:
    """For each method on mountain car its best μ, by mean AUC over all α, and what α does to it there.

    Args:
      scores: one row per run: environment, method, alpha, mu, seed, auc, final.
    """
    head = ("method", "α tried", "best μ", "AUC, mean over α", "spread over α", "best α", "AUC there")
    rows: list[Sequence[str]] = [head]
    here = scores[(scores["environment"] == "mountain_car") & (scores["seed"] < FIRST_JUDGED)]
    for method in (token for token in METHODS if token in set(here["method"])):
        by_mu = {
            str(mu): runs.pivot_table(index="seed", columns="alpha", values="auc").dropna(axis=1)
            for mu, runs in here[here["method"] == method].groupby("mu")
        }
        mu, auc = max(by_mu.items(), key=lambda item: (item[1].shape[1], item[1].to_numpy().mean()))
        at_alpha = auc.mean()
        spread = alpha_spread(auc.to_numpy())
        best = str(at_alpha.idxmax())
        rows.append(
            (
                METHODS[method].label,
                f"{_largest(list(auc.columns))} … {_largest(list(auc.columns), sign=-1)}",
                mu if METHODS[method].has_mu else "–",
                _estimate(auc.to_numpy().mean(axis=1)),
                f"{spread[0]:.1f} [{spread[1]:.1f}, {spread[2]:.1f}]",
                best,
                _estimate(auc[best].to_numpy()),
            )
        )
    return rows


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


def _estimate(values: object) -> str:
    made = intervals.with_interval("x", values)  # type: ignore[arg-type]
    return f"{made['x']:.1f} [{made['x_low']:.1f}, {made['x_high']:.1f}]"


def page(text: str, scores: pd.DataFrame, source: str) -> str:
    """The page with its tables made again: what stands between `<!-- name -->` and `<!-- end -->`."""
    for name, (head, *rows) in {"mountain car": mountain_car(scores), "drifting": drifting(scores)}.items():
        table = "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
        made = f"From `{source}`; 95 % bootstrap intervals over seeds.\n\n{table}"
        text, found = re.subn(
            rf"(<!-- {name} -->\n).*?(\n<!-- end -->)",
            lambda match, made=made: match[1] + made + match[2],  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
        assert found == 1, name
    return text


def main() -> None:
    """Rewrites the tables of the page in the current folder."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PUBLISHED
    scores = tables.read(path)
    if "variant" in scores:
        scores = scores[scores["variant"] == ""]
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), scores, str(path)), encoding="utf-8")


if __name__ == "__main__":
    main()
