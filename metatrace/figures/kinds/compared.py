"""Compared: the methods of other figures, each at its best μ."""

from typing import ClassVar, Literal

from metatrace.figures.kinds.entry import Entry, Several, key
from metatrace.figures.kinds.kind import Kind, Picture

_TABLES = ("settings", "spread", "best_over_alpha")


class Compared(Entry):
    """The entry of such a figure.

    Attributes:
      member_kind: the kind of its members. any_readings: whether these may have readings other than the config's own.
    """

    member_kind: ClassVar[str] = "step_sizes"
    any_readings: ClassVar[bool] = False
    kind: Literal["compared"]
    members: Several[str] = key(
        "a list of different figures of kind step_sizes, at least one",
        "this figure has no other runs; its members must have the same environment, drift, seeds, episodes and "
        "smoothing",
    )


KIND = Kind(
    text="final return and AUC against α, with one line per method, at the μ with the highest mean AUC over α ≤ "
    "`statistics.spread_alpha_max`; and the spread of AUC over α against μ",
    model=Compared,
    own_tables=_TABLES,
    own_csv=_TABLES,
    make="metatrace.analysis.methods:make",
    all_pictures=(Picture("", "methods", "all methods", "metatrace.figures.methods:draw_job", has_curves=False),),
    explorer=("alpha", "method"),
)
