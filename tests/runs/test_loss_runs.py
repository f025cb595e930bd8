"""Run files with losses: what is written is read back, other runs' files are as they were, and the rest is refused."""

import numpy as np
import pytest

from metatrace.errors import UserError
from metatrace.runs.key import RunKey
from metatrace.runs.results import LossRun, Run, load_run, save_run

KEY = RunKey("tracking", "idbd", "0.05", "0.01", "0", 3)
NAMES = ("returns", "lengths", "losses", "step_sizes", "beta", "changes")


def run_of(**more):
    made = {
        "returns": np.empty(0),
        "lengths": np.empty(0, np.int64),
        "losses": np.arange(4.0),
        "step_sizes": np.array([0.1, np.nan]),
        "beta": np.zeros((4, 2)),
        "changes": np.ones((2, 3)),
    }
    return LossRun(KEY, meta={"block": 10, "examples": 35}, **{**made, **more})


@pytest.mark.parametrize("episodes", [0, 4])
def test_what_is_written_is_read_back(tmp_path, episodes):
    run = run_of(returns=np.ones(episodes), lengths=np.ones(episodes, np.int64))
    save_run(tmp_path / "x.npz", run)
    found = load_run(tmp_path / "x.npz")
    assert type(found) is LossRun and found.key == KEY and found.meta["block"] == 10
    for name in NAMES:
        np.testing.assert_array_equal(getattr(found, name), getattr(run, name))
    first = (tmp_path / "x.npz").read_bytes()
    save_run(tmp_path / "y.npz", found)
    assert (tmp_path / "y.npz").read_bytes() == first


def test_a_run_without_losses_is_of_the_plain_kind(tmp_path):
    save_run(tmp_path / "x.npz", Run(KEY, np.ones(2), np.ones(2, np.int64), {}))
    assert type(load_run(tmp_path / "x.npz")) is Run


@pytest.mark.parametrize(
    "wrong",
    [
        {"losses": np.array([1.0, np.inf])},
        {"losses": np.empty(0)},
        {"losses": np.ones((4, 1))},
        {"beta": np.zeros((3, 2))},
        {"changes": np.ones(3)},
        {"step_sizes": np.ones((2, 2))},
        {"returns": np.ones(3), "lengths": np.ones(3, np.int64)},
    ],
    ids=str,
)
def test_other_contents_are_refused(tmp_path, wrong):
    save_run(tmp_path / "x.npz", run_of(**wrong))
    with pytest.raises(UserError, match="is cut short, garbled or no run file"):
        load_run(tmp_path / "x.npz")
