"""Best μ: one panel per drift rate, one line per method at its best μ."""

from typing import Literal

from metatrace.figures.kinds.entry import OnFreshSeeds, Tokens, key
from metatrace.figures.kinds.kind import EPISODE_TABLES, Kind, Picture


class BestMu(OnFreshSeeds):
    """The entry of such a figure."""

    kind: Literal["best_mu"]
    alpha_of: dict[str, Tokens] = key(
        "a table of method and list of number tokens, for methods with other initial step-sizes than `alpha`",
        default={},
    )


CURVES = Picture("", "best_mu", "learning curves", "metatrace.figures.best_mu:draw_job")
BY_DRIFT = Picture(
    "_by_drift",
    "by_drift",
    "scores against the drift rate",
    "metatrace.figures.by_drift:draw_job",
    title=lambda figure: f"{figure.short_name}, against the drift rate: every method at its best meta-step-size",
    has_curves=False,
)
PROFILES = Picture(
    "_profiles",
    "profiles",
    "performance profiles",
    "metatrace.figures.profiles:draw_job",
    title=lambda figure: f"{figure.short_name}, performance profiles: which share of the runs ends above a return",
    has_curves=False,
    needs="settings_from",
)
KIND = Kind(
    text="one panel per drift rate and one line per method, at the α and μ with the highest mean return over the last "
    "`statistics.final_episodes`: figure 6. A second picture shows the scores against the drift rate; with "
    "`settings_from`, a third one shows performance profiles",
    model=BestMu,
    single=("environment",),
    own_tables=(*EPISODE_TABLES, "best_mu", "interquartile", "improvement", "profiles"),
    own_csv=("scores", "settings", "best_mu", "interquartile", "improvement"),
    make="metatrace.analysis.episode_tables:make_with_best_mu",
    all_pictures=(CURVES, BY_DRIFT, PROFILES),
    evidence=("scores", "tenths", "improvement"),
    choice=("final", ("alpha", "mu")),
    explorer=("drift", "method"),
)
