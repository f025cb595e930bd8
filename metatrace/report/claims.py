"""Verdicts over the paper's claims: each statistic and its interval against a threshold that was set in advance.

A part of a claim holds if its whole interval lies on the claimed side of the threshold, fails if all of it lies on the
other side, and is undecided otherwise or without an interval. A claim is reproduced if every part holds, not reproduced
if any part fails, and undecided otherwise. It is also undecided if too little of the paper's scale ran. What the paper
claims of its games and we ask of others carries over to them, or does not.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import intervals, tables
from metatrace.analysis.groups import SETTING
from metatrace.analysis.reference import RANDOM
from metatrace.config.experiments import Experiments
from metatrace.config.figure import Figure
from metatrace.errors import UserError
from metatrace.figures.kinds.registry import KINDS
from metatrace.report.claim_scores import Draw, LackingError, Roles, Scores, UndecidableError
from metatrace.report.claim_statistics import STATISTICS
from metatrace.report.criteria import FAILS, UNDECIDED, Claim, Criteria
from metatrace.runs.key import NO_MU

REPRODUCED, NOT_REPRODUCED = "reproduced", "not reproduced"
CARRIES_OVER, DOES_NOT_CARRY_OVER = "carries over", "does not carry over"
# How a sentence says each verdict of several claims.
_OF_SEVERAL = {
    REPRODUCED: REPRODUCED,
    NOT_REPRODUCED: NOT_REPRODUCED,
    CARRIES_OVER: "carry over",
    DOES_NOT_CARRY_OVER: "do not carry over",
    UNDECIDED: UNDECIDED,
}
# Each resample computes every statistic again, and the third digit of an interval does not matter.
_RESAMPLES = 1000
# The share of the resamples in which a statistic may have no value before its interval is unknown.
_MOST_WITHOUT_VALUE = 0.025
_UNKNOWN = (math.nan,) * 3
_RUN = [*SETTING, "seed"]


@dataclass(frozen=True)
class Ran:
    """What ran of a figure of the paper.

    Attributes:
      scores: one row per run of the paper's that ran, with its `length`; there may be none.
      paper: the same figure in the whole paper's config.
    """

    scores: pd.DataFrame
    paper: Figure


def load(folder: Path, kinds: Mapping[str, str], paper: Experiments) -> dict[str, Ran]:
    """Reads the tables of some figures.

    Left out are figures that the paper's config does not have, those that compare others and have no runs of their own,
    and those of a kind whose tables do not have the scores of the paper's kind. Of the others only runs that are in the
    paper's figure count: a figure's own config may have other methods or step-sizes.

    Args:
      folder: `results/<scale>/tables`.
      kinds: of each figure by name, as its config has them.
      paper: the whole paper's config.

    Raises:
      UserError: a table is missing, damaged, or lacks a column. The line names it.
    """
    known = {name: paper.figures[name] for name in kinds if name in paper.figures}
    return {
        name: Ran(_scores(folder / name, figure), figure)
        for name, figure in known.items()
        if KINDS[figure.kind].evidence and KINDS[kinds[name]].evidence == KINDS[figure.kind].evidence
    }


def _scores(folder: Path, figure: Figure) -> pd.DataFrame:
    length, evidence = KINDS[figure.kind].unit, KINDS[figure.kind].evidence
    scores = _read(folder / "scores.parquet", [*_RUN, length, "final", "auc"]).rename(columns={length: "length"})
    grid = {
        "environment": figure.environments,
        "method": figure.methods,
        "alpha": figure.alphas,
        "mu": (*figure.mus, NO_MU),  # that of the untuned
        "drift": figure.drifts,
    }
    scores = scores[np.logical_and.reduce([scores[key].isin(tokens) for key, tokens in grid.items()])]
    if "reference" in evidence:
        reference = _read(folder / "reference.parquet", ["game", "agent", "score"])
        random = reference[reference["agent"] == RANDOM].drop_duplicates("game").set_index("game")["score"]
        return scores.assign(random=scores["environment"].map(random))
    if "final_beta" in evidence:
        beta = _read(folder / "final_beta.parquet", [*_RUN, "group", "beta"])
        return beta.merge(scores[[*_RUN, "length"]], on=_RUN)
    if "tenths" not in evidence:
        return scores
    return scores.merge(_read(folder / "tenths.parquet", [*_RUN, "first"]), on=_RUN)


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    table = tables.read(path)
    tables.require_columns(table, columns, path)
    return table


def judge(criteria: Criteria, ran: Mapping[str, Ran]) -> pd.DataFrame:
    """The verdict over every claim.

    Args:
      ran: by name of the figure; claims about figures that are not there are undecided.

    Returns:
      one row per part of a claim: claim, under, section, place, statement, verdict (of the claim), why (the reason if
      it is undecided for another one than its numbers), leaning (what the numbers alone would say), part, statistic,
      value, low, high (95 % bootstrap interval over seeds), wanted, because, published (what the claim's authors
      report, as text; may be empty), part_verdict, runs (of the claim), share
      (of the paper's episodes or frames for it).

    Raises:
      UserError: the parts in `criteria` are not those that a claim has.
    """
    rows: list[dict[str, Any]] = []
    for claim in criteria.claims:
        try:
            estimates, why = bootstrap(claim, _roles(claim, ran)), _too_small(claim, ran, criteria)
        except LackingError as lack:
            estimates, why = dict.fromkeys(claim.parts, _UNKNOWN), f"not run: {lack}"
        except UndecidableError as reason:
            estimates, why = dict.fromkeys(claim.parts, _UNKNOWN), _too_small(claim, ran, criteria) or str(reason)
        verdicts = {name: part.verdict(*estimates[name]) for name, part in claim.parts.items()}
        leaning = _combined(verdicts.values(), claim.of_other_games)
        runs, share = _extent(claim, ran)
        for name, part in claim.parts.items():
            value, low, high = estimates[name]
            rows.append(
                {
                    "claim": claim.id,
                    "under": claim.reading,
                    "section": claim.section,
                    "place": claim.place,
                    "statement": claim.statement,
                    "verdict": UNDECIDED if why else leaning,
                    "why": why,
                    "leaning": leaning,
                    "part": name,
                    "statistic": part.statistic,
                    "value": value,
                    "low": low,
                    "high": high,
                    "wanted": part.wanted,
                    "because": part.because,
                    "published": part.published or "",
                    "part_verdict": verdicts[name],
                    "runs": runs,
                    "share": share,
                }
            )
    return pd.DataFrame(rows)


def _combined(verdicts: Collection[str], of_other_games: bool) -> str:
    if FAILS in verdicts:
        return DOES_NOT_CARRY_OVER if of_other_games else NOT_REPRODUCED
    if UNDECIDED in verdicts:
        return UNDECIDED
    return CARRIES_OVER if of_other_games else REPRODUCED


def _figures(claim: Claim) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in claim.figures.values() for name in names))


def _roles(claim: Claim, ran: Mapping[str, Ran]) -> dict[str, Scores]:
    missing = [name for name in _figures(claim) if name not in ran or ran[name].scores.empty]
    if missing:
        raise LackingError(", ".join(missing))
    tables = {}
    for role, names in claim.figures.items():
        table = pd.concat([ran[name].scores for name in names], ignore_index=True)
        tables[role] = table.drop_duplicates([key for key in (*_RUN, "group") if key in table])
    shared = set.intersection(*(set(table["seed"]) for table in tables.values()))
    if not shared:
        raise LackingError("a seed that all its figures share")
    seeds = tuple(sorted(shared))
    draw = Draw(np.arange(len(seeds)))
    return {role: Scores(table[table["seed"].isin(seeds)], seeds, draw) for role, table in tables.items()}


def bootstrap(claim: Claim, roles: Roles) -> dict[str, tuple[float, float, float]]:
    """The value of each part over all seeds, and its 95 % percentile interval.

    Each resample draws as many seeds with replacement, the same for all figures of the claim.

    Returns:
      value, low, high, NaN where unknown. An interval is unknown for a single seed, and where the statistic has no
      value in more than one in forty resamples.

    Raises:
      LackingError: the runs lack what the statistic needs. UndecidableError: they leave nothing to judge.
      UserError: the claim's parts are not those of its statistic.
    """
    statistic = STATISTICS[claim.id]
    draw = next(iter(roles.values())).draw
    seeds = len(draw.positions)
    whole = statistic(roles)
    if set(claim.parts) != set(whole):
        raise UserError(f"claim {claim.id}: has the parts {', '.join(claim.parts)}; they must be {', '.join(whole)}")
    samples = []
    rng = np.random.default_rng(0)
    for _ in range(_RESAMPLES if seeds > 1 else 0):
        draw.positions = rng.integers(seeds, size=seeds)
        samples.append(statistic(roles))
    draw.positions = np.arange(seeds)
    return {
        name: (value if math.isfinite(value) else math.nan, *_interval(np.array([sample[name] for sample in samples])))
        for name, value in whole.items()
    }


def _interval(samples: np.ndarray) -> tuple[float, float]:
    known = samples[np.isfinite(samples)]
    if not len(known) or len(known) < (1 - _MOST_WITHOUT_VALUE) * len(samples):
        return math.nan, math.nan
    low, high = intervals.percentile_interval(known)
    return float(low), float(high)


def _too_small(claim: Claim, ran: Mapping[str, Ran], criteria: Criteria) -> str:
    """How the scale that ran falls short of the paper's, as text; empty if it is large enough."""
    figures = [ran[name] for name in _figures(claim)]
    shared = len(set.intersection(*(set(figure.scores["seed"]) for figure in figures)))
    short: dict[str, tuple[float, str]] = {}
    for figure in figures:
        scores, paper = figure.scores, figure.paper
        # How many settings other runs chose says nothing about the scale.
        alphas, mus = (0, 0) if paper.settings_from else (paper.n_alphas, len(paper.mus))
        for there, whole, least, what in (
            (int(scores["length"].min()), paper.length, criteria.least.length, paper.unit),
            (shared, len(paper.seeds), criteria.least.seeds, "seeds"),
            (scores["alpha"].nunique(), alphas, 1, "α"),
            (len({*scores["mu"]} & {*paper.mus}), mus, 1, "μ"),
        ):
            if there < least * whole:
                short[what] = min(short.get(what, (1.0, "")), (there / whole, f"{there:,} of {whole:,} {what}"))
    return f"the scale that ran is too small: {', '.join(text for _, text in short.values())}" if short else ""


def _extent(claim: Claim, ran: Mapping[str, Ran]) -> tuple[int, float]:
    """How many runs a claim rests on, and their share of the paper's episodes or frames for its figures."""
    there = [ran[name] for name in _figures(claim) if name in ran and not ran[name].scores.empty]
    if not there:
        return 0, 0.0
    runs = pd.concat([figure.scores[_RUN] for figure in there]).drop_duplicates()
    done = sum(float(figure.scores.drop_duplicates(_RUN)["length"].sum()) for figure in there)
    paper = sum(figure.paper.length * len(figure.paper.some_runs()) for figure in there)
    return len(runs), min(1.0, done / paper)


def summary(table: pd.DataFrame, sections: Mapping[str, str]) -> dict[str, str]:
    """One sentence per section: how many of its claims have which verdict, and which claims these are.

    Args:
      table: of `judge`.
      sections: the sections' names in running text; others keep their own.
    """
    claims = table[table["under"] == ""].drop_duplicates("claim")
    sentences = {}
    for section, rows in claims.groupby("section", sort=False):
        named = []
        for verdict, of_several in _OF_SEVERAL.items():
            ids = rows.loc[rows["verdict"] == verdict, "claim"].tolist()
            if ids:
                named.append(f"{len(ids)} {verdict if len(ids) == 1 else of_several} ({', '.join(ids)})")
        count = f"{len(rows)} claim{'s' if len(rows) > 1 else ''}"
        sentences[str(section)] = f"{sections.get(str(section), section)}: of {count}, {', '.join(named)}."
    return sentences
