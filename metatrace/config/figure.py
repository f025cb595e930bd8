"""A figure, resolved: its entry in the config with every default filled in."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from metatrace.domains.readings import Reading
from metatrace.domains.registry import ENVIRONMENTS, domain_of
from metatrace.figures.kinds.games import Choice
from metatrace.figures.kinds.registry import KINDS
from metatrace.runs.key import RunKey, grid_of_runs

# The variant of the runs under the config's own readings and the published hyper-parameters.
OWN_READINGS = ""


@dataclass(frozen=True)
class Figure:
    """Methods over a grid of α, μ and drift, on one environment or several.

    Attributes:
      kind: what it shows, a name in `metatrace.figures.kinds.registry`.
      alphas: the initial step-sizes; if `best` chooses them, those it chooses from.
      alpha_of: those of methods that have fewer of them.
      settings_from: the figure whose runs, of other seeds, choose which of the settings have runs here; None if all
        have.
      beta_mu: the μ at which β is shown; None for kinds that do not show it.
      length: of each run, in the domain's unit.
      readings: those in force for its runs.
      hyper: the hyper-parameters that the config sets for its runs.
      variant: names the readings and hyper-parameters that differ from the config's own and the published ones, such
        as `nosid_normaliser~trace_product`; empty if none do. Each variant has runs of its own.
      members: the figures whose runs a `compared` figure gathers; it has no others. () for the other kinds.
    """

    name: str
    section: str
    title: str
    kind: str
    environments: tuple[str, ...]
    methods: tuple[str, ...]
    alphas: tuple[str, ...]
    best: Choice | None
    mus: tuple[str, ...]
    drifts: tuple[str, ...]
    beta_mu: str | None
    seeds: tuple[int, ...]
    length: int
    smoothing: int
    reference: str | None
    assumptions: str
    readings: dict[str, str]
    hyper: dict[str, str]
    variant: str
    members: tuple["Figure", ...] = ()
    alpha_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings_from: str | None = None

    @property
    def short_name(self) -> str:
        """`figure_2` as a reader writes it: "Figure 2"; `figure_s3_sid` is "Figure S3 (sid)"."""
        return short_name_of(self.name)

    @property
    def drifting(self) -> bool:
        """Whether its runs have a drift rate, and keep β."""
        return all(ENVIRONMENTS[environment].has_drift for environment in self.environments)

    @property
    def asks(self) -> list[Reading]:
        """The readings that enter its runs."""
        asked = (reading for name in self.environments for reading in ENVIRONMENTS[name].asked(*self.methods))
        return list(dict.fromkeys(asked))

    @property
    def unit(self) -> str:
        """What `length` counts, in running text."""
        return domain_of(self.environments[0]).unit_text

    @property
    def chosen_by(self) -> str | None:
        """The figure whose runs choose which runs this one has; None if it has all that its entry says."""
        return self.best.figure if self.best else self.settings_from

    def choice_of(self, run: RunKey) -> str:
        """What has to be chosen for a run to be there: its α, or its setting ("scalar 2^-10 2^-8 6e-6")."""
        return " ".join((run.method, run.alpha, run.mu, run.drift)) if self.settings_from else run.alpha

    def candidates(self) -> tuple[str, ...]:
        """All that may be chosen, as `choice_of` says it."""
        return tuple(dict.fromkeys(map(self.choice_of, self._of_one_seed())))

    def any_choice(self) -> tuple[str, ...]:
        """One choice of those that are possible: with each there are as many runs."""
        choice = KINDS[self.kind].choice
        if not self.settings_from or not choice:
            return self.alphas[: self.n_alphas]
        runs = {run: tuple(getattr(run, quantity) for quantity in choice[1]) for run in self._of_one_seed()}
        last = {(run.method, run.drift): chosen for run, chosen in runs.items()}
        return tuple(self.choice_of(run) for run, chosen in runs.items() if last[run.method, run.drift] == chosen)

    def _of_one_seed(self) -> tuple[RunKey, ...]:
        return replace(self, seeds=self.seeds[:1]).runs()

    def runs(self, chosen: Collection[str] | None = None) -> tuple[RunKey, ...]:
        """Every run that the figure is drawn from, in the config's order.

        Args:
          chosen: if other runs choose, what they chose, as `choice_of` says it; without it, all that they choose from.
        """
        if self.members:
            return tuple(dict.fromkeys(run for figure in self.members for run in figure.runs()))
        if chosen is None or self.chosen_by is None:
            return self._grid
        wanted = set(chosen)
        return tuple(run for run in self._grid if self.choice_of(run) in wanted)

    @cached_property
    def _grid(self) -> tuple[RunKey, ...]:
        grid = (self.environments, self.methods, self.alphas, self.mus, self.drifts, self.seeds)
        return grid_of_runs(*grid, self.alpha_of)

    @property
    def n_alphas(self) -> int:
        """How many initial step-sizes it has, also if they are yet to be chosen."""
        return self.best.count if self.best else len(self.alphas)

    def some_runs(self) -> tuple[RunKey, ...]:
        """As many runs as the figure is drawn from: `runs`, with any choice if it is yet to be made."""
        if self.members:
            return tuple(dict.fromkeys(run for figure in self.members for run in figure.some_runs()))
        return self.runs(self.any_choice())

    @property
    def sources(self) -> tuple["Figure", ...]:
        """The figures whose runs it is drawn from: its members, or itself."""
        return self.members or (self,)


def short_name_of(name: str) -> str:
    """The short name of a figure, from its name in the config."""
    kind, _, rest = name.partition("_")
    number, _, part = rest.partition("_")
    return " ".join(filter(None, [kind.title(), number.title(), f"({part})" if part else ""]))
