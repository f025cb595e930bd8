import numpy as np
import pandas as pd
import pytest

from metatrace.analysis import beta
from metatrace.analysis.intervals import CURVE_RESAMPLES, mean_interval
from metatrace.analysis.smoothing import drawn_episodes, trailing_mean
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run

GROUPS = ("value/noisy", "policy/noisy")


def made_run(values, *, seed=0, method="vector", mu="2^-10", groups=GROUPS):
    """A run whose groups have the β of `values`, a list for each group; None keeps no β."""
    identity = RunKey("drifting_mountain_car", method, "2^-10", mu, "6e-6", seed)
    episodes = 3 if values is None else len(values[0])
    return Run(
        identity,
        -np.ones(episodes),
        np.ones(episodes, np.int64),
        {} if groups is None else {"beta_groups": list(groups)},
        beta=None if values is None else np.array(values, np.float64).T,
    )


TWO = [made_run([(0, 2, 4), (-1, -1, -1)], seed=0), made_run([(10, 20, 30), (-3, -5, -9)], seed=1)]


def test_curves_are_means_of_trailing_means_of_each_group():
    made = beta.curves(TWO, window=2)
    assert list(made) == [
        "environment", "method", "alpha", "mu", "drift", "group", "episode", "mean", "low", "high", "runs",
    ]  # fmt: skip
    assert made["group"].tolist() == ["value/noisy"] * 3 + ["policy/noisy"] * 3
    assert made["episode"].tolist() == [1, 2, 3] * 2
    # Of (0, 1, 3) and (10, 15, 25), and of (−1, −1, −1) and (−3, −4, −7).
    assert made["mean"].tolist() == [5, 8, 14, -2, -2.5, -4]
    assert made["low"].tolist() == [0, 1, 3, -3, -4, -7]
    assert made["high"].tolist() == [10, 15, 25, -1, -1, -1]
    assert set(made["runs"]) == {2} and set(made["method"]) == {"vector"} and set(made["mu"]) == {"2^-10"}


def test_final_is_the_mean_of_each_runs_last_episodes():
    made = beta.final(TWO, final=2)
    assert list(made) == ["environment", "method", "alpha", "mu", "drift", "seed", "group", "beta"]
    assert list(zip(made["seed"], made["group"], made["beta"], strict=True)) == [
        (0, "value/noisy", 3),
        (0, "policy/noisy", -1),
        (1, "value/noisy", 25),
        (1, "policy/noisy", -7),
    ]
    assert (made["seed"].dtype, made["beta"].dtype) == ("int64", "float64")


def test_a_run_shorter_than_the_final_episodes_counts_whole():
    assert beta.final(TWO, final=100)["beta"].tolist() == [2, -1, 20, pytest.approx(-17 / 3)]


def test_a_single_run_has_no_interval():
    made = beta.curves(TWO[:1], window=1)
    assert made["mean"].tolist() == [0, 2, 4, -1, -1, -1]
    assert made["low"].isna().all() and made["high"].isna().all()


def test_runs_in_any_order_give_the_same_tables():
    rng = np.random.default_rng(2)
    runs = [
        made_run(rng.normal(size=(2, 6)), seed=seed, method=method, mu=mu)
        for method in ("scalar", "vector")
        for mu in ("2^-6", "2^-10")
        for seed in range(3)
    ]
    curves, final = beta.curves(runs, window=2), beta.final(runs, final=2)
    for _ in range(5):
        shuffled = [runs[place] for place in rng.permutation(len(runs))]
        pd.testing.assert_frame_equal(beta.curves(shuffled, window=2), curves)
        pd.testing.assert_frame_equal(beta.final(shuffled, final=2), final)
    rows = curves[["method", "mu", "group"]].drop_duplicates()
    assert [tuple(row) for row in rows.itertuples(index=False)] == [
        (method, mu, group) for method in ("scalar", "vector") for mu in ("2^-6", "2^-10") for group in GROUPS
    ]
    # Each number is that of its own run.
    for run in runs:
        own = final[(final["method"] == run.key.method) & (final["mu"] == run.key.mu) & (final["seed"] == run.key.seed)]
        np.testing.assert_array_equal(own["beta"], run.beta[-2:].mean(axis=0))


def test_methods_may_keep_other_groups():
    runs = [made_run([(1, 2)], method="scalar", groups=["all"]), made_run([(3, 4), (5, 6)], method="vector")]
    made = beta.curves(runs, window=1)
    assert made.loc[made["method"] == "scalar", "group"].tolist() == ["all"] * 2
    assert made.loc[made["group"] == "policy/noisy", "mean"].tolist() == [5, 6]


def test_a_long_curve_is_kept_at_the_drawn_episodes_and_is_the_same_there():
    values = np.random.default_rng(7).normal(size=(3, 2, 2500))
    made = beta.curves([made_run(part, seed=seed) for seed, part in enumerate(values)], window=40)
    kept = drawn_episodes(2500)
    for column, group in enumerate(GROUPS):
        rows = made[made["group"] == group]
        full = trailing_mean(values[:, column], 40)
        low, high = mean_interval(full, resamples=CURVE_RESAMPLES)
        np.testing.assert_array_equal(rows["episode"], kept + 1)
        for name, whole in (("mean", full.mean(axis=0)), ("low", low), ("high", high)):
            np.testing.assert_array_equal(rows[name], whole[kept])
