"""Paired: the first of two methods minus the second, by seed, at every α and μ."""

from typing import TYPE_CHECKING, Literal

from metatrace.errors import UserError
from metatrace.figures.kinds.checks import require_one
from metatrace.figures.kinds.entry import OnEpisodes
from metatrace.figures.kinds.kind import Kind, Picture
from metatrace.figures.kinds.step_sizes import EPISODE_TABLES
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.config.figure import Figure

DIFFERENCES = Picture("", "paired", "differences over α and μ", "metatrace.figures.paired:draw_job", has_curves=False)
CURVES = Picture(
    "_curves",
    "paired_curves",
    "learning curves",
    "metatrace.figures.paired_curves:draw_job",
    title=lambda figure: f"{figure.title}, curves",
)


class Paired(OnEpisodes):
    """The entry of such a figure."""

    kind: Literal["paired"]


def _check(figure: "Figure", key: str) -> None:
    require_one(figure, key, "environment", "drift")
    if len(figure.methods) != 2 or not all(METHODS[method].has_mu for method in figure.methods):
        raise UserError(
            f"{key}.method: is {', '.join(figure.methods)}; a figure of kind {figure.kind} compares two methods with a "
            "meta-step-size"
        )


KIND = Kind(
    name="paired",
    text="one panel for AUC and one for final return: a cell per α and μ holds the first of two methods minus the "
    "second, paired by seed. A second picture shows learning curves of both, one panel per μ",
    model=Paired,
    unit="episodes",
    check=_check,
    tables=lambda figure: (*EPISODE_TABLES, "differences", "overview"),
    csv=lambda figure: ("scores", "settings", "differences", "overview"),
    make="metatrace.analysis.episode_tables:make_with_pairs",
    pictures=lambda figure: (DIFFERENCES, CURVES),
    evidence=("scores", "tenths"),
    explorer=("mu", "method"),
)
