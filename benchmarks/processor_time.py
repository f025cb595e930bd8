"""A pytest plugin: the processor time of each test, with that of the processes that it starts, on Linux.

    python -m pytest -p benchmarks.processor_time tests/workflow
    make test-time

Processor time tells where the tests' time goes on a machine that is busy as well. What a module's or session's fixture
takes counts for the first test that asks for it.
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SHOWN = 25
_TICKS = os.sysconf("SC_CLK_TCK")
_last = [0.0]
_tests: Counter[str] = Counter()


def processor_seconds(process: int) -> float:
    """Of a process, of the children that it has waited for, and of those that still run, and theirs."""
    folder = Path(f"/proc/{process}")
    try:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        children = [int(child) for task in folder.glob("task/*/children") for child in task.read_text().split()]
    except OSError:  # it has just ended
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS + sum(map(processor_seconds, children))


def pytest_collection_finish() -> None:
    _last[0] = processor_seconds(os.getpid())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Any:
    report = yield
    now = processor_seconds(os.getpid())
    report.processor_seconds, _last[0] = now - _last[0], now
    return report


def pytest_runtest_logreport(report: Any) -> None:
    _tests[report.nodeid] += report.processor_seconds


def pytest_terminal_summary(terminalreporter: Any) -> None:
    files: Counter[str] = Counter()
    for test, seconds in _tests.items():
        files[test.partition("::")[0]] += seconds
    say = terminalreporter.write_line
    say(f"\nProcessor time: {processor_seconds(os.getpid()):.0f} s, {sum(_tests.values()):.0f} s of it in tests")
    for what, counted in (("file", files), ("test", _tests)):
        say(f"\n{'seconds':>8}  {what}")
        for name, seconds in counted.most_common(SHOWN):
            say(f"{seconds:>8.1f}  {name}")
