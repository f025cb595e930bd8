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

from metatrace.analysis import games
from metatrace.analysis.groups import SETTING, by_setting
from metatrace.analysis.job import TablesJob
from metatrace.analysis.points import kept
from metatrace.analysis.smoothing import trailing_mean
from metatrace.runs.results import Run

EPISODES, FRAMES = "episode", "frame"
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


def thin_figure(
    curves: pd.DataFrame, runs: Sequence[Run], *, grid: np.ndarray, course: Callable[[Run], np.ndarray]
) -> dict[str, Any]:
    """A figure, thinned.

    Args:
      curves: of `aggregate` or `games.curves`; those go over `EPISODES`, these over `FRAMES`.
      runs: those that the curves are means of, in any order.
      grid: (k,), the episodes or frames at which single runs are kept.
      course: of a run its value at each of these, (k,); NaN where it has none yet.

    Returns:
      `axis`, EPISODES or FRAMES; `decimals` of each environment's values; `seeds`; `grids`, each as
      differences; `settings`, in the order of `groups`, each with its environment, method, alpha, mu, drift;
      and for each of these, in `curves` the number of its grid, mean, low and high, and in `runs` the number
      of its grid and a list of values a seed. A curve without any point, as of games whose runs have ended no
      episode, has empty lists.
    """
    axis = EPISODES if EPISODES in curves else FRAMES
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
        "decimals": decimals,
        "seeds": [run.key.seed for run in next(iter(groups.values()))],
        "grids": grids,
        "settings": [list(setting) for setting in groups],
        "curves": thin_curves,
        "runs": thin_runs,
    }


def differences(values: np.ndarray, decimals: int) -> list[int | None]:
    """Values in whole units of 10^−decimals, as differences; None for NaN.

    The rounded values are subtracted, not the values themselves, so that no error adds up.
    """
    steps: list[int | None] = []
    before = 0
    for value in np.asarray(values, np.float64).tolist():
        if math.isnan(value):
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
