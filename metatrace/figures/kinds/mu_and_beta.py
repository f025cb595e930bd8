"""μ and β: one row per method, with one line per μ, and the mean β of groups of weights at one μ."""

from typing import TYPE_CHECKING, Any, Literal

from metatrace.domains.registry import ENVIRONMENTS
from metatrace.errors import UserError
from metatrace.figures.kinds.checks import require_one
from metatrace.figures.kinds.entry import OnEpisodes, key
from metatrace.figures.kinds.kind import Kind, Picture
from metatrace.figures.kinds.step_sizes import EPISODE_TABLES
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.config.figure import Figure

PICTURE = Picture("", "mu_and_beta", "learning curves and β", "metatrace.figures.mu_and_beta:draw_job")


class MuAndBeta(OnEpisodes):
    """The entry of such a figure."""

    kind: Literal["mu_and_beta"]
    beta_mu: Any = key("the one of mu at which β is shown", default=None)


def _check(figure: "Figure", key: str) -> None:
    require_one(figure, key, "environment", "alpha", "drift")
    untuned = [method for method in figure.methods if not METHODS[method].has_mu]
    if not figure.drifting or untuned:
        drifting = ", ".join(environment.token for environment in ENVIRONMENTS.values() if environment.has_drift)
        raise UserError(
            f"{key}.kind: {figure.kind} shows how methods with a meta-step-size move β on {drifting}; it must be "
            f"another kind, or have that environment and no method {', '.join(untuned) or 'none'}"
        )
    if figure.beta_mu not in figure.mus:
        given = "missing" if figure.beta_mu is None else figure.beta_mu
        raise UserError(f"{key}.beta_mu: is {given}; it must be one of mu: {', '.join(figure.mus)}")


KIND = Kind(
    name="mu_and_beta",
    text="two panels per method: returns, with one line per μ; and the mean β of each group of weights at `beta_mu`; a "
    "single α and drift rate: figure 7",
    model=MuAndBeta,
    unit="episodes",
    check=_check,
    tables=lambda figure: (*EPISODE_TABLES, "beta", "final_beta"),
    csv=lambda figure: ("scores", "settings", "final_beta"),
    make="metatrace.analysis.episode_tables:make_with_beta",
    pictures=lambda figure: (PICTURE,),
    evidence=("scores", "final_beta"),
    explorer=("method", "mu"),
)
