"""From runs of games to tidy tables, for the paper's figures 8 and 9.

Runs of games are equally long in observed frames, not in episodes: curves go over a grid of frames that all
runs share, and a run may have no finished episode at all. Rows go by setting, as `groups` orders them, then
by seed or frame; low and high bound 95 % bootstrap intervals over seeds, and are NaN for a single seed.

A run that diverged has no policy from that frame on: its return counts as that of an episode without one
(`failed_return`, as `metatrace.domains.protocol.Environment` has it), which is 0 where a game can only be won.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis.aggregate import curve, settings
from metatrace.analysis.aggregate_scores import aggregate_scores
from metatrace.analysis.groups import by_setting, per_run
from metatrace.analysis.job import TablesJob
from metatrace.analysis.reference import RANDOM, read_reference
from metatrace.analysis.smoothing import trailing_mean
from metatrace.numbers import descending, parse
from metatrace.runs.key import UNTUNED
from metatrace.runs.results import Run

OURS = "this reproduction"

_BESIDE = ["game", "agent", "frames", "score", "low", "high", "runs", "protocol", "source", "comparable"]


def make(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The tables of a figure of games: curves, scores, settings, best_constant and reference.

    Of several games also aggregate_scores. Games go in the order of `job`.

    Raises:
      UserError: as `read_reference`.
    """
    published = read_reference(job.reference)
    shown = _in_order(scores(job, runs), "environment", job.environments)
    by_setting = settings(shown)
    made = {
        "curves": curves(job, runs),
        "scores": shown,
        "settings": by_setting,
        "best_constant": best_constant(by_setting),
        "reference": beside_reference(by_setting, published, frames=job.length),
    }
    if len(job.environments) > 1:
        made["aggregate_scores"] = aggregate_scores(shown, published)
    return made


def frame_grid(frames: int, points: int = 500) -> np.ndarray:
    """The observed frames at which curves are kept: every kth of `frames`, the last among them.

    k is the smallest that keeps no more than `points`.

    Returns:
      (at most `points`,), int64, ascending, from at least 1 to `frames`.
    """
    step = math.ceil(frames / points)
    return np.arange(frames, 0, -step, dtype=np.int64)[::-1]


def trailing_returns(run: Run, grid: np.ndarray, window: int, failed_return: float) -> np.ndarray:
    """The mean return of the last `window` episodes that were finished by each frame of a grid.

    y(f) = (1/n) Σ_{i = k−n+1}^{k} xᵢ, k the number of episodes with end ≤ f and n = min(window, k).

    Args:
      run: with `frames`.
      grid: (k,), observed frames.
      window: at least 1, in episodes; where fewer are finished, all of them count.
      failed_return: the return of an episode without a policy.

    Returns:
      (k,), float64, in the unit of the returns. NaN until the first episode is finished. `failed_return`
      from the frame of divergence on, even where no episode was finished before.
    """
    assert run.frames is not None
    finished = np.searchsorted(run.frames, grid, side="right")
    values = np.r_[np.nan, trailing_mean(run.returns, window)][finished]
    if run.diverged_episode is not None:
        values[grid >= run.meta["diverged_frame"]] = failed_return
    return values


def curves(job: TablesJob, runs: Sequence[Run]) -> pd.DataFrame:
    """Learning curves: means over runs of `trailing_returns`.

    Args:
      job: its length, smoothing and failed_return count.
      runs: all runs of the job's grid, in any order.

    Returns:
      one row per setting and frame of `frame_grid` at which every run of the setting has a value, for a mean
      whose members change would jump: environment, method, alpha, mu, drift, frame, mean, low, high, runs.
      There may be no rows.
    """
    grid = frame_grid(job.length)
    parts = []
    for setting, members in by_setting(runs).items():
        failed = job.failed_return[setting.environment]
        values = np.stack([trailing_returns(run, grid, job.smoothing, failed) for run in members])
        known = ~np.isnan(values).any(axis=0)
        parts.append(curve(setting._asdict(), "frame", grid[known], values[:, known]))
    return pd.concat(parts, ignore_index=True)


