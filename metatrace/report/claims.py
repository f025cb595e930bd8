"""Verdicts over the paper's claims: each statistic and its interval against a threshold.

A part of a claim holds if its whole interval lies on the claimed side of the threshold, fails if all of it lies on the
other side, is level if all of it is too near to zero to matter, and is inconclusive otherwise or without an interval.
A claim is reproduced if every part holds, not reproduced if any part fails or is level, and inconclusive otherwise.
What the paper claims of its games and we ask of others carries over to them, or does not. If too little of the paper's
scale ran, a claim is too small to judge.
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
from metatrace.config.figure import Figure, short_name_of
from metatrace.errors import UserError
from metatrace.figures.kinds.registry import KINDS
from metatrace.report.claim_scores import Draw, LackingError, Roles, Scores, UndecidableError
from metatrace.report.criteria import Claim, Criteria
from metatrace.report.statistics.registry import STATISTICS
from metatrace.report.verdicts import (
    CARRIES_OVER,
    DOES_NOT_CARRY_OVER,
    FAILS,
    INCONCLUSIVE,
    LEVEL,
    NOT_REPRODUCED,
    NOT_RUN,
    REPRODUCED,
    TOO_SMALL,
    Verdict,
    sentence,
)
from metatrace.runs.key import NO_MU

# Each resample computes every statistic again, and the third digit of an interval does not matter.
_RESAMPLES = 1000
# The share of the resamples in which a statistic may have no value before its interval is unknown.
_MOST_WITHOUT_VALUE = 0.025
_UNKNOWN = (math.nan,) * 3
# More seeds than anybody would run are said to be more than these.
_MOST_SEEDS = 100_000
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
      ran: by name of the figure; claims about figures that are not there are not run.

    Returns:
      one row per part of a claim: claim, under, section, place, statement, verdict (of the claim), why (what the runs
      lack, or how many seeds would decide it; may be empty), leaning (what the numbers alone would say), part,
      statistic, value, low, high (95 % bootstrap interval over seeds), wanted, because, published (what the claim's
      authors report, as text; may be empty), part_verdict, seeds (that the part is judged on), seeds_needed (how many
      would be expected to decide an inconclusive part; else NaN), runs (of the claim), share (of the paper's episodes
      or frames for it).

    Raises:
      UserError: the parts in `criteria` are not those that a claim has.
    """
    rows: list[dict[str, Any]] = []
    for claim in criteria.claims:
        estimates, seeds, lacks, why = dict.fromkeys(claim.parts, _UNKNOWN), dict.fromkeys(claim.parts, 0), "", ""
        try:
            roles = _roles(claim, ran)
            seeds = {part: len(_draw(claim, roles, part).positions) for part in claim.parts}
            estimates = bootstrap(claim, roles)
        except LackingError as lack:
            lacks = f"lacks {lack}"
        except UndecidableError as reason:
            why = str(reason)
        results = {name: NOT_RUN if lacks else part.verdict(*estimates[name]) for name, part in claim.parts.items()}
        needed = {
            name: part.seeds_needed(*estimates[name], seeds[name]) if results[name] is INCONCLUSIVE else math.nan
            for name, part in claim.parts.items()
        }
        leaning = NOT_RUN if lacks else _combined(results.values(), claim.of_other_games)
        small = "" if lacks else _too_small(claim, ran, criteria)
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
                    "verdict": (TOO_SMALL if small else leaning).word,
                    "why": lacks or small or why or _reason(leaning, results, needed, seeds),
                    "leaning": leaning.word,
                    "part": name,
                    "statistic": part.statistic,
                    "value": value,
                    "low": low,
                    "high": high,
                    "wanted": part.wanted,
                    "because": part.because,
                    "published": part.published or "",
                    "part_verdict": results[name].word,
                    "seeds": seeds[name],
                    "seeds_needed": needed[name],
                    "runs": runs,
                    "share": share,
                }
            )
    return pd.DataFrame(rows)


def _combined(results: Collection[Verdict], of_other_games: bool) -> Verdict:
    if FAILS in results or LEVEL in results:
        return DOES_NOT_CARRY_OVER if of_other_games else NOT_REPRODUCED
    if INCONCLUSIVE in results:
        return INCONCLUSIVE
    return CARRIES_OVER if of_other_games else REPRODUCED


def _reason(
    verdict: Verdict, results: Mapping[str, Verdict], needed: Mapping[str, float], seeds: Mapping[str, int]
) -> str:
    """Why the numbers do not decide a claim, or decide against it though no part fails; empty otherwise."""
    if verdict is INCONCLUSIVE:
        open_parts = [name for name, found in results.items() if found is INCONCLUSIVE]
        part = max(open_parts, key=lambda name: (math.isnan(needed[name]), needed[name]))
        if math.isnan(needed[part]):
            return "1 seed gives no interval" if seeds[part] == 1 else f"its {seeds[part]} seeds give no interval"
        most = needed[part] > _MOST_SEEDS
        number = f"more than {_MOST_SEEDS:,}" if most else f"about {_two_digits(int(needed[part])):,}"
        return f"{number} seeds would be expected to decide it; it has {seeds[part]}"
    if LEVEL in results.values() and FAILS not in results.values():
        return "no part fails, but what is level is not better"
    return ""


def _two_digits(number: int) -> int:
    """A number rounded up to two digits."""
    unit = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit


