"""Errors: the error of regression against the step-size, one line per method."""

from typing import Literal

from metatrace.figures.kinds.entry import OnExamples
from metatrace.figures.kinds.kind import Kind, Picture

TABLES = ("curves", "scores", "errors")


class Errors(OnExamples):
    """The entry of such a figure."""

    kind: Literal["errors"]


KIND = Kind(
    text="the error of regression, one line per method: against α for methods without a meta-step-size, against μ for "
    "the others",
    model=Errors,
    unit="examples",
    single=("environment",),
    own_tables=TABLES,
    own_csv=("errors",),
    make="metatrace.analysis.errors:make",
    all_pictures=(Picture("", "errors", "errors", "metatrace.figures.errors:draw_job", has_curves=False),),
    evidence=("scores",),
    explorer=("method", "alpha"),
    has_losses=True,
)
