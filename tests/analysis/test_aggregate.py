import numpy as np
import pandas as pd
import pytest

from metatrace.analysis.aggregate import aggregate, alpha_spread, write_tables
from metatrace.analysis.intervals import mean_interval
from metatrace.errors import UserError
from metatrace.results import Run, RunTuple

NAMES = ("curves", "scores", "settings", "spread")


def made_run(returns, *, alpha="2^-5", mu="2^-6", seed=0, method="scalar", drift="0", diverged=None):
    returns = np.asarray(returns, np.float64)
    identity = RunTuple("mountain_car", method, alpha, mu, drift, seed)
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


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([], "no runs to aggregate"),
        ([made_run([1, 2], seed=0), made_run([1], seed=1)], "alpha 2.-5 mu 2.-6 .* 1, 2 episodes"),
        ([made_run([1, 2]), made_run([3, 4])], "alpha 2.-5 mu 2.-6 .* seed 0 is given more than once"),
        (
            [made_run([1]), made_run([1], alpha="2^-6", seed=1)],
            "alpha 2.-6 .*has seed 1, but .*2.-5 .*seed 0",
        ),
    ],
)
def test_runs_that_do_not_match_are_refused(runs, message):
    with pytest.raises(UserError, match=message) as caught:
        tables(runs)
    assert "\n" not in str(caught.value)


def test_tables_are_written_with_the_same_bytes_and_read_back(tmp_path):
    first, again = ({name: tmp_path / f"{part}-{name}.parquet" for name in NAMES} for part in "ab")
    runs = grid()
    write_tables(tables(runs), first)
    write_tables(tables(runs[::-1]), again)
    made = tables(runs)
    for name in NAMES:
        assert first[name].read_bytes() == again[name].read_bytes()
        pd.testing.assert_frame_equal(pd.read_parquet(first[name]), getattr(made, name))
    assert len(list(tmp_path.iterdir())) == 2 * len(NAMES)  # no temporary file is left


def test_writes_only_the_tables_that_are_asked_for(tmp_path):
    write_tables(tables(grid()), {"spread": tmp_path / "s.parquet"})
    assert [path.name for path in tmp_path.iterdir()] == ["s.parquet"]
    with pytest.raises(ValueError, match="no such table: curve"):
        write_tables(tables(grid()), {"curve": tmp_path / "c.parquet"})
