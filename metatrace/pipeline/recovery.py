"""What a killed or disturbed workflow leaves behind, put right before the next one runs jobs.

A Snakemake that is killed leaves its lock. So every Snakemake of this project also holds a lock of the kernel's,
which ends with its process: if nobody holds that one, Snakemake's own lock is stale.

A file that is cut or overwritten after its job has ended has another time than Snakemake recorded for it. Only
the contents of such files are read. A file that holds what its job wrote, as every file of a copied folder does,
gets its recorded time back, so that nothing is rebuilt. Any other is rebuilt, and kept under another name. Run files
may be the work of days: if no record tells what one held, it is read, and kept if it is whole and the run that the
config asks for. Where Snakemake has no record at all, as of results that were copied without `.snakemake`, it takes
every file as fresh; a run file tells itself whether it is.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from metatrace.errors import UserError
from metatrace.pipeline import outputs, status
from metatrace.pipeline.plan import Plan
from metatrace.runs import atomic, results

ASIDE = ".changed"
# How many changed files are named; a longer list helps nobody.
_NAMED = 10
# Open as long as this process lives. Python's files are not inherited, so no orphaned job holds it.
_held: list[int] = []


def hold_workdir_lock(folder: Path, *, keep: bool) -> bool:
    """Whether no other Snakemake works here; if so, removes stale locks from `folder`, Snakemake's own.

    With `keep`, holds the lock until this process ends.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / "alive", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:  # read-only, or full: it will be said by whoever has to write there
        return False
    alone = True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by another one; or no such locks here, and then nothing can be told
        alone = False
    if alone:
        for lock in folder.glob("locks/*.lock"):
            lock.unlink(missing_ok=True)
    if keep:
        try:
            fcntl.flock(file, fcntl.LOCK_SH)
        except OSError:
            alone = False
        _held.append(file)
    else:
        os.close(file)
    return alone


@dataclass(frozen=True)
class Recovery:
    """What there is to put right.

    Attributes:
      changed: the files that do not hold what their jobs wrote, as far as one can tell, and why.
      times: the files that do, but have another time, and the time that their jobs gave them.
      kernels: as `times`, of compiled kernels that may be changed. They are compiled before any job starts: for
        Snakemake, a new kernel would be a reason to make all its runs again.
      stale: the runs of which Snakemake has no record, and which are not those that the config asks for.
    """

    changed: dict[str, str] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    kernels: dict[str, float] = field(default_factory=dict)
    stale: set[str] = field(default_factory=set)

    @property
    def rebuilt(self) -> set[str]:
        """The files that are to be rebuilt, though Snakemake does not see it."""
        return {*self.changed, *self.stale}

    def carry_out(self) -> None:
        """Keeps the changed files under another name, and gives the others their time back.

        Raises:
          UserError: the folder of a changed file takes no other name, or a kernel cannot be compiled.
        """
        for path in self.changed:
            keep_aside(path)
        for path in self.kernels:
            _compile(path)
        for path, time in (self.times | self.kernels).items():
            with suppress(OSError):  # not ours: Snakemake compares what it can, and rebuilds the rest
                os.utime(path, (time, time))

    def lines(self, *, dry: bool) -> Iterator[str]:
        """What is done, or with `dry` what would be done: a line for each of the first changed files."""
        for path, why in list(self.changed.items())[:_NAMED]:
            kept = "would be kept" if dry else "is kept"
            yield f"{path}: {why}; it is to be rebuilt, and the old one {kept} as {path}{ASIDE}"
        if len(self.changed) > _NAMED:
            yield f"and {len(self.changed) - _NAMED:,} more files like these"
        if self.stale:
            yield (
                f"runs made by other code or readings, of which Snakemake has no record: {len(self.stale):,}; "
                "they are to be made again; metatrace status names them"
            )
        for path in self.kernels:
            yield f"{path}: may have been changed; it {'would be' if dry else 'was'} compiled before the jobs start"


def files_of(plan: Plan) -> list[str]:
    """All files of a scale, whether they are there or not, and its kernels."""
    runs = [run.path(plan.results) for run in plan.lengths]
    return [*runs, *plan.kernels().values(), *outputs.made_files(plan.results, plan.figures)]


