"""Tables of figures of regression: errors, the step-sizes that were learned, and how far weights moved."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import beta, losses, tables
from metatrace.analysis.aggregate import curve_table
from metatrace.analysis.groups import SETTING, by_setting, per_run
from metatrace.analysis.intervals import with_interval
from metatrace.analysis.job import TablesJob
from metatrace.runs.results import LossRun, Run

# How many examples after a change of task count as those that come first.
FIRST = 1000
_RENAMED = {
    f"{score}{end}": f"{name}{end}"
    for score, name in (("final", "error"), ("auc", "mean_error"))
    for end in ("", "_low", "_high")
}


def make(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The tables of every such figure: curves, scores (of `analysis.losses`), and errors.

    errors (one row per setting): environment, method, alpha, mu, drift, target_scale (1 where there is no such
      reading), runs, error (mean loss over the last `smoothing` examples), error_low, error_high, mean_error (over all
      examples), mean_error_low, mean_error_high, diverged (how many runs).
    """
    made = losses.make(job, runs)
    errors = made.pop("settings").rename(columns=_RENAMED)
    errors.insert(len(SETTING), "target_scale", runs[0].meta["readings"].get("target_scale", "1"))
    return made | {"errors": errors}


def make_compared(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The errors of the figures that a figure compares, one below the other; `runs`: none.

    Raises:
      UserError: a table is missing, damaged or of another kind.
    """
    parts = []
    for folder in job.members:
        path = Path(folder) / "errors.parquet"
        part = tables.read(path)
        tables.require_columns(part, (*SETTING, "target_scale", "error", "error_low", "error_high"), path)
        parts.append(part)
    keys = [*SETTING, "target_scale"]
    return {"errors": pd.concat(parts, ignore_index=True).drop_duplicates(keys, ignore_index=True)}


def make_with_step_sizes(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The tables of `make`, and the step-sizes: over time, and at the end.

    step_size_curves (one row per setting, group and kept block): environment, method, alpha, mu, drift, group, example,
      mean (of the group's mean log step-size), low, high, runs.
    step_sizes (one row per setting and group): environment, method, alpha, mu, drift, group, runs, step_size (the mean
      over the group's weights at the end), step_size_low, step_size_high, least, largest (the mean over runs of the
      group's smallest and largest).
    scores also has alpha_<group>: the mean step-size of each group at the end.
    """
    made = make(job, runs)
    block = runs[0].meta["block"]
    over_time = beta.curves(runs, window=1).rename(columns={"episode": "example"})
    over_time["example"] = (over_time["example"] * block).clip(upper=job.length)
    of_runs = losses.step_sizes(runs, {name: slice(*places) for name, places in _places(runs).items()})
    for group, rows in of_runs.groupby("group", sort=False):
        made["scores"] = made["scores"].merge(
            rows[[*SETTING, "seed", "mean"]].rename(columns={"mean": f"alpha_{group}"}), on=[*SETTING, "seed"]
        )
    ends: list[dict[str, Any]] = []
    for keys, rows in of_runs.groupby([*SETTING, "group"], sort=False):
        row: dict[str, Any] = {**dict(zip([*SETTING, "group"], keys, strict=True)), "runs": len(rows)}
        row |= with_interval("step_size", rows["mean"].to_numpy())
        ends.append(row | {"least": rows["least"].mean(), "largest": rows["largest"].mean()})
    return made | {"step_size_curves": over_time, "step_sizes": pd.DataFrame(ends)}


def make_of_tasks(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The tables of `make` for a task that changes, and how far weights moved.

    changes (one row per setting, task and layer): environment, method, alpha, mu, drift, layer, episode (which task,
      from 1), mean (‖Δw‖² of the layer's weights over the task), low, high, runs.
    scores also has first (the mean loss of the first `FIRST` examples after each change; NaN if there was none) and
      change_<layer> (the sum of ‖Δw‖² over the tasks).
    """
    made = make(job, runs)
    layers, groups = runs[0].meta["layers"], by_setting(runs)
    changes = curve_table(
        ({**setting._asdict(), "layer": layer}, np.stack([_changes(run)[:, column] for run in members]))
        for setting, members in groups.items()
        for column, layer in enumerate(layers)
    )

    def measure(run: Run) -> dict[str, float]:
        moved = dict(zip(layers, _changes(run).sum(axis=0), strict=True))
        return {"first": after_changes(run), **{f"change_{layer}": value for layer, value in moved.items()}}

    scores = made["scores"].merge(per_run(groups, measure), on=[*SETTING, "seed"])
    return made | {"scores": scores, "changes": changes.rename(columns={"episode": "task"})}


def after_changes(run: Run) -> float:
    """The mean loss of the first `FIRST` examples after each change of task; NaN if the task did not change."""
    block, whole = run.meta["block"], run.meta["changes_block"] // run.meta["block"]
    values = losses.losses(run)
    first = [values[start : start + FIRST // block] for start in range(whole, len(values), whole)]
    return float(np.concatenate(first).mean()) if first else np.nan


def _changes(run: Run) -> np.ndarray:
    assert isinstance(run, LossRun) and run.changes is not None, "the run did not keep how far its weights moved"
    return run.changes


def _places(runs: Sequence[Run]) -> Mapping[str, Sequence[int]]:
    """The places of each group's step-sizes."""
    places: Mapping[str, Sequence[int]] = runs[0].meta["step_size_groups"]
    return places
