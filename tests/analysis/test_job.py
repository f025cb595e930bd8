"""The runs that a figure's tables are made of."""

import numpy as np
import pytest

from metatrace.analysis.job import TablesJob
from metatrace.errors import UserError
from metatrace.runs.key import grid_of_runs
from metatrace.runs.results import Run, save_run


def job(folder, **other):
    grid = {"environments": ["catch"], "methods": ["mixed"], "alphas": ["2^-6"], "mus": ["0.001"], "drifts": ["0"]}
    rest = {"smoothing": 2, "final": 2, "spread_alpha_max": "2^-5", "failed_return": {"catch": -1.0}, "reference": ""}
    code = {"runs": str(folder), "runs_code": {"mixed": "a"}}
    told = {**grid, "seeds": [0, 1], "length": 100, "unit": "frames", "members": [], **rest, **code}
    return TablesJob(**told | other)


@pytest.fixture
def folder(tmp_path):
    """Two runs over 100 frames."""
    for key in grid_of_runs(["catch"], ["mixed"], ["2^-6"], ["0.001"], ["0"], range(2)):
        meta = {"code": "a", "observed_frames": 100}
        save_run(key.path(tmp_path), Run(key, np.ones(1), np.ones(1, int), meta, frames=np.array([50])))
    return tmp_path


def test_all_runs_of_the_grid_are_read(folder):
    assert [run.key.seed for run in job(folder).load_runs()] == [0, 1]


def test_a_figure_that_compares_others_has_none(folder):
    assert job(folder, members=["results/tables/figure_1"]).load_runs() == []


def test_runs_over_other_frames_are_refused_in_one_line(folder):
    with pytest.raises(UserError, match=r"seed~0\.npz: is of 100 observed frames, not 99; ") as raised:
        job(folder, length=99).load_runs()
    assert len(str(raised.value).splitlines()) == 1
