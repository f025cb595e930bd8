"""Curves and single runs of a figure, thinned to what a page in a browser needs.

A thinned figure is plain types, for JSON. Every curve goes over one of a few grids, of episodes or observed
frames. Values are whole numbers, in units of 10^−decimals of a return, and lists hold differences: the first
entry, and then the steps from one to the next, null where there is no value. So a run of 5000 episodes is 200
bytes.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import games, losses
from metatrace.analysis.groups import SETTING, Groups, by_setting
from metatrace.analysis.job import TablesJob
from metatrace.analysis.points import kept
from metatrace.analysis.smoothing import trailing_mean
from metatrace.runs.results import Run

EPISODES, FRAMES, EXAMPLES = AXES = ("episode", "frame", "example")
# β is a natural logarithm, and so many decimals of it show a hundredth of a step-size.
_BETA_DECIMALS = 2
MOST_POINTS, MOST_RUN_POINTS = 120, 60
# A curve is a few hundred dots high: so many steps between the least and the largest return are enough.
_STEPS = 2000
_MOST_DECIMALS = 6


def thin_episodes(job: TablesJob, runs: Sequence[Run], curves: pd.DataFrame) -> dict[str, Any]:
    """What the explorer shows of a figure whose runs are counted in episodes: `thin_figure` of runs and curves."""
    shown = kept(job.length, MOST_RUN_POINTS)
    return thin_figure(
        curves, runs, grid=shown + 1, course=lambda run: trailing_mean(run.returns, job.smoothing)[shown]
    )


def thin_frames(job: TablesJob, runs: Sequence[Run], curves: pd.DataFrame) -> dict[str, Any]:
    """The same for runs that are counted in frames."""
    grid = games.frame_grid(job.length)
    grid = grid[kept(len(grid), MOST_RUN_POINTS)]

    def course(run: Run) -> np.ndarray:
        return games.trailing_returns(run, grid, job.smoothing, job.failed_return[run.key.environment])

    return thin_figure(curves, runs, grid=grid, course=course)


def thin_losses(job: TablesJob, runs: Sequence[Run], curves: pd.DataFrame) -> dict[str, Any]:
    """The same for runs with losses, as log10, since what diverges is many powers of ten above the rest.

    What is more than a million times the least mean is shown there.
    """
    means = _log10(curves["mean"].to_numpy())
    most = float(np.nanmin(means)) + 6 if np.isfinite(means).any() else 0.0
    block, ends = losses.blocks(runs[0])
    shown = kept(len(ends), MOST_RUN_POINTS)

    def course(run: Run) -> np.ndarray:
        return _log10(trailing_mean(losses.losses(run), max(1, job.smoothing // block))[shown], most)

    logarithms = curves.assign(**{name: _log10(curves[name].to_numpy(), most) for name in ("mean", "low", "high")})
    return thin_figure(logarithms, runs, grid=ends[shown], course=course) | {"measure": "loss"}


def _log10(values: np.ndarray, most: float = np.inf) -> np.ndarray:
    """At most `most`; NaN where a loss is 0 or not finite."""
    with np.errstate(all="ignore"):
        found = np.log10(values)
    return np.where(np.isfinite(found), np.minimum(found, most), np.nan)


def thin_figure(
    curves: pd.DataFrame, runs: Sequence[Run], *, grid: np.ndarray, course: Callable[[Run], np.ndarray]
) -> dict[str, Any]:
    """A figure, thinned.

    Args:
      curves: of `aggregate`, `games.curves` or `losses.curves`, over one of `AXES`.
      runs: those that the curves are means of, in any order.
      grid: (k,), the episodes or frames at which single runs are kept.
      course: of a run its value at each of these, (k,); NaN where it has none yet.

    Returns:
      `axis`, one of `AXES`; `measure`, what the values are ("return", or "loss" of `thin_losses`); `decimals` of each
      environment's values; `seeds`; `grids`, each as differences; `settings`, in the order of `groups`, each with its
      environment, method, alpha, mu, drift; and for each of these, in `curves` the number of its grid, mean, low and
      high, and in `runs` the number of its grid and a list of values a seed. If runs keep β, also `beta_groups`, and in
      `beta`, for each setting, the number of a grid and for each group the mean over runs of β, in units of 0.01. A
      curve without any point, as of games whose runs have ended no episode, has empty lists.
    """
    axis = next(axis for axis in AXES if axis in curves)
    groups = by_setting(runs)
    tables = dict(iter(curves.groupby(SETTING, sort=False)))
    courses = {setting: np.stack([course(run) for run in members]) for setting, members in groups.items()}
    decimals = {
        environment: _decimals([values for setting, values in courses.items() if setting.environment == environment])
        for environment in dict.fromkeys(setting.environment for setting in groups)
    }
    grids: list[list[int]] = []
    thin_curves, thin_runs = [], []
    for setting, values in courses.items():
        places = decimals[setting.environment]
        rows = tables.get(setting, curves.iloc[:0])
        points = rows.iloc[kept(len(rows), MOST_POINTS)]
        columns = [differences(points[name].to_numpy(), places) for name in ("mean", "low", "high")]
        thin_curves.append([_number_of(points[axis].to_numpy(), grids), *columns])
        thin_runs.append([_number_of(grid, grids), [differences(line, places) for line in values]])
    return {
        "axis": axis,
        "measure": "return",
        "decimals": decimals,
        "seeds": [run.key.seed for run in next(iter(groups.values()))],
        "grids": grids,
        "settings": [list(setting) for setting in groups],
        "curves": thin_curves,
        "runs": thin_runs,
        **_thin_beta(groups, grids),
    }


def _thin_beta(groups: Groups, grids: list[list[int]]) -> dict[str, Any]:
    """`beta_groups` and `beta` of `thin_figure`; nothing if runs keep no β.

    Of tiles only those count that have been active; the β of others never moves.
    """
    first = next(iter(groups.values()))[0]
    if first.beta is None:
        return {}
    names = first.meta["beta_groups"]
    shown = [name for name in names if f"{name}/visited" not in names]
    block = first.meta.get("block", 1)
    ends = np.arange(1, len(first.beta) + 1) * block
    places = kept(len(ends), MOST_RUN_POINTS)
    number = _number_of(ends[places], grids)
    thin = []
    for members in groups.values():
        mean = np.mean([run.beta[places] for run in members if run.beta is not None], axis=0)
        thin.append([number, [differences(mean[:, names.index(name)], _BETA_DECIMALS) for name in shown]])
    return {"beta_groups": [name.removesuffix("/visited") for name in shown], "beta": thin}


def differences(values: np.ndarray, decimals: int) -> list[int | None]:
    """Values in whole units of 10^−decimals, as differences; None for what is not finite.

    The rounded values are subtracted, not the values themselves, so that no error adds up.
    """
    steps: list[int | None] = []
    before = 0
    for value in np.asarray(values, np.float64).tolist():
        if not math.isfinite(value):
            steps.append(None)
            continue
        whole = round(value * 10**decimals)
        steps.append(whole - before)
        before = whole
    return steps


def _number_of(grid: np.ndarray, grids: list[list[int]]) -> int:
    """Where a grid stands among `grids`; it joins them where it is new."""
    steps = [int(step) for step in np.diff(grid, prepend=0)]
    if steps not in grids:
        grids.append(steps)
    return grids.index(steps)


def _decimals(parts: Sequence[np.ndarray]) -> int:
    """How many decimals show a return, if there are to be `_STEPS` between the least and the largest."""
    values = np.concatenate([part[~np.isnan(part)] for part in parts])
    spread = float(np.ptp(values)) if len(values) else 0.0
    if spread == 0:
        return 2
    return min(max(math.ceil(math.log10(_STEPS / spread)), 0), _MOST_DECIMALS)
