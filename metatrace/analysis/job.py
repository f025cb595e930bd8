"""What a function that makes a figure's tables is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from metatrace.errors import UserError
from metatrace.runs.atomic import remedy
from metatrace.runs.key import grid_of_runs
from metatrace.runs.results import Run, load_runs


@dataclass(frozen=True)
class TablesJob:
    """A figure's grid and what to make of its runs, as plain types.

    Attributes:
      runs: the folder of the runs; members: the folders of the tables of the figures that it compares.
      environments, methods, alphas, mus, drifts, seeds: the grid. runs_code: the fingerprint of each method's runs.
      alpha_of: the α of methods that have fewer. settings: those of the grid that have runs (method, α, μ, drift); all
        of them if it is empty.
      length: of every run, in `unit`: episodes, frames or examples. smoothing: window of the trailing mean, in
        episodes, or of examples in examples.
      final: how many last episodes make the final score. spread_alpha_max: the largest α that the spread counts.
      failed_return: of each environment (`Environment.failed_return`). reference: the CSV of reference scores.
    """

    runs: str
    environments: Sequence[str]
    methods: Sequence[str]
    alphas: Sequence[str]
    mus: Sequence[str]
    drifts: Sequence[str]
    seeds: Sequence[int]
    runs_code: Mapping[str, str]
    length: int
    unit: str
    smoothing: int
    final: int
    spread_alpha_max: str
    failed_return: Mapping[str, float]
    reference: str
    members: Sequence[str]
    alpha_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    settings: Sequence[Sequence[str]] = ()

    def load_runs(self) -> list[Run]:
        """All runs of the grid; none where the figure compares others.

        Raises:
          UserError: as `runs.results.load_runs`, or a run of another number of frames or examples.
        """
        if self.members:
            return []
        episodes = self.length if self.unit == "episodes" else None
        grid = (self.environments, self.methods, self.alphas, self.mus, self.drifts, self.seeds)
        keys = grid_of_runs(*grid, self.alpha_of)
        if self.settings:
            settings = set(map(tuple, self.settings))
            keys = tuple(run for run in keys if (run.method, run.alpha, run.mu, run.drift) in settings)
        runs = load_runs(Path(self.runs), keys, episodes=episodes, code=self.runs_code)
        held = {"frames": ("observed_frames", "observed frames"), "examples": ("examples", "examples")}
        for run in runs if self.unit in held else ():
            key, text = held[self.unit]
            if run.meta.get(key) != self.length:
                path = run.key.path(self.runs)
                raise UserError(f"{path}: is of {run.meta.get(key)} {text}, not {self.length}; {remedy(path)}")
        return runs
