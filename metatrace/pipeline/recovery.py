"""What a killed or disturbed workflow leaves behind, put right before the next one begins.

A Snakemake that is killed leaves its lock, which only says that there was one. So every Snakemake of this
project also holds a lock of the kernel's, which ends with its process: where nobody holds it, Snakemake's own
lock is stale.

A file that is cut or overwritten after its job has ended has another time than Snakemake recorded for it.
Only such files are looked at: run files by their contents, for they may be the work of days and are often
whole (an orphan of a killed workflow wrote the same bytes again); all others are made anew, which takes
seconds. What does not hold is set aside and not deleted.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from metatrace.config.experiments import Experiments
from metatrace.errors import UserError
from metatrace.pipeline import jobs, outputs, status
from metatrace.report import context
from metatrace.runs import results

ASIDE = ".changed"
# Open as long as this process lives. Python's files are not inherited, so no orphaned job holds it.
_held: list[int] = []


def alone(folder: Path, *, stay: bool) -> bool:
    """Whether no other Snakemake works in a folder; with `stay`, others see from now on that this one does.

    Args:
      folder: Snakemake's own, `.snakemake`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / "alive", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:  # read-only, or full: it will be said by whoever has to write there
        return False
    nobody_else = True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by another one; or no such locks here, and then nothing can be told
        nobody_else = False
    if nobody_else:
        _remove_locks(folder)
    if stay:
        try:
            fcntl.flock(file, fcntl.LOCK_SH)
        except OSError:
            nobody_else = False
        _held.append(file)
    else:
        os.close(file)
    return nobody_else


def _remove_locks(folder: Path) -> None:
    for lock in folder.glob("locks/*.lock"):
        lock.unlink(missing_ok=True)


def changed(paths: Iterable[str], recorded: Callable[[str], float | None]) -> Iterator[str]:
    """The files that have another time than was recorded when their jobs ended.

    Args:
      recorded: the time of a file as its job left it; None where nothing is recorded.
    """
    for path in paths:
        try:
            time = os.stat(path).st_mtime
        except OSError:
            continue
        expected = recorded(path)
        if expected is not None and abs(time - expected) > 1e-3:
            yield path


def files_to_make_anew(
    asked: Experiments, folder: str, kernels: Iterable[str], recorded: Callable[[str], float | None]
) -> list[str]:
    """The files of a scale below `folder` (`results/<scale>`) that do not hold what their jobs wrote."""
    others = [*kernels, *outputs.made_files(folder, list(asked.figures.values()))]
    lengths = status.wanted(asked)
    runs = {run.path(folder): run for run in lengths}
    codes = {job: jobs.fingerprint_of(job).digest for job in context.run_jobs(asked)}
    found = [
        path for path in changed(runs, recorded) if not _holds(runs[path], lengths[runs[path]], asked, folder, codes)
    ]
    return [*found, *changed(others, recorded)]


def _holds(run: status.WantedRun, length: int, asked: Experiments, folder: str, codes: Mapping[str, str]) -> bool:
    """Whether a run file is whole and is the run that its path says, made as it would be made now."""
    if status.state_of(run, length, asked, folder, codes).state != status.FRESH:
        return False
    try:
        results.load_run(run.path(folder))
    except UserError:
        return False
    return True


def set_aside(path: str) -> None:
    """Renames a file, so that the workflow makes it anew and nothing is lost.

    Raises:
      UserError: its folder takes no other name.
    """
    try:
        os.replace(path, f"{path}{ASIDE}")
    except OSError as error:
        raise UserError(
            f"{path}: was changed after it was made, and cannot be renamed ({error.strerror}); "
            "allow to write in its folder"
        ) from None
