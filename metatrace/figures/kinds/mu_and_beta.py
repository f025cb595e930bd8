"""μ and β: one row per method, with one line per μ, and the mean β of groups of weights at one μ."""

from typing import TYPE_CHECKING, Any, Literal

from metatrace.domains.registry import ENVIRONMENTS
from metatrace.errors import UserError
from metatrace.figures.kinds.entry import OnEpisodes, key
from metatrace.figures.kinds.kind import EPISODE_TABLES, Kind, Picture
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.config.figure import Figure


class MuAndBeta(OnEpisodes):
    """The entry of such a figure."""

    kind: Literal["mu_and_beta"]
    beta_mu: Any = key("the one of mu at which β is shown", default=None)


def _shows_beta(figure: "Figure", key: str) -> None:
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
    text="two panels per method: returns, with one line per μ; and the mean β of each group of weights at `beta_mu`; a "
    "single α and drift rate: figure 7",
    model=MuAndBeta,
    single=("environment", "alpha", "drift"),
    also=_shows_beta,
    own_tables=(*EPISODE_TABLES, "beta", "final_beta"),
    own_csv=("scores", "settings", "final_beta"),
    make="metatrace.analysis.episode_tables:make_with_beta",
    all_pictures=(Picture("", "mu_and_beta", "learning curves and β", "metatrace.figures.mu_and_beta:draw_job"),),
    evidence=("scores", "final_beta"),
    explorer=("method", "mu"),
)
