import numpy as np
import pytest

from metatrace.analysis.aggregate import aggregate
from metatrace.analysis.intervals import mean_interval
from metatrace.analysis.paired import differences, overview
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run

SCORE_COLUMNS = [
    "difference",
    "low",
    "high",
    "significant",
    "first_deviation",
    "second_deviation",
    "multiple",
]
COLUMNS = [
    "environment", "first", "second", "drift", "alpha", "mu", "runs",
    *(f"{score}_{column}" for score in ("auc", "final") for column in SCORE_COLUMNS),
]  # fmt: skip


def runs_of(method, scores, *, mu="2^-8", alpha="2^-6", environment="mountain_car"):
    """Runs of one setting, their final scores by seed: 100 lower in the first of the three episodes."""
    return [
        Run(
            RunKey(environment, method, alpha, mu, "0", seed),
            np.array([score - 100, score - 1, score + 1], np.float64),
            np.ones(3, np.int64),
            {},
        )
        for seed, score in enumerate(scores)
    ]


def scores_of(runs):
    return aggregate(runs, window=2, final=2, spread_alpha_max=2**-5).scores


def test_a_difference_worked_out():
    scores = scores_of([*runs_of("sid", (1, 3, 8)), *runs_of("scalar", (0, 4, 2))])
    made = differences(scores, "sid", "scalar")
    assert list(made) == COLUMNS and len(made) == 1
    row = made.iloc[0]
    assert row[["environment", "first", "second", "drift", "alpha", "mu"]].tolist() == [
        "mountain_car", "sid", "scalar", "0", "2^-6", "2^-8",
    ]  # fmt: skip
    assert row["runs"] == 3
    # The seeds differ by 1 − 0, 3 − 4 and 8 − 2; the sample variances are 13 and 4.
    assert row["final_difference"] == 2
    assert (row["final_low"], row["final_high"]) == mean_interval(np.array([1.0, -1.0, 6.0]))
    assert not row["final_significant"]
    assert row["final_first_deviation"] == pytest.approx(13**0.5)
    assert row["final_second_deviation"] == pytest.approx(2)
    assert row["final_multiple"] == pytest.approx(2 / 8.5**0.5)
    # All episodes of a run move together.
    assert row["auc_difference"] == pytest.approx(2) and row["auc_multiple"] == pytest.approx(2 / 8.5**0.5)


def test_noise_that_the_seeds_share_hides_no_difference():
    noise = np.array([-50.0, 0.0, 20.0, 90.0])
    scores = scores_of([*runs_of("sid", noise - 3), *runs_of("scalar", noise)])
    row = differences(scores, "sid", "scalar").iloc[0]
    assert row["final_difference"] == row["final_low"] == row["final_high"] == -3
    assert row["final_significant"] and abs(row["final_multiple"]) < 0.1


def test_exchanging_the_methods_turns_every_sign():
    scores = scores_of([*runs_of("sid", (1, 3, 8)), *runs_of("scalar", (0, 4, 2))])
    one, other = differences(scores, "sid", "scalar"), differences(scores, "scalar", "sid")
    for score in ("auc", "final"):
        assert one[f"{score}_difference"].item() == -other[f"{score}_difference"].item()
        assert one[f"{score}_low"].item() == pytest.approx(-other[f"{score}_high"].item())
        assert one[f"{score}_first_deviation"].item() == other[f"{score}_second_deviation"].item()


def test_settings_keep_the_order_of_the_scores_and_are_apart():
    runs = [
        run
        for method, gain in (("sid", 1), ("scalar", 0))
        for mu, alpha, score in (("2^-10", "2^-6", 5), ("2^-9", "2^-6", 7), ("2^-9", "2^-11", 9))
        for run in runs_of(method, (score * gain, score * gain), mu=mu, alpha=alpha)
    ]
    made = differences(scores_of(runs).sample(frac=1, random_state=1).sort_values("mu"), "sid", "scalar")
    assert made.set_index(["mu", "alpha"])["final_difference"].to_dict() == {
        ("2^-9", "2^-6"): 7,
        ("2^-9", "2^-11"): 9,
        ("2^-10", "2^-6"): 5,
    }
    ordered = differences(scores_of(runs), "sid", "scalar")
    assert ordered[["mu", "alpha"]].values.tolist() == [
        ["2^-9", "2^-6"],
        ["2^-9", "2^-11"],
        ["2^-10", "2^-6"],
    ]


def test_a_single_seed_has_a_difference_and_is_never_significant():
    row = differences(scores_of([*runs_of("sid", (9,)), *runs_of("scalar", (1,))]), "sid", "scalar").iloc[0]
    assert (row["runs"], row["final_difference"]) == (1, 8)
    assert not row["final_significant"]
    assert row[["final_low", "final_high", "final_first_deviation", "final_multiple"]].isna().all()


def test_runs_that_never_vary_have_no_multiple():
    row = differences(
        scores_of([*runs_of("sid", (-200, -200)), *runs_of("scalar", (-200, -200))]), "sid", "scalar"
    ).iloc[0]
    assert row["final_difference"] == 0 and not row["final_significant"]
    assert np.isnan(row["final_multiple"])


def test_the_overview_counts_and_names_the_largest():
    runs = []
    for mu, ahead in (("2^-6", (1, 1)), ("2^-7", (-4, -4)), ("2^-8", (-3, 3)), ("2^-9", (2, 2))):
        runs += runs_of("sid", np.add((10, 20), ahead), mu=mu) + runs_of("scalar", (10, 20), mu=mu)
    short = overview(differences(scores_of(runs), "sid", "scalar")).set_index("score")
    assert list(short.index) == ["auc", "final"]
    row = short.loc["final"]
    assert (row["first"], row["second"], row["settings"]) == ("sid", "scalar", 4)
    assert (row["significant"], row["first_better"], row["second_better"]) == (3, 2, 1)
    assert (row["share_significant"], row["median_difference"], row["median_abs_difference"]) == (
        0.75,
        0.5,
        1.5,
    )
    assert (row["largest_difference"], row["largest_alpha"], row["largest_mu"]) == (-4, "2^-6", "2^-7")
