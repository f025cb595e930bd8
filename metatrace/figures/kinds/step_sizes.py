"""Step-sizes: one panel per μ, one line per α, of a single method."""

from typing import TYPE_CHECKING, Literal

from metatrace.figures.kinds.checks import require_one
from metatrace.figures.kinds.entry import OnEpisodes, key
from metatrace.figures.kinds.kind import Kind, Picture
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.config.figure import Figure

# The tables of every figure with runs in episodes.
EPISODE_TABLES = ("curves", "scores", "settings", "spread", "tenths")
_CSV = ("scores", "settings", "spread")


class StepSizes(OnEpisodes):
    """The entry of such a figure."""

    kind: Literal["step_sizes"] = "step_sizes"
    reference: str = key(
        "the name of the figure whose untuned runs this one is compared with",
        "without it, the sensitivity picture and the heat map are left out",
        default="",
    )


def _check(figure: "Figure", key: str) -> None:
    require_one(figure, key, "environment", "method", "drift")


def _pictures(figure: "Figure") -> tuple[Picture, ...]:
    return (CURVES, SENSITIVITY, HEAT_MAP) if figure.reference else (CURVES,)


CURVES = Picture("", "learning_curves", "learning curves", "metatrace.figures.learning_curves:draw_job")
SENSITIVITY = Picture(
    "_sensitivity",
    "sensitivity",
    "sensitivity to α and μ",
    "metatrace.figures.sensitivity:draw_job",
    title=lambda figure: f"{figure.short_name}, sensitivity to α and μ: {METHODS[figure.methods[0]].label}",
)
HEAT_MAP = Picture(
    "_heat_map",
    "heat_map",
    "scores over α and μ",
    "metatrace.figures.heat_map:draw_job",
    title=lambda figure: f"{figure.short_name}, scores over α and μ: {METHODS[figure.methods[0]].label}",
    has_curves=False,
)
KIND = Kind(
    name="step_sizes",
    text="one panel per μ and one line per α, of a single method: figures 1 to 5. With `reference`, also the "
    "sensitivity to α and μ, and a heat map of the scores",
    model=StepSizes,
    unit="episodes",
    check=_check,
    tables=lambda figure: EPISODE_TABLES,
    csv=lambda figure: _CSV,
    make="metatrace.analysis.episode_tables:make",
    pictures=_pictures,
    evidence=("scores", "tenths"),
    explorer=("mu", "alpha"),
)
