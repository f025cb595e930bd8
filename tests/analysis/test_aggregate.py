import numpy as np
import pandas as pd
import pytest

from metatrace.analysis.aggregate import aggregate, alpha_spread, curve_table
from metatrace.analysis.intervals import CURVE_RESAMPLES, mean_interval
from metatrace.analysis.smoothing import drawn_episodes, trailing_mean
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run

NAMES = ("curves", "scores", "settings", "spread")


def made_run(returns, *, alpha="2^-5", mu="2^-6", seed=0, method="scalar", drift="0", diverged=None):
    returns = np.asarray(returns, np.float64)
    identity = RunKey("mountain_car", method, alpha, mu, drift, seed)
    return Run(identity, returns, np.ones(len(returns), np.int64), {}, diverged_episode=diverged)


def tables(runs, **options):
    return aggregate(runs, **{"window": 2, "final": 2, "spread_alpha_max": 2**-5} | options)


def grid(seeds=(0, 1, 2), alphas=("2^-4", "2^-5", "2^-9", "2^-10"), mus=("2^-6", "2^-10")):
    rng = np.random.default_rng(5)
    return [made_run(rng.normal(size=5), alpha=a, mu=m, seed=s) for s in seeds for a in alphas for m in mus]


def test_curves_are_means_of_trailing_means():
    made = tables([made_run([0, 2, 4], seed=0), made_run([10, 20, 30], seed=1)]).curves
    assert list(made) == [
        "environment", "method", "alpha", "mu", "drift", "episode", "mean", "low", "high", "runs",
    ]  # fmt: skip
    assert made["episode"].tolist() == [1, 2, 3]
    assert made["mean"].tolist() == [5, 8, 14]  # of (0, 1, 3) and (10, 15, 25)
    assert made["low"].tolist() == [0, 1, 3] and made["high"].tolist() == [10, 15, 25]
    assert made["runs"].tolist() == [2, 2, 2]
    assert (made["episode"].dtype, made["runs"].dtype, made["mean"].dtype) == ("int32", "int32", "float64")


@pytest.mark.parametrize("episodes", [1000, 1001, 2500])
def test_a_long_curve_is_kept_at_the_drawn_episodes_and_is_the_same_there(episodes):
    returns = np.random.default_rng(7).normal(size=(4, episodes))
    made = tables([made_run(row, seed=seed) for seed, row in enumerate(returns)], window=40).curves
    kept = drawn_episodes(episodes)
    np.testing.assert_array_equal(made["episode"], kept + 1)
    full = trailing_mean(returns, 40)
    low, high = mean_interval(full, resamples=CURVE_RESAMPLES)
    for column, values in (("mean", full.mean(axis=0)), ("low", low), ("high", high)):
        np.testing.assert_array_equal(made[column], values[kept])
    assert made["episode"].iloc[-1] == episodes and len(made) <= 1000


def test_scores_of_a_long_run_count_every_episode():
    returns = np.random.default_rng(7).normal(size=2500)
    row = tables([made_run(returns)], final=100).scores.iloc[0]
    assert (row["episodes"], row["auc"], row["final"]) == (2500, returns.mean(), returns[-100:].mean())


def test_a_curve_table_has_the_names_of_each_curve_at_every_one_of_its_rows():
    short, long = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0, 7.0]])
    made = curve_table([({"who": "a", "mu": "2^-6"}, short), ({"who": "b", "mu": "0"}, long)])
    assert list(made) == ["who", "mu", "episode", "mean", "low", "high", "runs"]
    assert made["who"].tolist() == ["a"] * 2 + ["b"] * 3
    assert made["mu"].tolist() == ["2^-6"] * 2 + ["0"] * 3
    assert made["episode"].tolist() == [1, 2, 1, 2, 3]
    assert made["mean"].tolist() == [2, 3, 5, 6, 7] and made["runs"].tolist() == [2, 2, 1, 1, 1]
    assert made["low"].tolist()[:2] == [1, 2] and made["high"].tolist()[:2] == [3, 4]
    assert made["low"].isna().tolist() == [False] * 2 + [True] * 3


