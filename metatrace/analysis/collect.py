"""The run files of a grid, read and held to what was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metatrace.errors import UserError
from metatrace.results import Run, RunTuple, load_run, remedy


@dataclass(frozen=True)
class Grid:
    """One method on one environment over every combination of α, μ and seed (tokens as in paths)."""

    environment: str
    method: str
    alphas: Sequence[str]
    mus: Sequence[str]
    drift: str
    seeds: Sequence[int]
    episodes: int

    def tuples(self) -> list[RunTuple]:
        return [
            RunTuple(self.environment, self.method, alpha, mu, self.drift, seed)
            for mu in self.mus
            for alpha in self.alphas
            for seed in self.seeds
        ]


def load(root: Path, grid: Grid, *, code: str | None) -> list[Run]:
    """Reads every run of a grid below `root` (`results/<scale>/runs`).

    Raises:
      UserError: a file is missing, damaged, holds another run than its path says, or was made by
        other code than `code`. The line names the file and how to make it anew.
    """
    runs = []
    for identity in grid.tuples():
        path = identity.path(root)
        run = load_run(path)
        anew = remedy(path)
        if run.tuple != identity:
            raise UserError(f"{path}: holds another run ({run.tuple}); {anew}")
        if len(run.returns) != grid.episodes:
            raise UserError(f"{path}: has {len(run.returns)} episodes, not {grid.episodes}; {anew}")
        if code is not None and run.meta.get("code") != code:
            raise UserError(
                f"{path}: is stale: code {run.meta.get('code')} made it, the code is now {code}; {anew}"
            )
        runs.append(run)
    return runs
