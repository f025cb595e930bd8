"""Tables of runs with losses: error curves, scores, and the step-sizes that were learned.

A run with losses keeps one number per episode, or per block of `meta.block` examples.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis.aggregate import curve, settings
from metatrace.analysis.groups import by_setting, per_run
from metatrace.analysis.job import TablesJob
from metatrace.analysis.smoothing import drawn_episodes, trailing_mean
from metatrace.runs.results import LossRun, Run


def make(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The tables of every figure whose runs have losses: curves, scores and settings."""
    scored = scores(runs, job.smoothing, job.unit)
    return {"curves": curves(runs, job.smoothing), "scores": scored, "settings": settings(scored)}


def curves(runs: Sequence[Run], smoothing: int) -> pd.DataFrame:
    """The trailing mean of the loss, mean over runs with intervals.

    Args:
      smoothing: over how many last examples, or episodes where losses are of episodes; at least one block counts.

    Returns:
      one row per setting and kept block or episode: environment, method, alpha, mu, drift, example (how many had been
      seen) or episode (from 1), mean, low, high, runs.
    """
    parts = []
    for setting, members in by_setting(runs).items():
        block, ends = blocks(members[0])
        values = trailing_mean(np.stack([losses(run) for run in members]), max(1, smoothing // block))
        kept = drawn_episodes(values.shape[1])
        over = "example" if "block" in members[0].meta else "episode"
        parts.append(curve(setting._asdict(), over, ends[kept].astype(np.int32), values[:, kept]))
    return pd.concat(parts, ignore_index=True)


def scores(runs: Sequence[Run], smoothing: int, unit: str) -> pd.DataFrame:
    """The error of every run.

    Args:
      smoothing: over how many last examples or episodes the final error is the mean. unit: examples or episodes.

    Returns:
      one row per run: environment, method, alpha, mu, drift, seed, `unit` (how many the run has), final (mean loss over
      the last `smoothing`), auc (mean loss over all), diverged.
    """

    def score(run: Run) -> dict[str, Any]:
        values, (block, ends) = losses(run), blocks(run)
        sizes = np.diff(ends, prepend=0)
        last = slice(-max(1, smoothing // block), None)
        return {
            unit: int(ends[-1]),
            "final": np.average(values[last], weights=sizes[last]),
            "auc": np.average(values, weights=sizes),
            "diverged": run.diverged_episode is not None,
        }

    return per_run(by_setting(runs), score)


def step_sizes(runs: Sequence[Run], groups: Mapping[str, slice]) -> pd.DataFrame:
    """The step-sizes at the end of every run, by groups of weights.

    Args:
      groups: the places of each group's weights.

    Returns:
      one row per run and group: environment, method, alpha, mu, drift, seed, group, mean, least, largest.
    """
    found = by_setting(runs)
    parts = []
    for group, places in groups.items():

        def measure(run: Run, group: str = group, places: slice = places) -> dict[str, Any]:
            assert isinstance(run, LossRun) and run.step_sizes is not None
            alpha = run.step_sizes[places]
            return {"group": group, "mean": alpha.mean(), "least": alpha.min(), "largest": alpha.max()}

        parts.append(per_run(found, measure))
    return pd.concat(parts, ignore_index=True)


def losses(run: Run) -> np.ndarray:
    """The losses of a run, by block or episode."""
    assert isinstance(run, LossRun) and run.losses is not None, "the run has no losses"
    return run.losses


def blocks(run: Run) -> tuple[int, np.ndarray]:
    """How many examples (or episodes: 1) a loss is the mean of, and how many had been seen at the end of each."""
    block, count = run.meta.get("block", 1), len(losses(run))
    return block, np.minimum(np.arange(1, count + 1) * block, run.meta.get("examples", count))