def _figures(claim: Claim) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in claim.figures.values() for name in names))


def _roles(claim: Claim, ran: Mapping[str, Ran]) -> dict[str, Scores]:
    missing = [name for name in _figures(claim) if name not in ran or ran[name].scores.empty]
    if missing:
        raise LackingError(", ".join(map(short_name_of, missing)))
    tables = {}
    for role, names in claim.figures.items():
        table = pd.concat([ran[name].scores for name in names], ignore_index=True)
        tables[role] = table.drop_duplicates([key for key in (*_RUN, "group") if key in table])
    found: dict[str, Scores] = {}
    for roles in _groups(claim):
        shared = set.intersection(*(set(tables[role]["seed"]) for role in roles))
        if not shared:
            raise LackingError("a seed that all its figures share")
        seeds = tuple(sorted(shared))
        draw = Draw(np.arange(len(seeds)))
        found |= {role: Scores(tables[role][tables[role]["seed"].isin(seeds)], seeds, draw) for role in roles}
    return found


def _groups(claim: Claim) -> list[tuple[str, ...]]:
    """The roles that share their seeds: those of each part that is judged apart, and the others."""
    apart = list(dict.fromkeys(map(tuple, claim.apart.values())))
    others = tuple(role for role in claim.figures if not any(role in roles for roles in apart))
    return [others, *apart] if others else apart


def _draw(claim: Claim, roles: Roles, part: str) -> Draw:
    """The seeds that a part is judged on."""
    others = _groups(claim)[0]
    return roles[claim.apart.get(part, others)[0]].draw


def bootstrap(claim: Claim, roles: Roles) -> dict[str, tuple[float, float, float]]:
    """The value of each part over all seeds, and its 95 % interval.

    Each resample draws as many seeds with replacement, the same for all figures of the claim; those that are judged
    apart have draws of their own. Resamples bias a statistic such as the least of several means or an absolute
    difference. So the percentiles are shifted by the bias of the resamples' median:

      [θ̂ + q₀.₀₂₅ − q₀.₅, θ̂ + q₀.₉₇₅ − q₀.₅], q of the resamples, θ̂ the value over all seeds, which always lies inside.

    Returns:
      value, low, high, NaN where unknown. An interval is unknown for a single seed, and where the statistic has no
      value in more than one in forty resamples.

    Raises:
      LackingError: the runs lack what the statistic needs. UndecidableError: they leave nothing to judge.
      UserError: the claim's parts are not those of its statistic.
    """
    statistic = STATISTICS[claim.id]
    draws = list({id(scores.draw): scores.draw for scores in roles.values()}.values())
    counts = [len(draw.positions) for draw in draws]
    whole = statistic(roles)
    if set(claim.parts) != set(whole):
        raise UserError(f"claim {claim.id}: has the parts {', '.join(claim.parts)}; they must be {', '.join(whole)}")
    samples = []
    rng = np.random.default_rng(0)
    for _ in range(_RESAMPLES if min(counts) > 1 else 0):
        for draw, seeds in zip(draws, counts, strict=True):
            draw.positions = rng.integers(seeds, size=seeds)
        samples.append(statistic(roles))
    for draw, seeds in zip(draws, counts, strict=True):
        draw.positions = np.arange(seeds)
    estimates = {}
    for name, value in whole.items():
        low, high = _interval(value, np.array([sample[name] for sample in samples]))
        estimates[name] = (value if math.isfinite(value) else math.nan, low, high)
    return estimates


def _interval(value: float, samples: np.ndarray) -> tuple[float, float]:
    known = samples[np.isfinite(samples)]
    if not math.isfinite(value) or not len(known) or len(known) < (1 - _MOST_WITHOUT_VALUE) * len(samples):
        return math.nan, math.nan
    low, high = intervals.percentile_interval(known)
    median = np.median(known)
    return float(value + (low - median)), float(value + (high - median))


def _too_small(claim: Claim, ran: Mapping[str, Ran], criteria: Criteria) -> str:
    """How the scale that ran falls short of the paper's, as text; empty if it is large enough."""
    short: dict[str, tuple[float, str]] = {}
    for roles in _groups(claim):
        figures = [ran[name] for role in roles for name in claim.figures[role]]
        shared = len(set.intersection(*(set(figure.scores["seed"]) for figure in figures)))
        seeds = len(set.intersection(*(set(figure.paper.seeds) for figure in figures)))
        for figure in figures:
            scores, paper = figure.scores, figure.paper
            # How many settings other runs chose says nothing about the scale.
            alphas, mus = (0, 0) if paper.settings_from else (paper.n_alphas, len(paper.mus))
            for there, whole, least, what in (
                (int(scores["length"].min()), paper.length, criteria.least.length, paper.unit),
                (shared, seeds, criteria.least.seeds, "seeds"),
                (scores["alpha"].nunique(), alphas, 1, "α"),
                (len({*scores["mu"]} & {*paper.mus}), mus, 1, "μ"),
            ):
                if there < least * whole:
                    short[what] = min(short.get(what, (1.0, "")), (there / whole, f"{there:,} of {whole:,} {what}"))
    return ", ".join(text for _, text in short.values())


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
    claims = table.drop_duplicates(["claim", "under"])
    return {
        str(section): f"{sections.get(str(section), section)}: {sentence(rows.to_dict('records'))}."
        for section, rows in claims.groupby("section", sort=False)
    }
