"""One line of progress for the whole workflow, in place of ten for every job."""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any, NamedTuple, TextIO

from snakemake_interface_logger_plugins.common import LogEvent

from metatrace.progress import SECONDS_BETWEEN_LINES, in_words

# What is said of a single job, and the fourteen lines of who started Snakemake where.
_LEFT_OUT = (
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.GROUP_INFO,
    LogEvent.WORKFLOW_STARTED,
)
_NEWS_OF_THE_SCHEDULER = (
    "Select jobs to execute",
    "Execute ",
    "DAG of jobs will be updated",
    "Updating checkpoint dependencies",
)


class Sort(NamedTuple):
    """What jobs have in common that take much the same time; those without a method or environment have "" there."""

    rule: str
    environment: str
    method: str

    @classmethod
    def of(cls, rule: str, wildcards: Mapping[str, str]) -> "Sort":
        """The sort of a job with some wildcards."""
        return cls(rule, wildcards.get("environment", ""), wildcards.get("method", ""))


class ProgressLine(logging.Filter):
    """Lets a message pass unless it is about one job that works, and shows a line about all jobs instead.

    On a terminal the line stays in place; elsewhere there is a new one at most every ten seconds.

    Args:
      stream: where the line goes.
      cores: how many jobs run at a time.
      jobs: the sorts of all jobs that ran, run or are to run. Asked again when their number changes: a checkpoint adds
        some.
    """

    def __init__(self, stream: TextIO, cores: int, jobs: Callable[[], Iterable[Sort]]) -> None:
        super().__init__()
        self._stream, self._cores, self._jobs = stream, cores, jobs
        self._total, self._all = 0, Counter[Sort]()
        self._running: dict[int, tuple[Sort, float]] = {}  # by job: its sort and its start
        self._finished = Counter[Sort]()
        self._seconds: dict[Sort, float] = defaultdict(float)  # that finished jobs took
        self._shown = time.monotonic()
        self._unfinished = False  # whether the cursor stands behind a line of progress

    def filter(self, record: Any) -> bool:
        """Whether a message is shown as it is."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO:
            self._running[record.jobid] = Sort.of(record.rule_name, record.wildcards), time.monotonic()
        elif event == LogEvent.JOB_FINISHED and record.job_id in self._running:
            sort, start = self._running.pop(record.job_id)
            self._finished[sort] += 1
            self._seconds[sort] += time.monotonic() - start
        elif event == LogEvent.PROGRESS:
            if record.total != self._total:
                self._total, self._all = record.total, Counter(self._jobs())
            self._show(record.done, record.total)
            return False
        if event in _LEFT_OUT or str(record.msg).startswith(_NEWS_OF_THE_SCHEDULER):
            return False
        if self._unfinished:
            print(file=self._stream)
            self._unfinished = False
        return True

    def seconds_left(self) -> float:
        """How long the jobs that are left take: each as long as those of its sort took, or of its rule, or as all."""
        means = {sort: self._seconds[sort] / number for sort, number in self._finished.items()}

        def expected(sort: Sort) -> float:
            if sort in means:
                return means[sort]
            of_rule = [mean for known, mean in means.items() if known.rule == sort.rule]
            return fmean(of_rule or means.values() or [0.0])

        return sum(number * expected(sort) for sort, number in (self._all - self._finished).items()) / self._cores

    def _show(self, done: int, total: int) -> None:
        stays = self._stream.isatty()
        if not stays and done < total and time.monotonic() - self._shown < SECONDS_BETWEEN_LINES:
            return
        self._shown = time.monotonic()
        line = f"{done} of {total} jobs done ({done / total:.0%})"
        if done < total:
            line += f", about {in_words(self.seconds_left())} left"
        print(f"\r{line}\x1b[K" if stays else line, end="" if stays else "\n", file=self._stream, flush=True)
        self._unfinished = stays
