"""How much of a scale is there, what of it was made by other code, and about how long the rest takes.

Run files are compared with what the config asks for. Tables and pictures do not say what made them, so they are
there or missing; `snakemake -n` knows what a change makes of them.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from metatrace.config.experiments import Experiments, Figure, variant_folder
from metatrace.domains.atari import checkpoint
from metatrace.domains.registry import domain_of
from metatrace.errors import UserError
from metatrace.pipeline import jobs, outputs
from metatrace.progress import in_words
from metatrace.report import context
from metatrace.runs import atomic, results
from metatrace.runs.key import RunKey

# What became of a run.
FRESH, MISSING, STALE, DAMAGED = "there", "missing", "stale", "damaged"


class WantedRun(NamedTuple):
    """A run that a config asks for: under which readings (`Figure.variant`), and its tuple."""

    variant: str
    key: RunKey

    def path(self, folder: str, kind: str = "runs") -> str:
        """Its file below `results/<scale>`, among the runs or the checkpoints."""
        return self.key.path(f"{variant_folder(folder, self.variant)}/{kind}")


@dataclass(frozen=True)
class RunState:
    """What became of a run (`FRESH`, …), and why."""

    state: str
    reason: str = ""


@dataclass(frozen=True)
class UnderWay:
    """A run that was cut short or runs now: how much of it its checkpoint holds. No run takes up a stale one."""

    run: WantedRun
    unit: str
    done: int
    total: int
    path: str
    stale: bool


@dataclass(frozen=True)
class Row:
    """How much of a figure is there: its runs, and how many files of each kind there are of those asked."""

    figure: Figure
    runs: dict[WantedRun, RunState]
    files: dict[str, tuple[int, int]]
    alphas_known: bool


@dataclass(frozen=True)
class Status:
    """All of it; `missing` names the tables, pictures and the report that are not there."""

    rows: list[Row]
    runs: dict[WantedRun, RunState]
    missing: list[str]
    has_report: bool
    under_way: list[UnderWay]

    def of_state(self, state: str) -> list[WantedRun]:
        """The runs of a state."""
        return [run for run, found in self.runs.items() if found.state == state]

    def to_do(self) -> list[WantedRun]:
        """The runs that are missing, stale or damaged."""
        return [run for run, found in self.runs.items() if found.state != FRESH]


def survey(asked: Experiments, folder: str) -> Status:
    """Looks at all files of a scale below `folder` (`results/<scale>`)."""
    figures = list(asked.figures.values())
    codes = {job: jobs.fingerprint_of(job).digest for job in context.run_jobs(asked)}
    runs: dict[WantedRun, RunState] = {}
    rows = []
    for figure in figures:
        alphas = outputs.chosen_alphas(folder, figure)
        tuples = figure.some_runs() if alphas is None else figure.runs(alphas)
        of_figure = [WantedRun(figure.variant, run) for run in tuples]
        for run in of_figure:
            if run not in runs:
                runs[run] = state_of(run, figure.length, asked, folder, codes)
        files = {
            "tables": outputs.table_files(folder, [figure]),
            "pictures": outputs.drawn_files(folder, [figure]),
            "CSV": outputs.csv_files(folder, [figure]),
        }
        counts = {kind: (sum(map(_is_there, paths)), len(paths)) for kind, paths in files.items()}
        rows.append(Row(figure, {run: runs[run] for run in of_figure}, counts, alphas is not None))
    made = outputs.made_files(folder, figures)
    missing = [path for path in made if not _is_there(path)]
    under_way = list(_under_way(runs, asked, folder, codes))
    return Status(rows, runs, missing, _is_there(made[-1]), under_way)


def wanted(asked: Experiments) -> dict[WantedRun, int]:
    """The runs that a config may ask for, whatever α are chosen, and how many episodes or frames each has."""
    return {
        WantedRun(variant, run): length for variant in asked.variants() for run, length in asked.runs(variant).items()
    }


def _is_there(path: str) -> bool:
    return Path(path).is_file()


def state_of(wanted: WantedRun, length: int, asked: Experiments, folder: str, codes: Mapping[str, str]) -> RunState:
    """What became of a run below `folder`, by its file's `meta`; `codes`: a fingerprint a kind of job."""
    path, run = wanted.path(folder), wanted.key
    try:
        meta = results.load_meta(path)
    except UserError as error:
        return RunState(DAMAGED, str(error)) if Path(path).exists() else RunState(MISSING)
    code = codes[context.run_job(run.environment, run.method)]
    if meta.get("schema") != results.SCHEMA_VERSION:
        return RunState(STALE, "of another schema")
    if any(meta.get(key) != value for key, value in vars(run).items()):
        return RunState(DAMAGED, f"{path}: holds another run; {atomic.remedy(path)}")
    if meta.get("code") != code:
        return RunState(STALE, "made by other code")
    if meta.get(domain_of(run.environment).length_in_meta) != length:
        return RunState(STALE, "of another length")
    if meta.get("readings") != asked.readings_of(run.environment, wanted.variant):
        return RunState(STALE, "made with other readings")
    if meta.get("hyper", {}) != asked.hyper_of(run.method, wanted.variant):
        return RunState(STALE, "made with other hyper-parameters")
    return RunState(FRESH)


