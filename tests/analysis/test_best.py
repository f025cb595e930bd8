import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metatrace.analysis.aggregate import aggregate
from metatrace.analysis.best import best_mu
from metatrace.analysis.intervals import mean_interval
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run

COLUMNS = [
    "environment", "method", "alpha", "drift", "mu", "runs", "final", "final_low", "final_high",
    "runner_up", "runner_up_final", "difference", "difference_low", "difference_high",
]  # fmt: skip


def runs_of(finals, *, method="scalar", drift="6e-6", alpha="2^-10"):
    """Runs by μ, their scores by seed: 100 lower in the first episode, which no final score counts."""
    return [
        Run(
            RunKey("drifting_mountain_car", method, alpha, mu, drift, seed),
            np.array([final - 100, final - 1, final + 1], np.float64),
            np.ones(3, np.int64),
            {},
        )
        for mu, scores in finals.items()
        for seed, final in enumerate(scores)
    ]


def tables_of(runs):
    return aggregate(runs, window=2, final=2, spread_alpha_max=2**-5)


def best_of(runs):
    return best_mu(tables_of(runs).scores)


def test_the_best_of_three_worked_out():
    made = best_of(runs_of({"2^-6": (1, 3), "2^-8": (5, 7), "2^-10": (0, 8)}))
    assert list(made) == COLUMNS and len(made) == 1
    row = made.iloc[0]
    assert row[["environment", "method", "alpha", "drift"]].tolist() == [
        "drifting_mountain_car",
        "scalar",
        "2^-10",
        "6e-6",
    ]
    assert (row["mu"], row["runs"], row["final"]) == ("2^-8", 2, 6)
    assert (row["final_low"], row["final_high"]) == (5, 7)
    # The seeds differ by 5 − 0 and 7 − 8.
    assert (row["runner_up"], row["runner_up_final"], row["difference"]) == ("2^-10", 4, 2)
    assert (row["difference_low"], row["difference_high"]) == (-1, 5)


def test_noise_that_the_seeds_share_does_not_widen_the_difference():
    noise = np.array([-50.0, 0.0, 20.0, 90.0])
    row = best_of(runs_of({"2^-6": noise, "2^-8": noise + 3})).iloc[0]
    assert (row["mu"], row["difference"]) == ("2^-8", 3)
    assert (row["difference_low"], row["difference_high"]) == (3, 3)
    assert row["final_high"] - row["final_low"] > 50


def test_the_difference_is_that_of_the_same_seeds():
    first, second = np.array([1.0, 5.0, 9.0]), np.array([2.0, 0.0, 4.0])
    row = best_of(runs_of({"2^-6": second, "2^-8": first})[::-1]).iloc[0]
    assert (row["difference_low"], row["difference_high"]) == mean_interval(first - second)
    assert (row["difference_low"], row["difference_high"]) != mean_interval(first - second[::-1])


@pytest.mark.parametrize("turn", [1, -1])
def test_of_equal_means_the_larger_mu_is_the_best(turn):
    runs = runs_of({"2^-10": (2, 2), "2^-9": (0, 0), "2^-8": (3, 1), "2^-6": (1, 3)})[::turn]
    row = best_of(runs).iloc[0]
    assert (row["mu"], row["runner_up"], row["difference"]) == ("2^-6", "2^-8", 0)


def test_of_equal_runners_up_the_larger_mu_is_named():
    row = best_of(runs_of({"2^-10": (2, 2), "2^-8": (2, 2), "2^-7": (9, 9), "2^-6": (0, 0)})).iloc[0]
    assert (row["mu"], row["runner_up"], row["difference"]) == ("2^-7", "2^-8", 7)


def test_a_single_mu_has_no_runner_up():
    row = best_of(runs_of({"0": (4, 6)}, method="none")).iloc[0]
    assert (row["mu"], row["final"], row["final_low"], row["final_high"]) == ("0", 5, 4, 6)
    assert row["runner_up"] == ""
    assert row[["runner_up_final", "difference", "difference_low", "difference_high"]].isna().all()


def test_a_single_seed_has_a_difference_but_no_interval():
    row = best_of(runs_of({"2^-6": (4,), "2^-8": (1,)})).iloc[0]
    assert (row["mu"], row["runs"], row["difference"]) == ("2^-6", 1, 3)
    assert row[["final_low", "final_high", "difference_low", "difference_high"]].isna().all()


def test_every_method_and_drift_has_its_own_best():
    runs = [
        *runs_of({"2^-6": (9, 9), "2^-8": (1, 1)}, method="vector", drift="1e-5"),
        *runs_of({"2^-6": (1, 1), "2^-8": (9, 9)}, method="vector", drift="8e-6"),
        *runs_of({"0": (4, 4)}, method="none", drift="1e-5"),
        *runs_of({"0": (5, 5)}, method="none", drift="8e-6"),
        *runs_of({"2^-6": (2, 2), "2^-8": (3, 3)}, method="scalar", drift="1e-5"),
        *runs_of({"2^-6": (3, 3), "2^-8": (2, 2)}, method="scalar", drift="8e-6"),
    ]
    made = best_of(runs)
    expected = [
        ("none", "8e-6", "0", 5, ""),
        ("none", "1e-5", "0", 4, ""),
        ("scalar", "8e-6", "2^-6", 3, "2^-8"),
        ("scalar", "1e-5", "2^-8", 3, "2^-6"),
        ("vector", "8e-6", "2^-8", 9, "2^-6"),
        ("vector", "1e-5", "2^-6", 9, "2^-8"),
    ]
    shown = made[["method", "drift", "mu", "final", "runner_up"]]
    assert [tuple(row) for row in shown.itertuples(index=False)] == expected
    pd.testing.assert_frame_equal(best_of(runs[::-1]), made)


MUS = [f"2^-{power}" for power in range(6, 13)]


@given(
    st.integers(1, 7).flatmap(lambda mus: st.lists(st.tuples(*[st.integers(-5, 5)] * 3), min_size=mus, max_size=mus))
)
def test_the_best_has_the_highest_score_of_the_settings(scores):
    made = tables_of(runs_of(dict(zip(MUS, scores, strict=False))))
    row, settings = best_mu(made.scores).iloc[0], made.settings.set_index("mu")
    ranked = sorted(settings["final"], reverse=True)
    assert row["final"] == ranked[0] == settings.loc[row["mu"], "final"]
    assert row["mu"] == settings.index[settings["final"].argmax()]  # the first, and so the largest μ
    for bound in ("final_low", "final_high"):
        assert row[bound] == settings.loc[row["mu"], bound]
    if len(ranked) == 1:
        assert row["runner_up"] == ""
    else:
        assert row["runner_up"] != row["mu"] and row["runner_up_final"] == ranked[1]
        assert row["difference"] == pytest.approx(ranked[0] - ranked[1], abs=1e-12)
        assert row["difference_low"] <= row["difference"] + 1e-12
        assert row["difference_high"] >= row["difference"] - 1e-12 >= -1e-11


def test_the_best_of_several_step_sizes_and_meta_step_sizes_worked_out():
    runs = [
        *runs_of({"2^-6": (1, 3), "2^-8": (5, 7)}, alpha="2^-9"),
        *runs_of({"2^-6": (8, 8), "2^-8": (0, 0)}, alpha="2^-10"),
    ]
    made = best_of(runs)
    assert list(made) == COLUMNS and len(made) == 1
    row = made.iloc[0]
    assert (row["alpha"], row["mu"], row["final"]) == ("2^-10", "2^-6", 8)
    assert (row["runner_up"], row["runner_up_final"], row["difference"]) == ("2^-8, α = 2^-9", 6, 2)
