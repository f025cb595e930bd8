"""Methods with grids of their own, gathered: which μ of each does best over the initial step-sizes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import intervals, tables
from metatrace.analysis.groups import SETTING
from metatrace.analysis.job import TablesJob
from metatrace.errors import UserError
from metatrace.numbers import parse
from metatrace.runs.results import Run

CASE = ["environment", "method", "drift"]
# What is read of the tables of each figure that is compared.
_COLUMNS = {"scores": (*SETTING, "seed", "auc"), "settings": SETTING, "spread": (*CASE, "mu", "spread")}


def make(job: TablesJob, runs: Sequence[Run] = ()) -> dict[str, pd.DataFrame]:
    """The tables of a figure that compares others: their settings and spread, and best_over_alpha.

    Args:
      job: `members` are the folders of the others' tables.
      runs: none; the figure has no runs of its own.

    Raises:
      UserError: a table is missing, damaged or of another kind; or as `best_over_alpha`.
    """
    read = {name: gathered([_read(folder, name) for folder in job.members]) for name in _COLUMNS}
    best = best_over_alpha(read.pop("scores"), parse(job.spread_alpha_max, "spread_alpha_max"))
    return read | {"best_over_alpha": best}


def _read(folder: Path, name: str) -> pd.DataFrame:
    path = folder / f"{name}.parquet"
    frame = tables.read(path)
    tables.require_columns(frame, _COLUMNS[name], path)
    return frame


def gathered(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows of several tables of the same kind, one below the other; what two of them share, once.

    Args:
      frames: `scores`, `settings` or `spread` of `aggregate`.
    """
    keys = [key for key in (*SETTING, "seed") if key in frames[0]]
    return pd.concat(frames, ignore_index=True).drop_duplicates(keys, ignore_index=True)


def best_over_alpha(scores: pd.DataFrame, alpha_max: float) -> pd.DataFrame:
    """The μ of each method with the highest AUC on average over the initial step-sizes.

    μ* = argmax over μ of (1/A) Σₐ m̄(α, μ), m̄ the mean over seeds, α ≤ `alpha_max`. The same runs choose and
    score it, so its score leans upward.

    Args:
      scores: of `aggregate`, as `gathered`; every setting of a method has the same seeds.
      alpha_max: the largest α that counts.

    Returns:
      one row per environment, method and drift, in the order of `scores`: these, mu, alphas (how many count:
      those at which every μ of the method was run), runs (seeds), auc, auc_low, auc_high (mean over α, with
      its 95 % bootstrap interval over seeds, the α of a seed kept together), runner_up (the second best μ; ""
      where there is one only) and runner_up_auc. Of equal means the larger μ.

    Raises:
      UserError: a method with no such α. The line names it.
    """
    rows: list[dict[str, Any]] = []
    for case, runs in scores.groupby(CASE, sort=False):
        table = runs.pivot(index="seed", columns=["mu", "alpha"], values="auc")
        mus = sorted(set(runs["mu"]), key=lambda token: -parse(token, "mu", zero=True))
        shared = set.intersection(*(set(table[mu].columns) for mu in mus))
        counted = [alpha for alpha in runs["alpha"].unique() if alpha in shared]
        counted = [alpha for alpha in counted if parse(alpha, "alpha") <= alpha_max]
        if not counted:
            raise UserError(
                f"{case[1]} was run at no α up to {alpha_max} with every μ; there is nothing to choose a μ by"
            )
        by_seed = {mu: table[mu][counted].to_numpy().mean(axis=1) for mu in mus}
        ranked = sorted(mus, key=lambda mu: -by_seed[mu].mean())
        best = by_seed[ranked[0]]
        low, high = intervals.mean_interval(best)
        rows.append(
            {
                **dict(zip(CASE, case, strict=True)),
                "mu": ranked[0],
                "alphas": len(counted),
                "runs": len(best),
                "auc": best.mean(),
                "auc_low": low,
                "auc_high": high,
                "runner_up": ranked[1] if len(ranked) > 1 else "",
                "runner_up_auc": by_seed[ranked[1]].mean() if len(ranked) > 1 else np.nan,
            }
        )
    return pd.DataFrame(rows).astype(dict.fromkeys((*CASE, "mu", "runner_up"), "str"))
