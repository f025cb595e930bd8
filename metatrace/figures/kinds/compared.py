"""Compared: the methods of other figures, each at its best μ."""

from typing import TYPE_CHECKING, Literal

from metatrace.figures.kinds.entry import Entry, Several, key
from metatrace.figures.kinds.kind import Kind, Picture

if TYPE_CHECKING:
    from metatrace.config.figure import Figure

_TABLES = ("settings", "spread", "best_over_alpha")
PICTURE = Picture("", "methods", "all methods", "metatrace.figures.methods:draw_job", has_curves=False)


class Compared(Entry):
    """The entry of such a figure."""

    kind: Literal["compared"]
    members: Several[str] = key(
        "a list of different figures of kind step_sizes, at least one",
        "this figure has no other runs; its members must have the same environment, drift, seeds, episodes and "
        "smoothing",
    )


def _check(figure: "Figure", key: str) -> None:
    """Its members are checked already."""


KIND = Kind(
    name="compared",
    text="final return and AUC against α, with one line per method, at the μ with the highest mean AUC over α ≤ "
    "`statistics.spread_alpha_max`; and the spread of AUC over α against μ",
    model=Compared,
    unit="episodes",
    check=_check,
    tables=lambda figure: _TABLES,
    csv=lambda figure: _TABLES,
    make="metatrace.analysis.methods:make",
    pictures=lambda figure: (PICTURE,),
    evidence=(),
    explorer=None,
)
