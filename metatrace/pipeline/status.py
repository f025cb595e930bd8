"""How much of a scale is there, what of it was made by other code, and about how long the rest takes.

Run files are compared with what the config asks for. Tables and pictures do not say what made them, so they are
there or missing; `snakemake -n` knows what a change makes of them.
"""

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from metatrace.config.experiments import Experiments, Figure, variant_folder
from metatrace.domains.protocol import Domain
from metatrace.domains.registry import domain_of
from metatrace.errors import UserError
from metatrace.networks import checkpoint
from metatrace.pipeline import jobs, outputs
from metatrace.progress import in_words
from metatrace.report import context
from metatrace.runs import atomic, results
from metatrace.runs.key import RunKey

# What became of a run.
FRESH, MISSING, STALE, DAMAGED = "there", "missing", "stale", "damaged"
# Why a run is stale, by what of its `meta` is not as the config asks.
_REASONS = {
    "code": "made by other code",
    "length": "of another length",
    "readings": "made with other readings",
    "hyper": "made with other hyper-parameters",
}


class WantedRun(NamedTuple):
    """A run that a config asks for: under which readings (`Figure.variant`), and its tuple."""

    variant: str
    key: RunKey

    def path(self, folder: str, kind: str = "runs") -> str:
        """Its file below `results/<scale>`, among the runs or the checkpoints."""
        return self.key.path(f"{variant_folder(folder, self.variant)}/{kind}")


class RunState(NamedTuple):
    """What became of a run (`FRESH`, …), and why."""

    state: str
    reason: str = ""


class UnderWay(NamedTuple):
    """How much of a run its checkpoint holds. No run takes up a stale one."""

    done: int
    stale: bool


@dataclass(frozen=True)
class Status:
    """All of a scale below `folder` (`results/<scale>`).

    Attributes:
      runs: what became of each; figures: the runs of each figure, by its name.
      under_way: the runs that were cut short or run now.
      missing: the tables, pictures and pages that are not there.
    """

    asked: Experiments
    folder: str
    runs: dict[WantedRun, RunState]
    figures: dict[str, list[WantedRun]]
    under_way: dict[WantedRun, UnderWay]
    missing: list[str]

    def to_do(self) -> list[WantedRun]:
        """The runs that are missing, stale or damaged."""
        return [run for run, found in self.runs.items() if found.state != FRESH]

    def is_complete(self) -> bool:
        """Whether nothing is missing, stale or damaged, as far as files tell."""
        return not self.missing and not self.to_do()


def wanted(asked: Experiments) -> dict[WantedRun, int]:
    """The runs that a config may ask for, whatever α are chosen, and how many episodes or frames each has."""
    return {
        WantedRun(variant, run): length for variant in asked.variants() for run, length in asked.runs(variant).items()
    }


def survey(asked: Experiments, folder: str) -> Status:
    """Looks at all files of a scale below `folder` (`results/<scale>`)."""
    lengths = wanted(asked)
    figures = {}
    for figure in asked.figures.values():
        wanted_runs: list[WantedRun] = []
        for source in figure.sources:
            chosen = outputs.choice(folder, source)
            keys = source.some_runs() if chosen is None else source.runs(chosen)
            wanted_runs += [WantedRun(source.variant, key) for key in keys]
        figures[figure.name] = list(dict.fromkeys(wanted_runs))
    all_runs = dict.fromkeys(run for of_figure in figures.values() for run in of_figure)
    runs = {run: state_of(run, lengths[run], asked, folder) for run in all_runs}
    under_way = {}
    for run, found in runs.items():
        if found.state != FRESH and jobs.is_long(domain_of(run.key.environment)):
            progress = checkpoint.progress(Path(run.path(folder, "checkpoints")))
            if progress is not None:
                done, meta = progress
                meta["length"] = meta.get("frames")
                of_run = {**vars(run.key), **_asked_meta(run, lengths[run], asked)}
                under_way[run] = UnderWay(done, any(meta.get(key) != value for key, value in of_run.items()))
    missing = [path for path in outputs.made_files(folder, list(asked.figures.values())) if not os.path.isfile(path)]
    return Status(asked, folder, runs, figures, under_way, missing)