def _under_way(
    runs: Mapping[WantedRun, RunState], asked: Experiments, folder: str, codes: Mapping[str, str]
) -> Iterator[UnderWay]:
    for run, found in runs.items():
        domain = domain_of(run.key.environment)
        if found.state == FRESH or "checkpoint" not in domain.options:
            continue
        path = run.path(folder, "checkpoints")
        progress = checkpoint.progress(Path(path))
        if progress is not None:
            done, meta = progress
            total = asked.runs(run.variant)[run.key]
            code = codes[context.run_job(run.key.environment, run.key.method)]
            wanted = {**vars(run.key), "code": code, "frames": total}
            wanted["readings"] = asked.readings_of(run.key.environment, run.variant)
            wanted["hyper"] = asked.hyper_of(run.key.method, run.variant)
            stale = any(meta.get(key) != value for key, value in wanted.items())
            yield UnderWay(run, domain.unit_text, done, total, path, stale)


def left(status: Status, lengths: Mapping[WantedRun, int]) -> dict[WantedRun, int]:
    """How many episodes or frames are left of each run that is to be made."""
    done = {one.run: one.done for one in status.under_way if not one.stale}
    return {run: max(0, lengths[run] - done.get(run, 0)) for run in status.to_do()}


def rough_seconds(left: Mapping[WantedRun, int]) -> float | None:
    """About how long runs take on one core; None if only a trial can tell."""
    seconds = 0.0
    for run, length in left.items():
        rough = _rough_seconds(run, length)
        if rough is None:
            return None
        seconds += rough
    return seconds


def frame_times(folder: str) -> dict[str, float] | None:
    """The milliseconds that a frame takes with each method, as the workflow measured; None if it has not."""
    path = Path(folder) / "frame_times.json"
    try:
        measured: Any = json.loads(path.read_text(encoding="utf-8"))
        return {str(method): float(value) for method, value in measured.items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError):
        raise UserError(f"{path}: is no table of frame times; {atomic.remedy(path)}") from None


def lines(asked: Experiments, status: Status, folder: str, *, cores: int, all_files: bool) -> Iterator[str]:
    """The status in words, a line at a time; with `all_files` every file that is missing or stale."""
    width = max(len(row.figure.name) for row in status.rows)
    for section, figures in asked.sections().items():
        yield context.SECTIONS.get(section, section)
        for row in (row for row in status.rows if row.figure in figures):
            yield f"  {row.figure.name:{width}}  {_row(row)}"
    yield f"Report: {'there' if status.has_report else 'missing'}"
    count = {state: len(status.of_state(state)) for state in (FRESH, MISSING, STALE, DAMAGED)}
    said = ", ".join(f"{number:,} {state}" for state, number in count.items() if number or state == FRESH)
    yield f"Runs in all: {said}, of {len(status.runs):,}"
    yield from _troubles(status, folder, all_files)
    for one in status.under_way:
        ends = f"of {one.total:,} {one.unit} ({one.done / one.total:.0%})"
        yield f"Under way: {one.run.key.path('')[1:].removesuffix('.npz')}: {one.done:,} {ends}"
        if one.stale:
            yield f"  but of other code or another config, so no run takes it up: rm {shlex.quote(one.path)}"
    yield from _time_left(wanted(asked), status, folder, cores)
    if not status.missing and count[FRESH] == len(status.runs):
        yield "Nothing is missing. `snakemake -n` lists tables and pictures that a change makes stale."