def scores(job: TablesJob, runs: Sequence[Run]) -> pd.DataFrame:
    """What each run earned.

    Args:
      job: its length, smoothing, failed_return and final count.
      runs: all runs of the job's grid, in any order.

    Returns:
      one row per run: environment, method, alpha, mu, drift, seed, frames (asked for), episodes (finished), final
      (mean return over the last `final_episodes`; NaN where none is finished; `failed_return`, of no episode, where
      the run diverged), final_episodes, auc (mean over `frame_grid` of `trailing_returns`, from its first value on;
      NaN where there is none), entropy (mean over the last `final` finished episodes of the policy's, in
      nats; NaN where there is none), diverged, diverged_frame (missing where the run did not diverge).
    """
    grid = frame_grid(job.length)

    def score(run: Run) -> dict[str, Any]:
        diverged = run.diverged_episode is not None
        last = run.returns[:0] if diverged else run.returns[-job.final :]
        failed = job.failed_return[run.key.environment]
        course = trailing_returns(run, grid, job.smoothing, failed)
        return {
            "frames": job.length,
            "episodes": len(run.returns),
            "final": failed if diverged else _mean(last),
            "final_episodes": len(last),
            "auc": _mean(course[~np.isnan(course)]),
            "entropy": np.nan if run.entropy is None else _mean(run.entropy[-job.final :]),
            "diverged": diverged,
            "diverged_frame": run.meta["diverged_frame"] if diverged else None,
        }

    return per_run(by_setting(runs), score).astype({"diverged_frame": "Int64"})


def best_alpha(settings: pd.DataFrame, *, environment: str, method: str, count: int) -> list[str]:
    """The `count` α of a method with the highest final score in an environment.

    Of equal scores the larger α goes first, and a score of NaN goes last. Where an α was run with several μ,
    the best of them counts.

    Args:
      settings: of `settings`; it has at least `count` α of the method.

    Returns:
      tokens, by value downward (not by score).
    """
    rows = settings[(settings["environment"] == environment) & (settings["method"] == method)]
    return descending(_ranked(rows)["alpha"].drop_duplicates()[:count])


def best_constant(settings: pd.DataFrame) -> pd.DataFrame:
    """The best constant step-size of each environment: the untuned setting with the highest final score.

    The same runs choose and score it, so its score leans upward. Of equal scores the larger α is taken, and a
    score of NaN only where there is no other.

    Args:
      settings: of `settings`.

    Returns:
      one row per environment with untuned runs, in the order of `settings`: environment, alpha, final,
      final_low, final_high, runs.
    """
    untuned = settings[settings["method"] == UNTUNED].reset_index(drop=True)
    best = _ranked(untuned).drop_duplicates("environment").sort_index()
    return best[["environment", "alpha", "final", "final_low", "final_high", "runs"]].reset_index(drop=True)


def beside_reference(settings: pd.DataFrame, reference: pd.DataFrame, *, frames: int) -> pd.DataFrame:
    """The final scores next to random play and published agents.

    Args:
      settings: of `settings`.
      reference: of `reference.read_reference`; games that `settings` lacks are left out.
      frames: observed frames of each of our runs.

    Returns:
      one row per agent of each game: game, agent (ours are "mixed, α = 2^-8"), frames, score, low, high, runs
      (of ours alone), protocol (empty for ours), source, comparable. By game as they first appear in
      `settings`; in each random play, then ours in the order of `settings`, then what is published in the
      order of `reference`.
    """
    games = settings["environment"].unique().tolist()
    known = reference[reference["game"].isin(games)].rename(columns={"value": "score"})
    ours = settings.rename(columns={"environment": "game", "final": "score", "final_low": "low", "final_high": "high"})
    ours = ours.assign(
        agent=ours["method"] + ", α = " + ours["alpha"], frames=frames, protocol="", source=OURS, comparable="yes"
    )
    is_random = known["agent"] == RANDOM
    table = pd.concat([known[is_random], ours, known[~is_random]])[_BESIDE].astype({"runs": "Int64"})
    return _in_order(table, "game", games).reset_index(drop=True)


def _mean(values: np.ndarray) -> float:
    """Without numpy's warning where there is nothing to average."""
    return float(values.mean()) if len(values) else np.nan


def _in_order(frame: pd.DataFrame, column: str, games: Sequence[str]) -> pd.DataFrame:
    return frame.sort_values(column, key=lambda names: names.map(list(games).index), kind="stable")


def _ranked(settings: pd.DataFrame) -> pd.DataFrame:
    """The rows by final score downward, then by α downward; NaN last."""
    value = settings["alpha"].map(lambda token: parse(token, "alpha")).astype("float64")
    ranked = settings.assign(value=value).sort_values(["final", "value"], ascending=False, na_position="last")
    return ranked.drop(columns="value")