def state_of(run: WantedRun, length: int, asked: Experiments, folder: str) -> RunState:
    """What became of a run below `folder`, by its file's `meta`."""
    path, domain = run.path(folder), domain_of(run.key.environment)
    try:
        meta = results.load_meta(path)
    except UserError as error:
        return RunState(DAMAGED, str(error)) if os.path.exists(path) else RunState(MISSING)
    if meta.get("schema") != results.SCHEMA_VERSION:
        return RunState(STALE, "of another schema")
    if any(meta.get(key) != value for key, value in vars(run.key).items()):
        return RunState(DAMAGED, f"{path}: holds another run; {atomic.remedy(path)}")
    meta = {"hyper": {}, **meta, "length": meta.get(domain.length_in_meta)}
    for key, value in _asked_meta(run, length, asked).items():
        if meta.get(key) != value:
            return RunState(STALE, _REASONS[key])
    return RunState(FRESH)


def _asked_meta(run: WantedRun, length: int, asked: Experiments) -> dict[str, Any]:
    """What the `meta` of a run is to hold, besides its tuple."""
    return {
        "code": jobs.code_of(context.run_job(run.key.environment, run.key.method)),
        "length": length,
        "readings": asked.readings_of(run.key.environment, run.key.method, run.variant),
        "hyper": asked.hyper_of(run.key.environment, run.key.method, run.variant),
    }


def lines(status: Status, *, cores: int, all_files: bool) -> Iterator[str]:
    """The status in words, a line at a time; with `all_files` every file that is missing or stale."""
    asked, folder = status.asked, status.folder
    width = max(map(len, asked.figures))
    for section, figures in asked.sections().items():
        yield context.SECTIONS.get(section, section)
        for figure in figures:
            yield f"  {figure.name:{width}}  {_row(status, figure)}"
    yield f"Report: {'missing' if outputs.page_files(folder)[-1] in status.missing else 'there'}"
    states = [found.state for found in status.runs.values()]
    count = {state: states.count(state) for state in (FRESH, MISSING, STALE, DAMAGED)}
    said = ", ".join(f"{number:,} {state}" for state, number in count.items() if number or state == FRESH)
    yield f"Runs in all: {said}, of {len(status.runs):,}"
    yield from _troubles(status, all_files)
    lengths = wanted(asked)
    for run, found in status.under_way.items():
        total, unit = lengths[run], domain_of(run.key.environment).unit_text
        name = run.key.path("")[1:].removesuffix(".npz")
        yield f"Under way: {name}: {found.done:,} of {total:,} {unit} ({found.done / total:.0%})"
        if found.stale:
            path = shlex.quote(run.path(folder, "checkpoints"))
            yield f"  but of other code or another config, so no run takes it up: rm {path}"
    yield from _time_left(status, lengths, cores)
    if status.is_complete():
        yield "Nothing is missing. `snakemake -n` lists tables and pictures that a change makes stale."


def _row(status: Status, figure: Figure) -> str:
    """How much of a figure is there."""
    states = [status.runs[run].state for run in status.figures[figure.name]]
    parts = [f"{states.count(FRESH):,} of {len(states):,} runs"]
    parts += [f"{states.count(state):,} {state}" for state in (STALE, DAMAGED) if state in states]
    kinds = {"tables": outputs.table_files, "pictures": outputs.drawn_files, "CSV": outputs.csv_files}
    for kind, files_of in kinds.items():
        files = files_of(status.folder, [figure])
        parts.append(f"{sum(map(os.path.isfile, files))} of {len(files)} {kind}")
    chosen = outputs.choice(status.folder, figure) is not None
    return ", ".join(parts) + ("" if chosen else f"; its {'α' if figure.best else 'settings'} are not chosen yet")


