"""Tables of predictions, on made-up runs."""

import numpy as np
import pytest

from metatrace.analysis import prediction
from metatrace.runs.key import RunKey
from metatrace.runs.results import LossRun


def made(seed, *, losses=(4.0, 2.0, 1.0), step_sizes=(0.5, 0.125), groups=("tiles/visited", "noise"), diverged=None):
    key = RunKey("drifting_prediction", "tidbd", "2^-6", "2^-8", "0", seed)
    lengths = np.full(len(losses), 100)
    return LossRun(
        key,
        -lengths.astype(float),
        lengths,
        {"step_size_groups": list(groups)},
        losses=np.array(losses),
        step_sizes=np.array(step_sizes),
        diverged_episode=diverged,
    )


def test_step_sizes_are_named_by_their_groups():
    table = prediction.step_sizes([made(1, step_sizes=(0.125, 0.5), groups=("noise", "tiles/visited")), made(0)])
    assert table["seed"].tolist() == [0, 1] and (table["ratio"] == 4).all()
    assert (table["tiles"] == 0.5).all() and (table["noise"] == 0.125).all()


def test_without_noise_there_is_no_ratio():
    table = prediction.step_sizes([made(0, step_sizes=(0.5,), groups=("tiles/visited",))])
    assert table["tiles"].tolist() == [0.5] and table[["noise", "ratio"]].isna().all(axis=None)


def test_noise_that_has_no_step_size_left_is_infinitely_far_away():
    assert prediction.step_sizes([made(0, step_sizes=(0.5, 0.0))])["ratio"].tolist() == [np.inf]


class Job:
    smoothing, unit = 2, "episodes"


def test_errors_are_means_over_seeds_with_intervals():
    tables = prediction.make(Job(), [made(0), made(1, losses=(4.0, 2.0, 3.0), step_sizes=(1.0, 0.375))])
    assert tables["scores"]["final"].tolist() == [1.5, 2.5] and tables["scores"]["auc"].tolist() == [7 / 3, 3.0]
    (row,) = tables["prediction_errors"].to_dict("records")
    assert (row["runs"], row["diverged"], row["final"], row["tiles"], row["noise"]) == (2, 0, 2.0, 0.75, 0.25)
    assert row["final_low"] == 1.5 and row["final_high"] == 2.5
    assert tables["curves"]["mean"].tolist() == [4.0, 3.0, pytest.approx(2.0)]


def test_the_step_sizes_of_a_run_that_diverged_are_unknown():
    runs = [made(0), made(1, step_sizes=(np.nan, np.nan), diverged=1)]
    (row,) = prediction.make(Job(), runs)["prediction_errors"].to_dict("records")
    assert row["diverged"] == 1 and np.isnan(row["tiles"]) and np.isnan(row["noise"]) and row["final"] == 1.5
