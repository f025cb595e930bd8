"""One line of progress for the whole workflow, in place of ten for every job."""

import logging
import time
from collections import Counter, defaultdict
from typing import Any, TextIO

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


class ProgressLine(logging.Filter):
    """Lets a message pass unless it is about one job that works, and shows a line about all jobs instead.

    On a terminal the line stays in place; elsewhere there is a new one at most every ten seconds.
    """

    def __init__(self, stream: TextIO, cores: int) -> None:
        super().__init__()
        self._stream, self._cores = stream, cores
        self._left: Counter[str] = Counter()  # jobs by rule
        self._running: dict[int, tuple[str, float]] = {}  # by job: its rule and its start
        self._seconds: dict[str, list[float]] = defaultdict(list)  # that finished jobs took, by rule
        self._shown = time.monotonic()
        self._unfinished = False  # whether the cursor stands behind a line of progress

    def filter(self, record: Any) -> bool:
        """Whether a message is shown as it is."""
        event = getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            self._left = Counter({rule: number for rule, number in record.stats.items() if rule != "total"})
        elif event == LogEvent.JOB_INFO:
            self._running[record.jobid] = record.rule_name, time.monotonic()
        elif event == LogEvent.JOB_FINISHED and record.job_id in self._running:
            rule, start = self._running.pop(record.job_id)
            self._left[rule] -= 1
            self._seconds[rule].append(time.monotonic() - start)
        elif event == LogEvent.PROGRESS:
            self._show(record.done, record.total)
            return False
        if event in _LEFT_OUT or str(record.msg).startswith(_NEWS_OF_THE_SCHEDULER):
            return False
        if self._unfinished:
            print(file=self._stream)
            self._unfinished = False
        return True

    def seconds_left(self) -> float:
        """How long the jobs that are left take: each as long as those of its rule took, or as all did."""
        means = {rule: sum(seconds) / len(seconds) for rule, seconds in self._seconds.items()}
        of_any = sum(means.values()) / max(1, len(means))
        return sum(number * means.get(rule, of_any) for rule, number in self._left.items()) / self._cores

    def _show(self, done: int, total: int) -> None:
        line = f"{done} of {total} jobs done ({done / total:.0%})"
        if done < total:
            line += f", about {in_words(self.seconds_left())} left"
        if self._stream.isatty():
            print(f"\r{line}\x1b[K", end="", file=self._stream, flush=True)
            self._unfinished = True
        elif done == total or time.monotonic() - self._shown >= SECONDS_BETWEEN_LINES:
            self._shown = time.monotonic()
            print(line, file=self._stream, flush=True)
