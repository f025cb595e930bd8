"""Tasks: error and how far weights move where the task changes, one line per method."""

from typing import Literal

from metatrace.figures.kinds.entry import OnExamples
from metatrace.figures.kinds.errors import TABLES
from metatrace.figures.kinds.kind import Kind, Picture


class Tasks(OnExamples):
    """The entry of such a figure."""

    kind: Literal["tasks"]


KIND = Kind(
    text="error over examples of a task that changes, and ‖Δw‖² of each layer over each task, one line per method; a "
    "single α",
    model=Tasks,
    unit="examples",
    single=("environment", "alpha", "mu"),
    own_tables=(*TABLES, "changes"),
    own_csv=("errors",),
    make="metatrace.analysis.errors:make_of_tasks",
    all_pictures=(Picture("", "tasks", "errors and changes", "metatrace.figures.tasks:draw_job"),),
    evidence=("scores",),
    explorer=("", "method"),
    has_losses=True,
)
