"""Step-sizes: one panel per μ, one line per α, of a single method."""

from typing import Literal

from metatrace.figures.kinds.entry import OnFreshSeeds, key
from metatrace.figures.kinds.kind import EPISODE_TABLES, Kind, Picture
from metatrace.methods import METHODS


class StepSizes(OnFreshSeeds):
    """The entry of such a figure."""

    kind: Literal["step_sizes"] = "step_sizes"
    reference: str = key(
        "the name of the figure whose untuned runs this one is compared with",
        "without it, a figure of kind step_sizes has no sensitivity picture and no heat map",
        default="",
    )


CURVES = Picture("", "learning_curves", "learning curves", "metatrace.figures.learning_curves:draw_job")
SENSITIVITY = Picture(
    "_sensitivity",
    "sensitivity",
    "sensitivity to α and μ",
    "metatrace.figures.sensitivity:draw_job",
    title=lambda figure: f"{figure.short_name}, sensitivity to α and μ: {METHODS[figure.methods[0]].label}",
    needs="reference",
)
HEAT_MAP = Picture(
    "_heat_map",
    "heat_map",
    "scores over α and μ",
    "metatrace.figures.heat_map:draw_job",
    title=lambda figure: f"{figure.short_name}, scores over α and μ: {METHODS[figure.methods[0]].label}",
    has_curves=False,
    needs="reference",
)
KIND = Kind(
    text="one panel per μ and one line per α, of a single method: figures 1 to 5. With `reference`, also the "
    "sensitivity to α and μ, and a heat map of the scores",
    model=StepSizes,
    single=("environment", "method", "drift"),
    own_tables=EPISODE_TABLES,
    own_csv=("scores", "settings", "spread"),
    make="metatrace.analysis.episode_tables:make",
    all_pictures=(CURVES, SENSITIVITY, HEAT_MAP),
    evidence=("scores", "tenths"),
    choice=("auc", ("mu",)),
    explorer=("mu", "alpha"),
)
