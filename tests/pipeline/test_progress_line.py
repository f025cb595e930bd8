"""What Snakemake says of thousands of jobs, in one line; the messages are those of Snakemake's own loggers."""

import io
import logging
import time

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from metatrace.pipeline.progress_line import ProgressLine, Sort


class Clock:
    """Time that a test moves."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def logger_to(stream, jobs, cores=2):
    """A logger as Snakemake has one, with our filter; what it says of an event."""
    handler = logging.StreamHandler(stream)
    handler.addFilter(ProgressLine(stream, cores, lambda: jobs))

    def say(event, message="", **fields):
        record = logging.makeLogRecord({"msg": message, "event": event, **fields})
        handler.handle(record)

    return say


def of_rules(**numbers):
    """So many jobs of each rule, without wildcards."""
    return [Sort.of(rule, {}) for rule, number in numbers.items() for _ in range(number)]


def run(say, clock, jobs, seconds, total, done=0):
    """Jobs, one after another."""
    for number, sort in enumerate(jobs, done + 1):
        wildcards = {"environment": sort.environment, "method": sort.method}
        say(LogEvent.JOB_INFO, "a job", jobid=number, rule_name=sort.rule, wildcards=wildcards)
        clock.now += seconds
        say(LogEvent.JOB_FINISHED, "done", job_id=number)
        say(LogEvent.PROGRESS, done=number, total=total)


def test_a_line_every_ten_seconds_says_how_many_are_done_and_how_long_the_rest_takes(clock):
    stream = io.StringIO()
    say = logger_to(stream, of_rules(run=30, draw=10))
    run(say, clock, of_rules(run=20), 1, 40)
    assert stream.getvalue().splitlines() == [
        "10 of 40 jobs done (25%), about 1 minute left",
        "20 of 40 jobs done (50%), about 1 minute left",
    ]
    run(say, clock, of_rules(draw=1), 120, 40, done=20)
    # Nine drawings of two minutes and ten runs of a second, two at a time.
    assert stream.getvalue().splitlines()[-1] == "21 of 40 jobs done (52%), about 9 minutes left"


def test_runs_that_a_checkpoint_adds_count_from_then_on(clock):
    stream = io.StringIO()
    jobs = of_rules(choose=1, draw=1)
    say = logger_to(stream, jobs)
    run(say, clock, of_rules(choose=1), 20, 2)
    jobs += of_rules(run=100)
    run(say, clock, of_rules(run=1), 60, 102, done=1)
    # 99 runs of a minute, and a drawing of which nobody knows better than the mean of the rest.
    assert stream.getvalue().splitlines()[-1] == "2 of 102 jobs done (2%), about 50 minutes left"


@pytest.mark.parametrize("apart", ["method", "environment"])
def test_slow_runs_of_a_rule_count_as_slow(clock, apart):
    stream = io.StringIO()
    fast, slow = (Sort.of("run", {apart: name}) for name in ("fast", "slow"))
    say = logger_to(stream, [*[fast] * 30, *[slow] * 31])
    run(say, clock, [fast] * 30, 1, 61)
    run(say, clock, [slow], 60, 61, done=30)
    assert stream.getvalue().splitlines()[-1] == "31 of 61 jobs done (51%), about 15 minutes left"


def test_the_last_job_has_a_line_however_soon_it_comes(clock):
    stream = io.StringIO()
    say = logger_to(stream, of_rules(run=2))
    run(say, clock, of_rules(run=2), 1, 2)
    assert stream.getvalue() == "2 of 2 jobs done (100%)\n"


def test_on_a_terminal_the_line_stays_in_place_and_an_error_stands_below_it(clock):
    stream = Terminal()
    say = logger_to(stream, of_rules(run=3))
    run(say, clock, of_rules(run=1), 1, 3)
    say(LogEvent.JOB_ERROR, "Error in rule run:")
    line, error, end = stream.getvalue().split("\n")
    assert line == "\r1 of 3 jobs done (33%), about 1 minute left\x1b[K"
    assert (error, end) == ("Error in rule run:", "")


@pytest.mark.parametrize("event", [LogEvent.JOB_STARTED, LogEvent.WORKFLOW_STARTED, LogEvent.GROUP_INFO])
def test_what_is_said_of_a_single_job_is_left_out(event):
    stream = io.StringIO()
    logger_to(stream, [])(event, "words")
    assert stream.getvalue() == ""


@pytest.mark.parametrize("event", [None, LogEvent.ERROR, LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR, LogEvent.RUN_INFO])
def test_all_else_is_said_as_it_is(event):
    stream = io.StringIO()
    logger_to(stream, [])(event, "words")
    assert stream.getvalue() == "words\n"
