"""Errors compared: the errors of several figures, one column of panels per target scale."""

from typing import ClassVar, Literal

from metatrace.figures.kinds import errors
from metatrace.figures.kinds.compared import Compared
from metatrace.figures.kinds.entry import Several, key
from metatrace.figures.kinds.kind import Kind, Picture


class ErrorsCompared(Compared):
    """The entry of such a figure."""

    member_kind: ClassVar[str] = errors.KIND.name
    any_readings: ClassVar[bool] = True
    kind: Literal["errors_compared"]  # type: ignore[assignment]
    members: Several[str] = key(
        "a list of different figures of kind errors, at least one",
        "this figure has no other runs; its members must have the same environment, drift, seeds, examples and "
        "smoothing, and may differ in readings",
    )


KIND = Kind(
    text="the errors of figures of kind errors, with one column of panels per target scale: above against α, below "
    "against μ; each error is divided by the squared scale",
    model=ErrorsCompared,
    unit="examples",
    own_tables=("errors",),
    own_csv=("errors",),
    make="metatrace.analysis.errors:make_compared",
    all_pictures=(Picture("", "errors_compared", "errors", "metatrace.figures.errors:draw_job", has_curves=False),),
    explorer=("variant", "method"),
    has_losses=True,
)