def _row(row: Row) -> str:
    fresh = sum(found.state == FRESH for found in row.runs.values())
    parts = [f"{fresh:,} of {len(row.runs):,} runs"]
    for state in (STALE, DAMAGED):
        number = sum(found.state == state for found in row.runs.values())
        parts += [f"{number:,} {state}"] if number else []
    parts += [f"{there} of {wanted} {kind}" for kind, (there, wanted) in row.files.items()]
    return ", ".join(parts) + ("" if row.alphas_known else "; its α are not chosen yet")


def _troubles(status: Status, folder: str, all_files: bool) -> Iterator[str]:
    """What is missing, stale or damaged: an example of each kind, or every file."""
    reasons: dict[str, list[WantedRun]] = {}
    for run, found in status.runs.items():
        if found.state == MISSING:
            reasons.setdefault("missing", []).append(run)
        elif found.state == STALE:
            reasons.setdefault(f"stale, {found.reason}", []).append(run)
        elif found.state == DAMAGED:
            yield f"Damaged: {found.reason}"
    for reason, runs in reasons.items():
        yield from _named(reason, [run.path(folder) for run in runs], all_files)
        if reason.endswith("other code"):
            job = context.run_job(runs[0].key.environment, runs[0].key.method)
            example = shlex.quote(runs[0].path(folder))
            yield f"  what differs: metatrace provenance why {job} {example}"
    yield from _named("missing", status.missing, all_files)


def _named(reason: str, paths: list[str], all_files: bool) -> Iterator[str]:
    shown = paths if all_files else paths[:1]
    for path in shown:
        yield f"{reason.capitalize()}: {path}"
    if len(paths) > len(shown):
        yield f"  and {len(paths) - len(shown):,} more like it; --files names all"


def _time_left(lengths: Mapping[WantedRun, int], status: Status, folder: str, cores: int) -> Iterator[str]:
    by_unit: dict[str, dict[WantedRun, int]] = {}
    for run, length in left(status, lengths).items():
        by_unit.setdefault(domain_of(run.key.environment).unit_text, {})[run] = length
    for unit, of_unit in by_unit.items():
        text = f"Left: {len(of_unit):,} run{'s' if len(of_unit) > 1 else ''}, {sum(of_unit.values()):,} {unit}"
        seconds = rough_seconds(of_unit)
        if seconds is not None:
            yield f"{text}, about {_on_cores(seconds, len(of_unit), cores)}, by a rough estimate"
            continue
        by_method: dict[str, int] = {}
        for run, length in of_unit.items():
            by_method[run.key.method] = by_method.get(run.key.method, 0) + length
        measured = frame_times(folder)
        if measured is not None and by_method.keys() <= measured.keys():
            seconds = sum(length * measured[method] / 1e3 for method, length in by_method.items())
            time = _on_cores(seconds, len(of_unit), cores)
            yield f"{text}, about {time}, as measured in {folder}/frame_times.json"
        else:
            words = [f"{method}={length}" for method, length in by_method.items()]
            command = ["metatrace estimate --cores", str(min(cores, len(of_unit))), "--frames", *words]
            yield f"{text}; to estimate the time: {' '.join(command)}"


def _on_cores(seconds: float, runs: int, cores: int) -> str:
    """How long so many runs take, on no more cores than there are runs."""
    used = min(cores, runs)
    return f"{in_words(seconds / used)} on {used} core{'s' if used > 1 else ''}"


def _rough_seconds(run: WantedRun, length: int) -> float | None:
    """About how long a run takes on one core; None for long ones, whose time only a trial tells.

    From the paper's scale on a small virtual machine: a run's start and what Snakemake does around it, and an episode.
    Divergence and long episodes move them by a factor of about 2.
    """
    domain = domain_of(run.key.environment)
    if "checkpoint" in domain.options:
        return None
    return 0.35 + length * (0.0002 if domain.kernel_of(run.key.method) == "lazy_kernel" else 0.0008)