def examine(plan: Plan, recorded: Callable[[str], float | None], contents: "Contents") -> Recovery:
    """Looks for files that have another time than their jobs gave them (`recorded`, if it was); changes nothing."""
    runs = {run.path(plan.results): run for run in plan.lengths}
    kernels = set(plan.kernels().values())
    found = Recovery()
    for path in files_of(plan):
        try:
            time = os.stat(path).st_mtime
        except OSError:
            continue
        made = recorded(path)
        if made is None and path in runs and not _is_fresh(plan, runs[path]):
            found.stale.add(path)
        if made is None or _same_time(time, made):
            continue
        same = contents.holds(path, made)
        why = "does not hold what its job wrote"
        if same is None and path in runs:
            same = _is_whole(plan, runs[path])
            why = "is not whole, or not the run that its path says"
        elif same is None:
            why = "has another time than its job gave it, and no record tells what it held"
        if same:
            found.times[path] = made
        elif path in kernels:
            found.kernels[path] = made
        else:
            found.changed[path] = why
    return found


def _is_whole(plan: Plan, run: status.WantedRun) -> bool:
    """Whether a run file is whole and is the run that its path says, made as it would be made now."""
    with suppress(UserError):
        if _is_fresh(plan, run):
            results.load_run(run.path(plan.results))
            return True
    return False


def _is_fresh(plan: Plan, run: status.WantedRun) -> bool:
    """Whether a run file says that it is the run of its path, made as it would be made now."""
    return status.state_of(run, plan.lengths[run], plan.asked, plan.results).state == status.FRESH


def _compile(path: str) -> None:
    """Compiles the kernel that a file is named after."""
    kernel = Path(path).name.partition("-")[0]
    command = [sys.executable, "-m", "metatrace", "compile", "--kernel", kernel, "--output", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"{path}: cannot be compiled: {done.stderr.strip().removeprefix('metatrace: error: ')}")


def keep_aside(path: str) -> None:
    """Gives a file that is to be rebuilt a second name, so that nothing is lost. The first stays until its job starts.

    Raises:
      UserError: its folder takes no other name.
    """
    aside = f"{path}{ASIDE}"
    try:
        with suppress(FileNotFoundError):
            os.unlink(aside)
        try:
            os.link(path, aside)
        except OSError:  # a file system without links
            shutil.copy2(path, aside)
    except OSError as error:
        raise UserError(
            f"{path}: was changed after it was made, and cannot be kept as {aside} ({error.strerror}); "
            "allow to write in its folder"
        ) from None


class Contents:
    """A record of what the results of a scale hold: of every file its time and a hash.

    Snakemake records when a job has written a file, but not what. With both one can tell a file that was changed from
    one that merely has a new time. A record that is missing or damaged counts as empty.

    Args:
      path: its file, next to Snakemake's own records.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: dict[str, tuple[float, str]] = {}
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
            self._entries = {str(name): (float(time), str(digest)) for name, (time, digest) in read.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            pass

    def holds(self, path: str, time: float) -> bool | None:
        """Whether a file holds what it held when it had the time `time`; None if that is not recorded."""
        recorded = self._entries.get(path)
        if recorded is None or not _same_time(recorded[0], time):
            return None
        return _digest(path) == recorded[1]

    def update(self, paths: Iterable[str]) -> None:
        """Records what the files hold; reads those with another time than recorded, and drops those that are gone."""
        entries = {}
        for path in paths:
            try:
                time = os.stat(path).st_mtime
            except OSError:
                continue
            known = self._entries.get(path)
            digest = known[1] if known is not None and known[0] == time else _digest(path)
            if digest is not None:
                entries[path] = (time, digest)
        if entries == self._entries:
            return
        self._entries = entries
        # In a folder that takes no files: whatever gets a new time is then rebuilt, which is right but slower.
        with suppress(UserError):
            atomic.write_atomically(self.path, json.dumps(entries, separators=(",", ":")).encode())


def _same_time(one: float, other: float) -> bool:
    """Whether two times of a file are the same, by what file systems and records keep of them."""
    return abs(one - other) <= 1e-3


def _digest(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
