"""Methods over several games at once, on a scale that the games share."""

from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import robust
from metatrace.analysis.reference import RANDOM
from metatrace.runs.key import UNTUNED

# What counts as 1: a published agent that learned from whole games with sticky actions, as ours do. It had
# four times as many frames, and replay, so ours are not expected to reach it.
UNIT = "DQN"
_SETTING = ["method", "alpha", "mu"]
_COLUMNS = {
    **dict.fromkeys((*_SETTING, "games"), "str"),
    "runs": "int64",
    **dict.fromkeys(("iqm", "iqm_low", "iqm_high"), "float64"),
    **dict.fromkeys(("improvement", "improvement_low", "improvement_high"), "float64"),
}


def aggregate_scores(scores: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """The interquartile mean of normalized final scores over games, and the probability of improvement.

    Normalized game by game: 0 is random play, 1 is what `UNIT` scored, as the reference has them. Games whose
    reference lacks either are left out: on no scale could their scores be compared with the others'.

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
    known = reference.drop_duplicates(["game", "agent"]).set_index(["game", "agent"])["value"].to_dict()
    games = [
        game
        for game in scores["environment"].unique()
        if (game, RANDOM) in known and (game, UNIT) in known and known[game, UNIT] > known[game, RANDOM]
    ]
    ends = [[known[game, agent] for game in games] for agent in (RANDOM, UNIT)]
    by_setting: dict[Any, np.ndarray] = {}
    for setting, runs in scores[scores["environment"].isin(games)].groupby(_SETTING, sort=False):
        table = runs.pivot(index="seed", columns="environment", values="final")
        by_setting[setting] = robust.normalized(table[games].to_numpy(), *ends)
    untuned = {setting[1]: values for setting, values in by_setting.items() if setting[0] == UNTUNED}
    rows: list[dict[str, Any]] = []
    for setting, values in by_setting.items():
        low, high = robust.stratified_interval(robust.interquartile_mean, values)
        row = {**dict(zip(_SETTING, setting, strict=True)), "games": ", ".join(games), "runs": len(values)}
        row |= {"iqm": robust.interquartile_mean(values), "iqm_low": low, "iqm_high": high}
        if setting[0] != UNTUNED and setting[1] in untuned:
            pair = values, untuned[setting[1]]
            low, high = robust.stratified_interval(robust.probability_of_improvement, *pair)
            row |= {
                "improvement": robust.probability_of_improvement(*pair),
                "improvement_low": low,
                "improvement_high": high,
            }
        rows.append(row)
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype(_COLUMNS)
