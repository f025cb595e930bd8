"""Best μ: one panel per drift rate, one line per method at its best μ."""

from typing import TYPE_CHECKING, Literal

from metatrace.errors import UserError
from metatrace.figures.kinds.entry import OnEpisodes, Seeds, Tokens, key
from metatrace.figures.kinds.kind import EPISODE_TABLES, Kind, Picture

if TYPE_CHECKING:
    from metatrace.config.figure import Figure


class BestMu(OnEpisodes):
    """The entry of such a figure."""

    kind: Literal["best_mu"]
    alpha_of: dict[str, Tokens] = key(
        "a table of method and list of number tokens, for methods with other initial step-sizes than `alpha`",
        default={},
    )
    choosing_seeds: Seeds = key(
        "how many seeds, or a list of seeds, whose runs choose α and μ and do nothing else",
        "without it the runs that are shown choose as well, which flatters methods with many α and μ",
        default=(),
    )


def _chooses_by_others(figure: "Figure", key: str) -> None:
    """Holds the seeds that choose to others than those that are shown."""
    shared = sorted(set(figure.seeds) & set(figure.choosing_seeds))
    if shared:
        raise UserError(f"{key}.choosing_seeds: seed {shared[0]} is among `seeds` too; they must be others")


CURVES = Picture("", "best_mu", "learning curves", "metatrace.figures.best_mu:draw_job")
BY_DRIFT = Picture(
    "_by_drift",
    "by_drift",
    "scores against the drift rate",
    "metatrace.figures.by_drift:draw_job",
    title=lambda figure: f"{figure.short_name}, against the drift rate: every method at its best meta-step-size",
    has_curves=False,
)
KIND = Kind(
    text="one panel per drift rate and one line per method, at the α and μ with the highest mean return over the last "
    "`statistics.final_episodes`: figure 6. A second picture shows the scores against the drift rate",
    model=BestMu,
    single=("environment",),
    also=_chooses_by_others,
    own_tables=(*EPISODE_TABLES, "best_mu"),
    own_csv=("scores", "settings", "best_mu"),
    make="metatrace.analysis.episode_tables:make_with_best_mu",
    all_pictures=(CURVES, BY_DRIFT),
    evidence=("scores", "tenths"),
    explorer=("drift", "method"),
)
