"""What the making of a scale took: how many jobs, how long, when, on what; the report says so."""

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from metatrace.progress import in_words


class Job(NamedTuple):
    """A job that has ended, as Snakemake recorded it; times are seconds since 1970."""

    rule: str
    start: float
    end: float


def summarize_jobs(jobs: Sequence[Job], packages: Mapping[str, str]) -> dict[str, str | int]:
    """What the front page says of the making, as plain types.

    Args:
      jobs: each once.
      packages: the versions of those that enter the runs.

    Returns:
      `runs` and `others`, how many jobs; `run_time` and `other_time`, the sum of their durations in words;
      `began` and `ended`, in UTC, to the minute; `machine` and `versions`, those of now. Nothing where no
      job is recorded, as after results were moved without `.snakemake`.
    """
    if not jobs:
        return {}
    runs = [job.end - job.start for job in jobs if job.rule.startswith("run_")]
    others = [job.end - job.start for job in jobs if not job.rule.startswith("run_")]
    processors = os.cpu_count() or 1
    many = "s" if processors > 1 else ""
    return {
        "runs": len(runs),
        "run_time": in_words(sum(runs)),
        "others": len(others),
        "other_time": in_words(sum(others)),
        "began": _moment(min(job.start for job in jobs)),
        "ended": _moment(max(job.end for job in jobs)),
        "machine": f"{platform.system()} on {platform.machine()} with {processors} processor{many}",
        "versions": ", ".join(f"{name} {version}" for name, version in packages.items()),
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
