"""Run files, read and held to what was asked for."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from metatrace.errors import UserError
from metatrace.runs.atomic import remedy
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run, load_run


def load(root: Path, keys: Iterable[RunKey], *, episodes: int | None, code: Mapping[str, str]) -> list[Run]:
    """Reads runs below `root` (`results/<scale>/runs`).

    Args:
      episodes: of every run; None for games, whose runs have as many as end within their frames.
      code: the fingerprint of the code that makes each method's runs now.

    Raises:
      UserError: a file is missing, damaged, holds another run than its path says, or was made by
        other code than `code`. The line names the file and how to rebuild it.
    """
    runs = []
    for key in keys:
        path = key.path(root)
        run = load_run(path)
        advice = remedy(path)
        made_by, now = run.meta.get("code"), code[key.method]
        if run.key != key:
            raise UserError(f"{path}: holds another run ({run.key}); {advice}")
        if episodes is not None and len(run.returns) != episodes:
            raise UserError(f"{path}: has {len(run.returns)} episodes, not {episodes}; {advice}")
        if made_by != now:
            raise UserError(f"{path}: is stale: code {made_by} made it, the code is now {now}; {advice}")
        runs.append(run)
    return runs
