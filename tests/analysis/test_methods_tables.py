import numpy as np
import pandas as pd
import pytest

from metatrace.analysis.aggregate import aggregate
from metatrace.analysis.best import best_over_alpha
from metatrace.analysis.intervals import mean_interval
from metatrace.analysis.methods import gathered
from metatrace.errors import UserError
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run

ALPHA_MAX = 2**-5


def tables_of(method, scores, *, alphas=("2^-3", "2^-6", "2^-9")):
    """The tables of one method: returns by μ, one row per seed and one column per α."""
    runs = [
        Run(
            RunKey("mountain_car", method, alpha, mu, "0", seed),
            np.full(4, value, np.float64),
            np.ones(4, np.int64),
            {},
        )
        for mu, rows in scores.items()
        for seed, row in enumerate(rows)
        for alpha, value in zip(alphas, row, strict=True)
    ]
    return aggregate(runs, window=2, final=2, spread_alpha_max=ALPHA_MAX)


def test_the_best_is_the_best_on_average_over_the_small_alphas():
    # 2^-6 is best at 2^-9, and at 2^-3, which does not count; on average over the others 2^-8 is.
    scores = {"2^-6": [(9, -4, 5), (9, -2, 5)], "2^-8": [(0, 2, 3), (0, 4, 3)]}
    made = best_over_alpha(tables_of("scalar", scores).scores, ALPHA_MAX)
    assert len(made) == 1
    row = made.iloc[0]
    assert row[["environment", "method", "drift", "mu"]].tolist() == ["mountain_car", "scalar", "0", "2^-8"]
    assert (row["alphas"], row["runs"], row["auc"]) == (2, 2, 3)
    # The seeds' means over α are 2.5 and 3.5.
    assert (row["auc_low"], row["auc_high"]) == mean_interval(np.array([2.5, 3.5]))
    assert (row["runner_up"], row["runner_up_auc"]) == ("2^-6", 1)


def test_of_equal_means_the_larger_mu_is_the_best():
    scores = {"2^-8": [(0, 1, 3)], "2^-6": [(0, 3, 1)], "2^-7": [(0, 2, 2)]}
    row = best_over_alpha(tables_of("scalar", scores).scores, ALPHA_MAX).iloc[0]
    assert (row["mu"], row["runner_up"]) == ("2^-6", "2^-7")
    assert np.isnan(row["auc_low"])


def test_the_untuned_have_one_mu_and_no_runner_up():
    row = best_over_alpha(tables_of("none", {"0": [(0, 1, 3), (0, 2, 2)]}).scores, ALPHA_MAX).iloc[0]
    assert (row["mu"], row["auc"], row["runner_up"]) == ("0", 2, "")
    assert np.isnan(row["runner_up_auc"])


def test_grids_of_a_method_count_where_all_its_mu_were_run():
    parts = [
        tables_of("scalar", {"2^-8": [(1, 5, 5)]}),
        tables_of("scalar", {"2^-4": [(2, 3)]}, alphas=("2^-3", "2^-6")),
        tables_of("mixed", {"2^-4": [(7, 8, 9)]}),
    ]
    made = best_over_alpha(gathered([part.scores for part in parts]), ALPHA_MAX)
    assert made[["method", "mu", "alphas", "auc"]].values.tolist() == [
        ["scalar", "2^-8", 1, 5],
        ["mixed", "2^-4", 2, 8.5],
    ]


def test_what_two_grids_share_is_there_once():
    one = tables_of("scalar", {"2^-8": [(1, 2, 3)], "2^-6": [(4, 5, 6)]})
    other = tables_of("scalar", {"2^-6": [(4, 5, 6)], "2^-4": [(7, 8, 9)]})
    for name, rows in (("scores", 9), ("settings", 9), ("spread", 3)):
        made = gathered([getattr(one, name), getattr(other, name)])
        assert len(made) == rows
        pd.testing.assert_frame_equal(gathered([made, getattr(one, name)]), made)


def test_no_alpha_to_choose_by_is_refused():
    with pytest.raises(UserError, match=r"scalar was run at no α up to 0\.03125 with every μ"):
        best_over_alpha(tables_of("scalar", {"2^-8": [(1,)]}, alphas=("2^-3",)).scores, ALPHA_MAX)