def _troubles(status: Status, all_files: bool) -> Iterator[str]:
    """What is missing, stale or damaged: an example of each kind, or every file."""
    reasons: dict[str, list[WantedRun]] = {}
    for run, found in status.runs.items():
        if found.state == DAMAGED:
            yield f"Damaged: {found.reason}"
        elif found.state != FRESH:
            reasons.setdefault(", ".join(filter(None, found)), []).append(run)
    for reason, runs in reasons.items():
        yield from _named(reason, [run.path(status.folder) for run in runs], all_files)
        if reason.endswith(_REASONS["code"]):
            job = context.run_job(runs[0].key.environment, runs[0].key.method)
            yield f"  what differs: metatrace provenance why {job} {shlex.quote(runs[0].path(status.folder))}"
    yield from _named("missing", status.missing, all_files)


def _named(reason: str, paths: Sequence[str], all_files: bool) -> Iterator[str]:
    shown = paths if all_files else paths[:1]
    for path in shown:
        yield f"{reason.capitalize()}: {path}"
    if len(paths) > len(shown):
        yield f"  and {len(paths) - len(shown):,} more like it; --files names all"


def _time_left(status: Status, lengths: Mapping[WantedRun, int], cores: int) -> Iterator[str]:
    """How many episodes or frames are left of the runs that are to be made, and how long they take."""
    by_domain: dict[Domain, dict[WantedRun, int]] = {}
    for run in status.to_do():
        domain, found = domain_of(run.key.environment), status.under_way.get(run)
        done = found.done if found is not None and not found.stale else 0
        by_domain.setdefault(domain, {})[run] = max(0, lengths[run] - done)
    for domain, left in by_domain.items():
        text = f"Left: {len(left):,} run{'s' if len(left) > 1 else ''}, {sum(left.values()):,} {domain.unit_text}"
        used = min(cores, len(left))
        by_method: dict[str, int] = {}
        for run, length in left.items():
            by_method[run.key.method] = by_method.get(run.key.method, 0) + length
        seconds, source = rough_seconds(left), "by a rough estimate"
        measured = outputs.times_file(status.folder, domain)
        times = _frame_times(measured) if seconds is None else {}
        if seconds is None and by_method.keys() <= times.keys():
            seconds = sum(length * times[method] / 1e3 for method, length in by_method.items())
            source = f"as measured in {measured}"
        if seconds is None:
            words = " ".join(f"{method}={length}" for method, length in by_method.items())
            words = f"--{domain.unit} {words} --environment {domain.slowest}"
            yield f"{text}; to estimate the time: metatrace estimate --cores {used} {words}"
        else:
            time = f"{in_words(seconds / used)} on {used} core{'s' if used > 1 else ''}"
            yield f"{text}, about {time}, {source}"


_SECONDS_PER_EXAMPLE = {"tracking": 1e-6, "geoff": 5e-5}


def rough_seconds(lengths: Mapping[WantedRun, int]) -> float | None:
    """About how long runs take on one core; None if some are long: only a trial tells the time of these.

    From the paper's scale on a small virtual machine: a run's start and what Snakemake does around it, and an episode.
    Divergence and long episodes move them by a factor of about 2.
    """
    seconds = 0.0
    for run, length in lengths.items():
        domain = domain_of(run.key.environment)
        if jobs.is_long(domain):
            return None
        each = 0.0001 if domain.kernel_of(run.key.method) == "lazy_kernel" else 0.0004
        seconds += 0.35 + length * _SECONDS_PER_EXAMPLE.get(domain.name, each)
    return seconds


def _frame_times(file: str) -> dict[str, float]:
    """The milliseconds that a frame takes with each method, as the workflow measured; empty if it has not."""
    path = Path(file)
    try:
        measured: Any = json.loads(path.read_text(encoding="utf-8"))
        return {str(method): float(value) for method, value in measured.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError):
        raise UserError(f"{path}: is no table of frame times; {atomic.remedy(path)}") from None
