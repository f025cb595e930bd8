import numpy as np
import pandas as pd
import pytest

from metatrace.analysis.aggregate_scores import aggregate_scores
from metatrace.analysis.robust import (
    interquartile_mean,
    probability_of_improvement,
    stratified_interval,
)


def test_the_interquartile_mean_worked_out():
    # Of eight the two lowest and the two highest are cut: (3 + 4 + 5 + 6) / 4.
    assert interquartile_mean(np.array([[1, 8, 3, 1000], [-50, 4, 5, 6]])) == 4.5
    # Of seven one at each end: (2 + 3 + 4 + 5 + 6) / 5.
    assert interquartile_mean(np.arange(1, 8)[:, None]) == 4
    assert interquartile_mean(np.array([[2.0, 4.0, 9.0]])) == 5


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (5, 5), (2, 7), (10, 3)])
def test_the_interquartile_mean_leaves_out_a_quarter_at_each_end(shape):
    scores = np.random.default_rng(3).normal(size=shape)
    left = sorted(scores.ravel().tolist())
    for _ in range(scores.size // 4):
        left.remove(min(left))
        left.remove(max(left))
    assert interquartile_mean(scores) == pytest.approx(sum(left) / len(left), rel=1e-12)


def test_the_probability_of_improvement_worked_out():
    # Of the six pairs of the first task 3 > 2, 3 > 1, 5 > 2, 5 > 4, 5 > 1 are won, one is lost: 5/6.
    first, second = np.array([[3.0], [5.0]]), np.array([[2.0], [4.0], [1.0]])
    assert probability_of_improvement(first, second) == pytest.approx(5 / 6)
    assert probability_of_improvement(second, first) == pytest.approx(1 / 6)
    # On a second task one pair of six is won, two are ties: 1/6 + 2/12 = 1/3; the mean with 5/6 is 7/12.
    both = np.array([[3.0, 7.0], [5.0, 0.0]]), np.array([[2.0, 7.0], [4.0, 0.5], [1.0, 7.0]])
    assert probability_of_improvement(*both) == pytest.approx(7 / 12)


def test_equal_scores_are_no_improvement():
    assert probability_of_improvement(np.full((3, 2), 4.0), np.full((5, 2), 4.0)) == 0.5


def test_a_missing_score_is_not_hidden():
    scores = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0], [7.0, 8.0]])
    assert np.isnan(interquartile_mean(scores))
    assert np.isnan(probability_of_improvement(scores, scores[:1]))
    assert np.isnan(probability_of_improvement(scores[:1], scores))


def test_the_bootstrap_keeps_tasks_apart():
    # Each task's runs agree, so no resample differs, however far the tasks lie apart.
    scores = np.tile([1.0, 100.0, 10000.0], (4, 1))
    assert stratified_interval(interquartile_mean, scores) == (interquartile_mean(scores),) * 2
    # If runs were mixed over tasks, the mean over two of them would vary.
    halves = np.tile([0.0, 1.0], (5, 1))
    assert stratified_interval(np.mean, halves) == (0.5, 0.5)


def test_the_bootstrap_interval_is_about_that_of_the_mean_and_is_seeded():
    scores = np.random.default_rng(0).normal(size=(40, 2))
    low, high = stratified_interval(np.mean, scores)
    error = scores.std(axis=0).mean() / np.sqrt(scores.size)
    assert (high - low) / (2 * 1.96 * error) == pytest.approx(1, abs=0.1)
    assert stratified_interval(np.mean, scores) == (low, high)
    assert low < scores.mean() < high


def test_the_interval_of_single_runs_is_unknown():
    assert np.isnan(stratified_interval(interquartile_mean, np.array([[1.0, 5.0]]))).all()


REFERENCE = pd.DataFrame(
    [
        ("a", "random", 10.0),
        ("a", "DQN", 110.0),
        ("b", "random", 0.0),
        ("b", "DQN", 20.0),
        ("b", "Rainbow", 90.0),
        ("c", "random", 1.0),
    ],
    columns=["game", "agent", "value"],
)


def games_scores(finals):
    """Scores by method, α and game: the finals of its seeds."""
    return pd.DataFrame(
        [
            {
                "environment": game,
                "method": method,
                "alpha": alpha,
                "mu": "0" if method == "none" else "0.001",
            }
            | {"seed": seed, "final": float(final)}
            for (method, alpha, game), scores in finals.items()
            for seed, final in enumerate(scores)
        ]
    )


def test_games_are_aggregated_on_their_own_scales():
    scores = games_scores(
        {
            ("none", "2^-8", "a"): (10, 60),
            ("none", "2^-8", "b"): (5, 10),
            ("none", "2^-8", "c"): (1e9, 1e9),
            ("mixed", "2^-8", "a"): (60, 110),
            ("mixed", "2^-8", "b"): (10, 0),
            ("mixed", "2^-8", "c"): (0, 0),
            ("mixed", "2^-9", "a"): (110, 110),
            ("mixed", "2^-9", "b"): (20, 20),
        }
    )
    made = aggregate_scores(scores, REFERENCE)
    assert made[["method", "alpha", "mu"]].values.tolist() == [
        ["none", "2^-8", "0"],
        ["mixed", "2^-8", "0.001"],
        ["mixed", "2^-9", "0.001"],
    ]
    assert (made["games"] == "a, b").all() and (made["runs"] == 2).all()
    # Normalized 0, 0.5, 0.25, 0.5: the middle two are 0.25 and 0.5. Then 0.5, 1, 0.5, 0; and all 1.
    assert made["iqm"].tolist() == [0.375, 0.5, 1]
    assert (made["iqm_low"] <= made["iqm"]).all() and (made["iqm"] <= made["iqm_high"]).all()
    # Of game a three pairs are won and one is a tie, 7/8; of game b one is won and one is a tie, 3/8.
    assert made.loc[1, "improvement"] == pytest.approx(5 / 8)
    assert made.loc[[0, 2], "improvement"].isna().all()
    pd.testing.assert_frame_equal(aggregate_scores(scores, REFERENCE), made)


def test_a_run_without_a_finished_episode_leaves_its_setting_without_a_score():
    made = aggregate_scores(
        games_scores({("none", "2^-8", "a"): (10, np.nan), ("mixed", "2^-8", "a"): (10, 20)}), REFERENCE
    )
    assert np.isnan(made.loc[0, "iqm"]) and made.loc[1, "iqm"] == pytest.approx(0.05)
    assert np.isnan(made.loc[1, "improvement"])


def test_without_a_game_that_has_a_scale_there_are_no_rows():
    made = aggregate_scores(games_scores({("none", "2^-8", "c"): (1, 2)}), REFERENCE)
    assert made.empty and "iqm" in made
