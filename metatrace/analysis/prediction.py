"""Tables of predictions: their errors, and the step-sizes of tiles and of noise."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import intervals, losses
from metatrace.analysis.groups import SETTING, by_setting, per_run
from metatrace.analysis.job import TablesJob
from metatrace.runs.results import LossRun, Run

# Of a run file's `meta.step_size_groups` the column of the tables
GROUPS = {"tiles/visited": "tiles", "noise": "noise"}


def make(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The tables of a figure of predictions.

    Returns:
      curves, of `losses.curves`.
      scores, one row per run: environment, method, alpha, mu, drift, seed, episodes, final (mean error over the last
      `job.smoothing` episodes), auc (mean error over all), diverged, and, of the step-sizes at the end, the mean of the
      visited tiles (tiles), of the noise features (noise; NaN where there are none), and tiles / noise (ratio).
      prediction_errors, one row per setting: means over its runs, of `errors`.
    """
    made = losses.make(job, runs)
    scores = made["scores"].merge(step_sizes(runs), on=[*SETTING, "seed"])
    return {"curves": made["curves"], "scores": scores, "prediction_errors": errors(scores)}


def step_sizes(runs: Sequence[Run]) -> pd.DataFrame:
    """One row per run: environment, method, alpha, mu, drift, seed, tiles, noise and ratio (see `make`)."""

    def measure(run: Run) -> dict[str, Any]:
        assert isinstance(run, LossRun) and run.step_sizes is not None
        found = dict(zip(run.meta["step_size_groups"], run.step_sizes, strict=True))
        values = {column: float(found.get(group, np.nan)) for group, column in GROUPS.items()}
        return {**values, "ratio": float(np.divide(values["tiles"], values["noise"]))}

    with np.errstate(all="ignore"):  # a step-size may be 0, or nearly
        return per_run(by_setting(runs), measure)


def errors(scores: pd.DataFrame) -> pd.DataFrame:
    """Means over the runs of each setting, with intervals.

    A mean is NaN if any of its runs has no such number: a step-size is unknown once a run has diverged.

    Returns:
      one row per setting, in the order of `scores`: environment, method, alpha, mu, drift, runs, diverged (how many),
      and of final, auc, tiles and noise the mean and its 95 % bootstrap interval over seeds, as final, final_low, …
    """
    rows: list[dict[str, Any]] = []
    for setting, runs in scores.groupby(SETTING, sort=False):
        row = {**dict(zip(SETTING, setting, strict=True)), "runs": len(runs), "diverged": runs["diverged"].sum()}
        for score in ("final", "auc", *GROUPS.values()):
            row |= intervals.with_interval(score, runs[score].to_numpy())
        rows.append(row)
    return pd.DataFrame(rows)
