"""Learned step-sizes: the step-sizes of groups of weights over time, one panel per method."""

from typing import Literal

from metatrace.figures.kinds.entry import OnExamples
from metatrace.figures.kinds.errors import TABLES
from metatrace.figures.kinds.kind import Kind, Picture


class LearnedStepSizes(OnExamples):
    """The entry of such a figure."""

    kind: Literal["learned_step_sizes"]


KIND = Kind(
    text="the step-sizes of groups of weights in regression over examples, one panel per method; a single α and μ",
    model=LearnedStepSizes,
    unit="examples",
    single=("environment", "alpha", "mu"),
    own_tables=(*TABLES, "step_size_curves", "step_sizes"),
    own_csv=("errors", "step_sizes"),
    make="metatrace.analysis.errors:make_with_step_sizes",
    all_pictures=(
        Picture(
            "",
            "learned_step_sizes",
            "step-sizes",
            "metatrace.figures.learned_step_sizes:draw_job",
            has_curves=False,
        ),
    ),
    evidence=("scores",),
    explorer=("method", "alpha"),
    has_losses=True,
)
