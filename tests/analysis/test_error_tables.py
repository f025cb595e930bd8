"""Tables of figures of regression, on made-up runs of which every number is known."""

import numpy as np
import pytest

from metatrace.analysis import errors, tables
from metatrace.analysis.job import TablesJob
from metatrace.errors import UserError
from metatrace.runs.key import RunKey
from metatrace.runs.results import LossRun

MORE = {"alphas": ["0.05"], "mus": ["0"], "drifts": ["0"], "runs_code": {}, "final": 100, "spread_alpha_max": "2^-5"}


def job(length, smoothing, members=()):
    return TablesJob(
        runs="", environments=[], methods=[], seeds=[], length=length, unit="examples", smoothing=smoothing,
        failed_return={}, reference="", members=list(members), **MORE,
    )  # fmt: skip


def made(method, seed, losses, *, block=10, readings=None, step_sizes=(), beta=(), changes=None, **meta):
    groups = {"relevant": [0, 2], "irrelevant": [2, 3]}
    meta = {
        **{"block": block, "examples": block * len(losses), "readings": readings or {}, "layers": ["U", "W"]},
        **{"beta_groups": list(groups), "step_size_groups": groups, **meta},
    }
    return LossRun(
        RunKey("tracking", method, "0.05", "0", "0", seed), np.empty(0), np.empty(0, np.int64), meta,
        losses=np.array(losses), step_sizes=np.array(step_sizes), beta=np.array(beta), changes=changes,
    )  # fmt: skip


def test_errors_are_means_over_the_last_examples_and_over_all():
    runs = [made("none", seed, [9.0, 3.0, 1.0 + seed], readings={"target_scale": "10"}) for seed in range(2)]
    found = errors.make(job(30, 20), runs)
    row = found["errors"].iloc[0]
    assert (row["target_scale"], row["runs"], row["diverged"]) == ("10", 2, 0)
    assert row["error"] == (2.0 + 2.5) / 2 and row["mean_error"] == pytest.approx((13 / 3 + 14 / 3) / 2)
    assert row["error_low"] < row["error"] < row["error_high"]
    assert list(found) == ["curves", "scores", "errors"]


def test_step_sizes_over_time_and_at_the_end():
    beta = [[np.log(0.1), np.log(0.4)], [np.log(0.2), np.log(0.02)]]
    runs = [made("none", seed, [1.0, 1.0], step_sizes=[0.1, 0.3, 0.02], beta=beta) for seed in range(2)]
    found = errors.make_with_step_sizes(job(20, 10), runs)
    curves = found["step_size_curves"]
    assert curves["example"].tolist() == [10, 20, 10, 20]
    np.testing.assert_allclose(np.exp(curves["mean"]), [0.1, 0.2, 0.4, 0.02])
    assert found["scores"][["alpha_relevant", "alpha_irrelevant"]].values.tolist() == 2 * [[pytest.approx(0.2), 0.02]]
    ends = found["step_sizes"].set_index("group")
    assert ends.loc["relevant", ["least", "largest"]].tolist() == [0.1, 0.3]
    assert ends.loc["irrelevant", "step_size"] == pytest.approx(0.02)


def test_of_tasks_the_errors_after_changes_and_how_far_weights_moved():
    losses = [50.0] * 4 + [8.0, 4.0] + [2.0] * 2 + [6.0, 4.0] + [1.0] * 2  # four blocks a task; two come first
    changes = np.array([[9.0, 1.0], [3.0, 2.0], [1.0, 4.0]])
    runs = [
        made("none", seed, losses, block=500, changes=changes * (1 + seed), changes_block=2000) for seed in range(2)
    ]
    found = errors.make_of_tasks(job(6000, 500), runs)
    assert found["scores"]["first"].tolist() == [5.5, 5.5]
    assert found["scores"]["change_U"].tolist() == [13, 26] and found["scores"]["change_W"].tolist() == [7, 14]
    rows = found["changes"]
    assert rows["layer"].tolist() == ["U"] * 3 + ["W"] * 3 and rows["task"].tolist() == [1, 2, 3] * 2
    assert rows["mean"].tolist() == [13.5, 4.5, 1.5, 1.5, 3.0, 6.0]


def test_a_task_that_did_not_change_has_no_first_errors():
    run = made("none", 0, [1.0] * 4, block=500, changes_block=2000)
    assert np.isnan(errors.after_changes(run))


def test_compared_errors_are_those_of_the_members(tmp_path):
    for scale in ("1", "10"):
        runs = [made("none", seed, [1.0, 2.0], readings={"target_scale": scale}) for seed in range(2)]
        tables.write(errors.make(job(20, 10), runs)["errors"], tmp_path / scale / "errors.parquet")
    found = errors.make_compared(job(20, 10, [str(tmp_path / "1"), str(tmp_path / "10")]), [])["errors"]
    assert found["target_scale"].tolist() == ["1", "10"] and found["error"].tolist() == [2.0, 2.0]
    tables.write(found.drop(columns="target_scale"), tmp_path / "1" / "errors.parquet")
    with pytest.raises(UserError, match="has no column target_scale"):
        errors.make_compared(job(20, 10, [str(tmp_path / "1")]), [])
