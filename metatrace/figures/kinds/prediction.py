"""Prediction: errors against the meta-step-size, and step-sizes of tiles and noise, one column per drift rate."""

from typing import TYPE_CHECKING, Literal

from metatrace.domains.registry import domain_of
from metatrace.errors import UserError
from metatrace.figures.kinds.entry import OnEpisodes, key
from metatrace.figures.kinds.kind import Kind, Picture
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.config.figure import Figure


class Prediction(OnEpisodes):
    """The entry of such a figure."""

    kind: Literal["prediction"]
    reference: str = key(
        "the name of the figure whose untuned runs this one is compared with",
        "without it, a figure of kind step_sizes has no sensitivity picture and no heat map",
        default="",
    )


def _fits(figure: "Figure", key: str) -> None:
    if domain_of(figure.environments[0]).name != "prediction":
        raise UserError(
            f"{key}.environment: is {figure.environments[0]}; a figure of kind {figure.kind} has prediction or "
            "drifting_prediction"
        )
    tuned = [method for method in figure.methods if METHODS[method].has_mu]
    if tuned and len(figure.alphas) > 1:
        raise UserError(
            f"{key}.alpha: has {len(figure.alphas)} values; with {tuned[0]}, which has a meta-step-size, a figure of "
            f"kind {figure.kind} has one alpha"
        )


KIND = Kind(
    text="one column per drift rate; above the error against μ, with one line per method, or against α for the "
    "untuned method; below the mean step-sizes of tiles and of noise: figure P3. With `reference`, untuned runs over "
    "α stand next to the others",
    model=Prediction,
    single=("environment",),
    also=_fits,
    own_tables=("curves", "scores", "prediction_errors"),
    own_csv=("prediction_errors",),
    make="metatrace.analysis.prediction:make",
    all_pictures=(
        Picture("", "prediction", "errors and step-sizes", "metatrace.figures.prediction:draw_job", has_curves=False),
    ),
    evidence=("scores",),
    explorer=("method", "mu"),
    has_losses=True,
)
