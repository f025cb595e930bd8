"""Paired: the first of two methods minus the second, by seed, at every α and μ."""

from typing import TYPE_CHECKING, Literal

from metatrace.errors import UserError
from metatrace.figures.kinds.entry import OnEpisodes
from metatrace.figures.kinds.kind import EPISODE_TABLES, Kind, Picture
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.config.figure import Figure


class Paired(OnEpisodes):
    """The entry of such a figure."""

    kind: Literal["paired"]


def _has_two(figure: "Figure", key: str) -> None:
    if len(figure.methods) != 2 or not all(METHODS[method].has_mu for method in figure.methods):
        raise UserError(
            f"{key}.method: is {', '.join(figure.methods)}; a figure of kind {figure.kind} compares two methods with a "
            "meta-step-size"
        )


DIFFERENCES = Picture("", "paired", "differences over α and μ", "metatrace.figures.paired:draw_job", has_curves=False)
CURVES = Picture(
    "_curves",
    "paired_curves",
    "learning curves",
    "metatrace.figures.paired_curves:draw_job",
    title=lambda figure: f"{figure.title}, curves",
)
KIND = Kind(
    text="one panel for AUC and one for final return: a cell per α and μ holds the first of two methods minus the "
    "second, paired by seed. A second picture shows learning curves of both, one panel per μ",
    model=Paired,
    single=("environment", "drift"),
    also=_has_two,
    own_tables=(*EPISODE_TABLES, "differences", "overview"),
    own_csv=("scores", "settings", "differences", "overview"),
    make="metatrace.analysis.episode_tables:make_with_pairs",
    all_pictures=(DIFFERENCES, CURVES),
    evidence=("scores", "tenths"),
    explorer=("mu", "method"),
)