def test_scores_of_each_run():
    runs = [made_run([0, 2, 4], seed=1, diverged=2), made_run([9, 9, 0], seed=0)]
    made = tables(runs).scores
    assert made["seed"].tolist() == [0, 1]
    assert made["final"].tolist() == [4.5, 3] and made["auc"].tolist() == [6, 2]
    assert made["final_episodes"].tolist() == [2, 2] and made["episodes"].tolist() == [3, 3]
    assert made["diverged"].tolist() == [False, True]
    assert made["diverged_episode"].isna().tolist() == [True, False] and made["diverged_episode"][1] == 2
    assert made["diverged_episode"].dtype == "Int64" and made["diverged"].dtype == bool


def test_short_runs_say_how_many_episodes_made_their_final_score():
    made = tables([made_run([0, 2, 4])], final=100).scores
    assert made["final"].tolist() == [2] and made["final_episodes"].tolist() == [3]


def test_settings_are_means_over_seeds_with_intervals_of_the_scores():
    runs = [made_run([x, x + 1, x + 5], seed=s, diverged=0 if s else None) for s, x in enumerate((0, 3, 9))]
    made = tables(runs).settings
    final, auc = np.array([3.0, 6.0, 12.0]), np.array([2.0, 5.0, 11.0])
    row = made.iloc[0]
    assert (row["runs"], row["diverged"], row["final"], row["auc"]) == (3, 2, 7, 6)
    assert (row["final_low"], row["final_high"]) == mean_interval(final)
    assert (row["auc_low"], row["auc_high"]) == mean_interval(auc)


def test_spread_is_the_population_deviation_over_small_enough_alphas():
    # Mean AUC 0, 4 and 100; the last is of an α above the limit and does not count.
    runs = [
        made_run([value + offset] * 3, alpha=alpha, seed=seed)
        for alpha, value in (("2^-6", 0), ("2^-5", 4), ("2^-4", 100))
        for seed, offset in enumerate((-1, 1))
    ]
    row = tables(runs).spread.iloc[0]
    assert (row["alphas"], row["spread"]) == (2, 2)
    # Noise that all α share at a seed moves no α against another: the pairs have no spread of it.
    assert (row["spread_low"], row["spread_high"]) == pytest.approx((2, 2))


def test_spread_interval_is_wide_where_seeds_disagree_about_alpha():
    spread, low, high = alpha_spread(np.array([[0.0, 4.0], [0.0, 8.0], [0.0, 0.0]]))
    assert spread == 2 and (low, high) == (0, 4)


def test_spread_of_one_alpha_or_seed_is_unknown():
    assert np.isnan(alpha_spread(np.ones((3, 1)))).all()
    spread, low, high = alpha_spread(np.array([[1.0, 3.0]]))
    assert spread == 1 and np.isnan([low, high]).all()
    assert tables(grid(alphas=("2^-3", "2^-4"))).spread["alphas"].tolist() == [0, 0]


def test_single_seed_has_no_interval_anywhere():
    made = tables(grid(seeds=(4,)))
    for frame, column in ((made.curves, "low"), (made.settings, "auc_high"), (made.spread, "spread_low")):
        assert frame[column].isna().all()
    assert made.curves["mean"].notna().all()


def test_rows_go_by_value_and_not_by_spelling():
    runs = grid() + [
        made_run(np.zeros(5), method="none", mu="0", drift=drift, alpha="0.001", seed=seed)
        for seed in range(3)
        for drift in ("1e-5", "8e-6", "0")
    ]
    made = tables(runs[::-1])
    assert made.settings["drift"].tolist()[:4] == ["0", "8e-6", "1e-5", "0"]
    tuned = made.settings[made.settings["method"] == "scalar"]
    assert tuned["mu"].tolist() == ["2^-6"] * 4 + ["2^-10"] * 4
    assert tuned["alpha"].tolist() == ["2^-4", "2^-5", "2^-9", "2^-10"] * 2
    for name in NAMES:
        pd.testing.assert_frame_equal(getattr(made, name), getattr(tables(runs), name))
