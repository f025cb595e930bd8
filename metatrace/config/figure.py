"""A figure of the paper, as its entry in the config says it, with all defaults filled in."""

from collections.abc import Sequence
from dataclasses import dataclass

from metatrace.runs.key import RunKey, grid_of_runs

# What a figure shows (its `kind`): the panels, and the lines in each.
STEP_SIZES, BEST_MU, MU_AND_BETA, GAMES = "step_sizes", "best_mu", "mu_and_beta", "games"
PAIRED, COMPARED = "paired", "compared"
# Those that show mountain car.
CARS = (STEP_SIZES, BEST_MU, MU_AND_BETA, PAIRED)
# The runs under the config's own readings, among the variants.
OWN_READINGS = ""


@dataclass(frozen=True)
class BestAlphas:
    """α that the runs of another figure choose: the `count` best ones of a method, by final score."""

    count: int
    figure: str
    method: str


@dataclass(frozen=True)
class Figure:
    """A figure of the paper: methods over a grid of α, μ and drift, on one environment or several games.

    Attributes:
      kind: `step_sizes` (a panel a μ, a line an α), `best_mu` (a panel a drift, a line a method at its best
        μ), `mu_and_beta` (a row a method: a line a μ; and beside it the mean β of groups of weights),
        `paired` (the first of two methods against the second, at every α and μ), `compared` (the methods of
        other figures, each at its best μ), or `games` (a panel a game and method, a line an α).
      alphas: the initial step-sizes; where `best` chooses them, those it chooses from.
      beta_mu: the μ at which `mu_and_beta` shows β; None for the other kinds.
      length: of a run: episodes, or observed frames of a game.
      readings: those in force for its runs, the figure's own among them.
      variant: which runs are its own where the same tuple is run under several readings: empty for the
        config's readings, else those that differ, such as `nosid_normaliser~trace_product`.
      of: the figures whose runs a `compared` one is drawn from: it has no others; () for the other kinds.
    """

    name: str
    section: str
    title: str
    kind: str
    environments: tuple[str, ...]
    methods: tuple[str, ...]
    alphas: tuple[str, ...]
    best: BestAlphas | None
    mus: tuple[str, ...]
    drifts: tuple[str, ...]
    beta_mu: str | None
    seeds: tuple[int, ...]
    length: int
    smoothing: int
    reference: str | None
    ours: str
    readings: dict[str, str]
    variant: str
    of: tuple["Figure", ...] = ()

    @property
    def drifting(self) -> bool:
        """Whether its runs keep β: those on drifting mountain car do."""
        return self.environments == ("drifting_mountain_car",)

    @property
    def has_several_games(self) -> bool:
        """Whether its scores can be taken together over games."""
        return self.kind == GAMES and len(self.environments) > 1

    @property
    def unit(self) -> str:
        """What `length` counts."""
        return "observed frames" if self.kind == GAMES else "episodes"

    def runs(self, alphas: Sequence[str] | None = None) -> tuple[RunKey, ...]:
        """Every run that the figure is drawn from, in the config's order.

        Args:
          alphas: those that `best` chose; without them, all that it chooses from.
        """
        if self.of:
            return tuple(dict.fromkeys(run for figure in self.of for run in figure.runs()))
        return grid_of_runs(self.environments, self.methods, alphas or self.alphas, self.mus, self.drifts, self.seeds)

    def some_runs(self) -> tuple[RunKey, ...]:
        """As many runs as it is drawn from: `runs`, where α are yet to be chosen with any choice."""
        return self.runs(self.alphas[: self.best.count] if self.best else None)
