"""Methods with grids of their own, gathered: which μ of each does best over the initial step-sizes."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metatrace.analysis import tables
from metatrace.analysis.best import CASE, best_over_alpha
from metatrace.analysis.groups import SETTING
from metatrace.analysis.job import TablesJob
from metatrace.numbers import parse
from metatrace.runs.results import Run

# What is read of the tables of each figure that is compared.
_COLUMNS = {"scores": (*SETTING, "seed", "auc"), "settings": SETTING, "spread": (*CASE, "mu", "spread")}


def make(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The tables of a figure that compares others: their settings and spread, and best_over_alpha.

    Args:
      job: `members` are the folders of the others' tables.
      runs: none; the figure has no runs of its own.

    Raises:
      UserError: a table is missing, damaged or of another kind; or as `best_over_alpha`.
    """
    read = {name: gathered([_read(Path(folder), name) for folder in job.members]) for name in _COLUMNS}
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
