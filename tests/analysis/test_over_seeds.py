"""Aggregates over seeds, worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from metatrace.analysis import over_seeds
from metatrace.analysis.groups import SETTING


def scores(**finals):
    """Final returns of each method's seeds at one drift rate."""
    rows = [
        ("drifting_mountain_car", method, "2^-10", "2^-8", "1e-5", seed, final)
        for method, values in finals.items()
        for seed, final in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=[*SETTING, "seed", "final"])


SCORES = scores(none=[-200, -190, -180, -100], mixed=[-150, -140, -130, -120])


def test_the_interquartile_mean_leaves_out_the_best_and_the_worst_quarter():
    made = over_seeds.interquartile_means(SCORES).set_index("method")
    assert made["iqm"].to_dict() == {"none": -185, "mixed": -135} and set(made["runs"]) == {4}
    assert (made["iqm_low"] <= made["iqm"]).all() and (made["iqm"] <= made["iqm_high"]).all()


def test_improvement_counts_the_pairs_of_runs_that_are_won():
    (row,) = over_seeds.improvements(SCORES).to_dict("records")
    assert (row["method"], row["other"], row["improvement"]) == ("mixed", "none", 12 / 16)
    assert row["improvement_low"] <= 12 / 16 <= row["improvement_high"]
    same = over_seeds.improvements(scores(none=[-150, -140], scalar=[-150, -140], mixed=[-150, -140]))
    assert same[["method", "other"]].to_numpy().tolist() == [["scalar", "none"], ["mixed", "none"], ["mixed", "scalar"]]
    assert same["improvement"].tolist() == [0.5] * 3
    assert over_seeds.improvements(scores(none=[-150, -140])).empty


def test_a_profile_falls_from_all_runs_to_none():
    made = over_seeds.profiles(SCORES)
    for method, rows in made.groupby("method"):
        shares = rows.set_index("final")["mean"]
        assert shares.is_monotonic_decreasing and shares.iloc[-1] == 0
        assert shares.loc[-160] == {"none": 0.25, "mixed": 1}[method]
        assert (rows["low"] <= rows["mean"]).all() and (rows["mean"] <= rows["high"]).all()
    assert made["final"].agg(["min", "max"]).tolist() == [-200, -100]


@pytest.mark.parametrize("values", [[-200.0], [-150.0] * 3])
def test_runs_that_end_alike_or_alone_have_all_tables(values):
    made = over_seeds.profiles(scores(none=values))
    assert len(made) == 101 and np.isfinite(made["mean"]).all()
    assert over_seeds.interquartile_means(scores(none=values))["iqm"].tolist() == values[:1]
