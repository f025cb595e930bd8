"""The run files of a grid, read and held to what was asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metatrace.errors import UserError
from metatrace.runs.atomic import remedy
from metatrace.runs.key import RunKey, grid_of_runs
from metatrace.runs.results import Run, load_run


@dataclass(frozen=True)
class Grid:
    """Methods on environments over every combination of α, μ, drift and seed (tokens as in paths).

    Attributes:
      episodes: of every run; None for games, whose runs have as many as end within their frames.
    """

    environments: Sequence[str]
    methods: Sequence[str]
    alphas: Sequence[str]
    mus: Sequence[str]
    drifts: Sequence[str]
    seeds: Sequence[int]
    episodes: int | None

    def tuples(self) -> tuple[RunKey, ...]:
        return grid_of_runs(self.environments, self.methods, self.alphas, self.mus, self.drifts, self.seeds)


def load(root: Path, grid: Grid, *, code: Mapping[str, str] | None) -> list[Run]:
    """Reads every run of a grid below `root` (`results/<scale>/runs`).

    Args:
      code: the fingerprint of the code that makes each method's runs now; None accepts any.

    Raises:
      UserError: a file is missing, damaged, holds another run than its path says, or was made by
        other code than `code`. The line names the file and how to rebuild it.
    """
    runs = []
    for identity in grid.tuples():
        path = identity.path(root)
        run = load_run(path)
        advice = remedy(path)
        if run.key != identity:
            raise UserError(f"{path}: holds another run ({run.key}); {advice}")
        if grid.episodes is not None and len(run.returns) != grid.episodes:
            raise UserError(f"{path}: has {len(run.returns)} episodes, not {grid.episodes}; {advice}")
        if code is not None and run.meta.get("code") != code[identity.method]:
            raise UserError(
                f"{path}: is stale: code {run.meta.get('code')} made it, "
                f"the code is now {code[identity.method]}; {advice}"
            )
        runs.append(run)
    return runs
