"""Progress in a log: a line now and then, none of short work. The bar on a terminal: see test_cli.py."""

import io
import itertools
import re
import time
from contextlib import redirect_stderr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metatrace.progress import SECONDS_BETWEEN_LINES, bar, in_words

LINE = re.compile(r"([0-9]+) of ([0-9]+) episodes in ([0-9]+) s, about ([0-9]+) s left")


class Clock:
    """Time that passes when it is told to."""

    def __init__(self, now=1000.0):
        self.now = now

    def __call__(self):
        return self.now


def lines_of(episodes, steps, *, unit="episode", before=0):
    """What a log shows of work whose `steps` are (seconds, episodes done)."""
    clock, log = Clock(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(log):
        patch.setattr(time, "monotonic", clock)
        with bar(episodes, unit) as count:
            if before:
                count(before, before=True)
            for seconds, done in steps:
                clock.now += seconds
                count(done)
    return log.getvalue().splitlines()


def test_short_work_leaves_no_line():
    assert lines_of(1000, [(0.009, 1)] * 1000) == []
    assert lines_of(2, [(9.5, 1), (0.4, 1)]) == []


def test_long_work_leaves_a_line_every_ten_seconds_and_none_at_its_end():
    assert SECONDS_BETWEEN_LINES == 10
    assert lines_of(40, [(1, 1)] * 40) == [
        "10 of 40 episodes in 10 s, about 30 s left",
        "20 of 40 episodes in 20 s, about 20 s left",
        "30 of 40 episodes in 30 s, about 10 s left",
    ]


def test_a_line_waits_for_an_episode_to_end():
    assert lines_of(4, [(35, 1), (4, 1), (7, 1), (1, 1)]) == [
        "1 of 4 episodes in 35 s, about 105 s left",
        "3 of 4 episodes in 46 s, about 15 s left",
    ]


def test_episodes_may_come_in_chunks():
    assert lines_of(100, [(6, 25), (6, 25), (6, 50)]) == ["50 of 100 episodes in 12 s, about 12 s left"]


def test_the_time_left_is_at_the_mean_speed_so_far():
    # 10 episodes in the first 10 s, then 2 in 10 s: 12 in 20 s leave 48 × 20/12 s.
    assert lines_of(60, [(1, 1)] * 10 + [(5, 1)] * 2)[-1] == "12 of 60 episodes in 20 s, about 80 s left"


def test_work_that_goes_on_counts_what_was_done_before_but_not_its_time():
    # 20 frames in 10 s of this run leave 30 at the same speed.
    assert lines_of(150, [(0.5, 1)] * 50, unit="frame", before=100) == [
        "120 of 150 frames in 10 s, about 15 s left",
        "140 of 150 frames in 20 s, about 5 s left",
    ]


@given(steps=st.lists(st.tuples(st.floats(0, 30), st.integers(1, 50)), min_size=1, max_size=60))
def test_lines_are_few_and_count_up(steps):
    episodes = sum(done for _, done in steps)
    shown = [tuple(map(int, LINE.fullmatch(line).groups())) for line in lines_of(episodes, steps)]
    assert len(shown) <= sum(seconds for seconds, _ in steps) / SECONDS_BETWEEN_LINES + 1e-9
    counts = [line[0] for line in shown]
    assert counts == sorted(set(counts)) and all(count < episodes for count in counts)
    assert {line[1] for line in shown} <= {episodes}
    # Rounded, two lines are at least 9 s apart.
    times = [0, *(line[2] for line in shown)]
    assert all(later - earlier >= 9 for earlier, later in itertools.pairwise(times))


def test_nothing_is_shown_on_standard_output(capsys):
    with bar(3, "episode") as count:
        count(3)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0, "1 minute"),
        (89, "1 minute"),
        (150, "2 minutes"),
        (7199, "120 minutes"),
        (7200, "2 hours"),
        (86400, "24 hours"),
        (172800, "2 days"),
        (8.5e6, "98 days"),
    ],
)
def test_durations_in_words(seconds, words):
    assert in_words(seconds) == words
