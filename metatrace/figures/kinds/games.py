"""Games: one panel per game and method, one line per α."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from metatrace.figures.kinds.entry import Model, OwnRuns, Tokens, key
from metatrace.figures.kinds.kind import Kind, Picture


class Choice(Model):
    """The `count` best α of a method in another figure, by final score."""

    count: int = key("how many α, a whole number from 1 up", ge=1, alias="best")
    figure: str = key("the figure whose scores choose", alias="from_figure")
    method: str = key("the method whose scores choose")


def _form(value: Any) -> str:
    return "<choice>" if isinstance(value, dict | Choice) else "<tokens>"


_Alphas: Any = Annotated[Annotated[Tokens, Tag("<tokens>")] | Annotated[Choice, Tag("<choice>")], Discriminator(_form)]


class Games(OwnRuns):
    """The entry of such a figure."""

    kind: Literal["games"]
    frames: int = key("a whole number of observed frames, from 1 to 1000000000", ge=1, le=1_000_000_000)
    alpha: _Alphas = key(
        "a list of number tokens such as 2^-10, at least one; or "
        "{best: how many, from_figure: a figure, method: one of its methods}",
        "`{best: 3, from_figure: figure_8, method: mixed}` takes the three α with the best final scores of mixed in "
        "figure 8",
    )


KIND = Kind(
    text="one panel per game and method and one line per α; panels of methods with a meta-step-size also show the best "
    "constant α, by mean return over the last `statistics.final_episodes`; a single μ: figures 8 and 9",
    model=Games,
    unit="frames",
    single=("mu",),
    own_tables=("curves", "scores", "settings", "best_constant", "reference"),
    own_csv=("scores", "settings", "best_constant", "reference"),
    of_several=("aggregate_scores",),
    make="metatrace.analysis.games:make",
    all_pictures=(Picture("", "games", "learning curves", "metatrace.figures.games:draw_job"),),
    evidence=("scores", "reference"),
    explorer=("method", "alpha"),
)
