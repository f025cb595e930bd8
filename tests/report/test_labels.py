"""What figures are called, and what making them took."""

import pytest

from metatrace.config.figure import short_name_of
from metatrace.pipeline import job_times

MIDNIGHT = 1_795_910_400  # 2026-11-29 00:00 UTC


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("figure_2", "Figure 2"),
        ("figure_s1", "Figure S1"),
        ("figure_s3_sid", "Figure S3 (sid)"),
        ("figure_s4_trace_product", "Figure S4 (trace_product)"),
    ],
)
def test_a_figure_is_called_as_a_reader_writes_it(name, short):
    assert short_name_of(name) == short


def test_what_the_making_took_is_the_sum_over_jobs():
    jobs = [
        job_times.Job("run_mountain_car", MIDNIGHT, MIDNIGHT + 3600),
        job_times.Job("run_game", MIDNIGHT - 60, MIDNIGHT + 3 * 3600),
        job_times.Job("aggregate", MIDNIGHT + 3600, MIDNIGHT + 3720),
    ]
    told = job_times.summarize_jobs(jobs, {"python": "3.11", "numpy": "2.4.6"})
    assert (told["runs"], told["run_time"]) == (2, "4 hours")
    assert (told["others"], told["other_time"]) == (1, "2 minutes")
    assert (told["began"], told["ended"]) == ("2026-11-28 23:59", "2026-11-29 03:00")
    assert told["versions"] == "python 3.11, numpy 2.4.6"


def test_nothing_is_told_of_jobs_that_nobody_recorded():
    assert job_times.summarize_jobs([], {"python": "3.11"}) == {}
