"""Methods over several games at once, on a scale that the games share."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import robust
from metatrace.analysis.reference import RANDOM
from metatrace.runs.key import UNTUNED

# What counts as 1: a published agent that learned from whole games with sticky actions, as ours do. It had
# four times as many frames (on MinAtar ten times), and replay, so ours are not expected to reach it.
UNIT = "DQN"
_SETTING = ["method", "alpha", "mu"]
_COLUMNS = {
    **dict.fromkeys((*_SETTING, "games"), "str"),
    "runs": "int64",
    **{f"{score}{end}": "float64" for score in ("iqm", "improvement") for end in ("", "_low", "_high")},
}


def aggregate_scores(scores: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """The interquartile mean of normalized final scores over games, and the probability of improvement.

    Normalized game by game, (x − low) / (high − low): 0 is random play, 1 is what `UNIT` scored, as the reference has
    them. Games whose reference lacks either are left out: on no scale could their scores be compared with the others'.

    Args:
      scores: of `analysis.games.scores`; every setting has the same games and seeds.
      reference: of `analysis.reference.read_reference`.

    Returns:
      one row per method, α and μ, in the order of `scores`: these, games (those that count, with commas), runs
      (of each game), iqm, iqm_low, iqm_high (95 % interval, of a bootstrap that resamples the runs of each
      game), improvement (how likely one run with tuning is better than one without at the same α, on a game
      drawn at random; NaN for the untuned and where those were not run), improvement_low, improvement_high.
      No rows where no game counts.
    """
    known = reference.drop_duplicates(["game", "agent"]).pivot(index="game", columns="agent", values="value")
    known = known.reindex(columns=[RANDOM, UNIT])
    low, high = known[RANDOM], known[UNIT]
    games = [game for game in scores["environment"].unique() if game in known.index and high[game] > low[game]]
    by_setting: dict[Any, np.ndarray] = {}
    for setting, runs in scores[scores["environment"].isin(games)].groupby(_SETTING, sort=False):
        finals = runs.pivot(index="seed", columns="environment", values="final")[games]
        by_setting[setting] = ((finals - low[games]) / (high - low)[games]).to_numpy()
    untuned = {alpha: values for (method, alpha, _), values in by_setting.items() if method == UNTUNED}
    rows: list[dict[str, Any]] = []
    for setting, values in by_setting.items():
        row = {**dict(zip(_SETTING, setting, strict=True)), "games": ", ".join(games), "runs": len(values)}
        row |= _with_interval("iqm", robust.interquartile_mean, values)
        if setting[0] != UNTUNED and setting[1] in untuned:
            row |= _with_interval("improvement", robust.probability_of_improvement, values, untuned[setting[1]])
        rows.append(row)
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype(_COLUMNS)


def _with_interval(name: str, statistic: Callable[..., float], *scores: np.ndarray) -> dict[str, float]:
    low, high = robust.stratified_interval(statistic, *scores)
    return {name: statistic(*scores), f"{name}_low": low, f"{name}_high": high}
