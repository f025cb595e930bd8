"""Environments: one panel per environment and method, one line per α."""

from typing import Literal

from metatrace.figures.kinds.entry import OnEpisodes
from metatrace.figures.kinds.kind import EPISODE_TABLES, Kind, Picture


class Environments(OnEpisodes):
    """The entry of such a figure."""

    kind: Literal["environments"]


KIND = Kind(
    text="one panel per environment and method and one line per α; panels of methods with tuning also show the best "
    "constant α, by mean return over the last `statistics.final_episodes`; a single μ",
    model=Environments,
    single=("mu", "drift"),
    own_tables=(*EPISODE_TABLES, "best_constant"),
    own_csv=("scores", "settings", "spread", "best_constant"),
    make="metatrace.analysis.episode_tables:make_with_best_constant",
    all_pictures=(Picture("", "environments", "learning curves", "metatrace.figures.games:draw_job"),),
    evidence=("scores", "tenths"),
    explorer=("method", "alpha"),
)
