import dataclasses
import math
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metatrace.analysis import games, tables
from metatrace.analysis.aggregate import settings as settings_table
from metatrace.analysis.intervals import CURVE_RESAMPLES, mean_interval
from metatrace.domains.registry import ENVIRONMENTS
from metatrace.errors import UserError
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run

REFERENCE = Path(__file__).parents[2] / "config" / "reference_scores.csv"
NAMES = ["environment", "method", "alpha", "mu", "drift"]
TEXT = dict.fromkeys(NAMES, "str")
FAILED = {token: environment.failed_return for token, environment in ENVIRONMENTS.items()}


def made_run(
    returns,
    ends,
    *,
    frames=100,
    environment="seaquest",
    method="mixed",
    alpha="2^-6",
    mu="0.001",
    seed=0,
    entropy=None,
    diverged=None,
):
    """A run of a game; `diverged` is the frame at which it did."""
    entropy = np.ones(len(returns)) if entropy is None else entropy
    return Run(
        RunKey(environment, method, alpha, "0" if method == "none" else mu, "0", seed),
        np.array(returns, np.float64),
        np.diff(ends, prepend=0).astype(np.int64),
        {"observed_frames": frames} | ({} if diverged is None else {"diverged_frame": diverged}),
        frames=np.array(ends, np.int64),
        entropy=np.array(entropy, np.float64),
        diverged_episode=None if diverged is None else len(returns),
    )


def plain_run(score, **names):
    """A run with that final score; NaN is a run without a finished episode."""
    return made_run([], [], **names) if math.isnan(score) else made_run([score], [1], **names)


def job(frames, window, final=2):
    """What games' tables are told, as far as these look at it."""
    return SimpleNamespace(length=frames, smoothing=window, final=final, failed_return=FAILED)


def scores_of(runs, *, frames=100, window=2, final=2):
    return games.scores(job(frames, window, final), runs)


def curves_of(runs, *, frames=100, window=2):
    return games.curves(job(frames, window), runs)


def settings_of(runs, **options):
    return settings_table(scores_of(runs, **options))


@st.composite
def played_runs(draw, *, frames=None, seed=0):
    """A run of some frames, in which any number of episodes end, and that may have diverged."""
    frames = draw(st.integers(1, 60)) if frames is None else frames
    ends = sorted(draw(st.sets(st.integers(1, frames), max_size=12)))
    returns = draw(st.lists(st.integers(-50, 50), min_size=len(ends), max_size=len(ends)))
    last = ends[-1] if ends else 0
    diverged = draw(st.none() | st.integers(last, frames - 1)) if last < frames else None
    return made_run(returns, ends, frames=frames, seed=seed, diverged=diverged)


def trailing_by_hand(run, frame, window):
    if run.diverged_episode is not None and frame >= run.meta["diverged_frame"]:
        return 0.0
    finished = [value for value, end in zip(run.returns, run.frames, strict=True) if end <= frame]
    last = finished[-window:]
    return sum(last) / len(last) if last else math.nan


# The grid of frames


@given(st.integers(1, 20_000_000), st.integers(1, 600))
def test_the_grid_is_few_evenly_spaced_frames_and_ends_with_the_last(frames, points):
    grid = games.frame_grid(frames, points)
    assert grid.dtype == "int64" and 1 <= len(grid) <= points
    assert grid[-1] == frames and grid[0] > 0
    (step,) = set(np.diff(grid)) or {frames}
    assert grid[0] <= step, "one more would have fitted before the first"
    # No smaller step would do.
    assert step == 1 or -(-frames // (step - 1)) > points


@given(st.integers(1, 500))
def test_the_grid_of_a_short_run_is_every_frame(frames):
    np.testing.assert_array_equal(games.frame_grid(frames), np.arange(1, frames + 1))


def test_the_grid_of_the_paper_is_500_frames():
    np.testing.assert_array_equal(games.frame_grid(12_500_000), np.arange(1, 501) * 25_000)


# The trailing mean


@given(played_runs(), st.integers(1, 15), st.integers(1, 80))
def test_the_trailing_mean_is_that_of_the_last_episodes_finished_by_then(run, window, points):
    grid = games.frame_grid(run.meta["observed_frames"], points)
    expected = [trailing_by_hand(run, frame, window) for frame in grid]
    np.testing.assert_allclose(games.trailing_returns(run, grid, window, 0.0), expected, rtol=1e-12, atol=1e-12)


def test_an_episode_counts_from_the_very_frame_of_its_end():
    run = made_run([4, 10, 1], [2, 5, 6])
    made = games.trailing_returns(run, np.arange(1, 9), 2, 0.0)
    np.testing.assert_array_equal(made, [np.nan, 4, 4, 4, 7, 5.5, 5.5, 5.5])


def test_a_run_without_an_episode_has_no_value_until_it_diverges():
    grid = np.arange(1, 6)
    assert np.isnan(games.trailing_returns(made_run([], []), grid, 3, 0.0)).all()
    made = games.trailing_returns(made_run([], [], diverged=4), grid, 3, 0.0)
    np.testing.assert_array_equal(made, [np.nan] * 3 + [0, 0])


def test_a_run_that_diverges_as_an_episode_ends_earns_nothing_from_that_frame():
    made = games.trailing_returns(made_run([8, 9], [2, 4], diverged=4), np.arange(1, 6), 1, 0.0)
    np.testing.assert_array_equal(made, [np.nan, 8, 8, 0, 0])


# Curves


def test_curves_are_means_of_trailing_means_where_every_run_has_one():
    runs = [
        made_run([0, 4], [1, 4], frames=5, seed=0),
        made_run([10, 20, 60], [2, 3, 5], frames=5, seed=1),
    ]
    made = curves_of(runs, frames=5, window=2)
    assert list(made) == [*NAMES, "frame", "mean", "low", "high", "runs"]
    assert made["frame"].tolist() == [2, 3, 4, 5]
    assert made["mean"].tolist() == [5, 7.5, 8.5, 21]  # of (0, 0, 2, 2) and (10, 15, 15, 40)
    assert made["low"].tolist() == [0, 0, 2, 2] and made["high"].tolist() == [10, 15, 15, 40]
    assert set(made["runs"]) == {2}
    assert made[NAMES].drop_duplicates().to_numpy().tolist() == [["seaquest", "mixed", "2^-6", "0.001", "0"]]


@given(
    st.integers(1, 60).flatmap(lambda frames: st.tuples(*[played_runs(frames=frames, seed=seed) for seed in range(3)])),
    st.integers(1, 5),
)
def test_a_curve_begins_where_the_slowest_run_has_its_first_value(runs, window):
    frames = runs[0].meta["observed_frames"]
    made = curves_of(runs, frames=frames, window=window)
    firsts = [
        min([*run.frames[:1], *([] if run.diverged_episode is None else [run.meta["diverged_frame"]])] or [999])
        for run in runs
    ]
    kept = [frame for frame in range(1, frames + 1) if frame >= max(firsts)]
    assert made["frame"].tolist() == kept
    values = np.array([[trailing_by_hand(run, frame, window) for frame in kept] for run in runs])
    np.testing.assert_allclose(made["mean"], values.mean(axis=0), rtol=1e-12, atol=1e-12)
    low, high = mean_interval(values, resamples=CURVE_RESAMPLES)
    np.testing.assert_allclose(made[["low", "high"]].to_numpy().T, [low, high], rtol=1e-9, atol=1e-9)


def test_the_band_of_a_curve_has_the_resamples_of_curves():
    values = np.random.default_rng(4).normal(size=(7, 3))
    runs = [made_run(row, [1, 2, 3], frames=3, seed=seed) for seed, row in enumerate(values)]
    made = curves_of(runs, frames=3, window=1)
    low, high = mean_interval(values, resamples=CURVE_RESAMPLES)
    np.testing.assert_array_equal(made[["low", "high"]].to_numpy().T, [low, high])


def test_curves_without_a_row_have_their_columns_and_types():
    slow = [made_run([1], [1], seed=0), made_run([], [], seed=1)]
    none = curves_of(slow, frames=100, window=2)
    some = curves_of([slow[0]], frames=100, window=2)
    assert len(none) == 0 and len(some) == 100
    pd.testing.assert_series_equal(none.dtypes, some.dtypes)
    types = {"frame": "int64", "mean": "float64", "low": "float64", "high": "float64", "runs": "int64"}
    assert some.dtypes.astype(str).to_dict() == TEXT | types


def test_a_setting_without_a_curve_leaves_those_of_others_standing():
    runs = [
        made_run(returns, ends, alpha=alpha, seed=seed)
        for alpha, returns, ends in (("2^-6", [], []), ("2^-7", [3], [99]))
        for seed in range(2)
    ]
    made = curves_of(runs, frames=100, window=2)
    assert made["alpha"].tolist() == ["2^-7"] * 2 and made["frame"].tolist() == [99, 100]


def test_a_long_curve_is_kept_at_the_grid():
    made = curves_of([made_run([3], [1500], frames=12_000)], frames=12_000, window=2)
    assert made["frame"].tolist() == list(range(1512, 12_001, 24))
    assert made["low"].isna().all() and made["high"].isna().all()


# Scores of runs


def test_scores_of_each_run_worked_out():
    runs = [
        made_run([5, 7, 30], [1, 3, 4], frames=4, seed=1, entropy=[1.5, 1, 0.5]),
        made_run([5, 7], [1, 2], frames=4, seed=0, entropy=[1, 0.5], diverged=3),
    ]
    made = scores_of(runs, frames=4)
    assert list(made) == [
        *NAMES, "seed", "frames", "episodes", "final", "final_episodes", "auc", "entropy", "diverged",
        "diverged_frame",
    ]  # fmt: skip
    assert made["seed"].tolist() == [0, 1] and made["frames"].tolist() == [4, 4]
    assert made["episodes"].tolist() == [2, 3]
    assert made["final"].tolist() == [0, 18.5] and made["final_episodes"].tolist() == [0, 2]
    assert made["auc"].tolist() == [11 / 4, 34.5 / 4]  # of (5, 6, 0, 0) and (5, 5, 6, 18.5)
    assert made["entropy"].tolist() == [0.75, 0.75]
    assert made["diverged"].tolist() == [True, False]
    assert made["diverged_frame"][0] == 3 and made["diverged_frame"].isna().tolist() == [False, True]


def test_auc_counts_from_the_first_finished_episode_on():
    (auc,) = scores_of([made_run([6, 10], [91, 96])])["auc"]
    assert auc == (5 * 6 + 5 * 8) / 10


def test_a_short_run_counts_whole():
    row = scores_of([made_run([2, 7], [4, 8], entropy=[1, 0])], final=100).iloc[0]
    assert (row["final"], row["final_episodes"], row["entropy"]) == (4.5, 2, 0.5)


@pytest.mark.filterwarnings("error")
def test_a_run_without_an_episode_has_no_score():
    row = scores_of([made_run([], [])]).iloc[0]
    assert (row["episodes"], row["final_episodes"], row["diverged"]) == (0, 0, False)
    assert row[["final", "auc", "entropy", "diverged_frame"]].isna().all()


@pytest.mark.filterwarnings("error")
def test_a_run_that_diverged_in_its_first_episode_earned_nothing():
    row = scores_of([made_run([], [], diverged=40)]).iloc[0]
    assert (row["episodes"], row["final"], row["final_episodes"], row["auc"]) == (0, 0, 0, 0)
    assert math.isnan(row["entropy"]) and (row["diverged"], row["diverged_frame"]) == (True, 40)


@pytest.mark.parametrize("environment", ["catch", "seaquest"])
def test_a_run_that_diverged_scores_no_better_than_an_episode_without_a_policy(environment):
    """Catch costs 1 for every miss: at 0, a run that diverged would beat every policy that mostly misses."""
    failed, works = FAILED[environment], FAILED[environment] + 0.1
    runs = [
        made_run([works] * 3, [10, 20, 90], environment=environment, method="none", alpha="2^-8"),
        made_run([works] * 2, [10, 20], environment=environment, method="none", alpha="2^-2", diverged=30),
    ]
    assert scores_of(runs).set_index("alpha")["final"].to_dict() == {"2^-8": pytest.approx(works), "2^-2": failed}
    assert games.best_constant(settings_of(runs))["alpha"].tolist() == ["2^-8"]
    curves = curves_of(runs).set_index(["alpha", "frame"])["mean"]
    assert curves["2^-2", 100] == failed and curves["2^-8", 100] == pytest.approx(works)


@given(played_runs(), st.integers(1, 15), st.integers(1, 15))
def test_scores_are_those_by_hand(run, window, final):
    frames = run.meta["observed_frames"]
    row = scores_of([run], frames=frames, window=window, final=final).iloc[0]
    course = [trailing_by_hand(run, frame, window) for frame in range(1, frames + 1)]
    known = [value for value in course if not math.isnan(value)]
    np.testing.assert_allclose(row["auc"], np.mean(known) if known else np.nan, rtol=1e-12, atol=1e-12)
    # The final score over as many episodes as the window is where the curve ends.
    same = scores_of([run], frames=frames, window=window, final=window).iloc[0]
    np.testing.assert_allclose(same["final"], course[-1], rtol=1e-12, atol=1e-12)
    assert row["final_episodes"] == (0 if row["diverged"] else min(final, len(run.returns)))


def test_the_types_of_scores_and_settings_do_not_depend_on_what_is_missing():
    whole, empty = made_run([1], [1], diverged=7), made_run([], [])
    types = {
        "seed": "int64", "frames": "int64", "episodes": "int64", "final": "float64",
        "final_episodes": "int64", "auc": "float64", "entropy": "float64", "diverged": "bool",
        "diverged_frame": "Int64",
    }  # fmt: skip
    for run in (whole, empty):
        assert scores_of([run]).dtypes.astype(str).to_dict() == TEXT | types
    numbers = ["final", "final_low", "final_high", "auc", "auc_low", "auc_high", "entropy"]
    types = {"runs": "int64", **dict.fromkeys(numbers, "float64"), "diverged": "int64"}
    for run in (whole, empty):
        assert settings_of([run]).dtypes.astype(str).to_dict() == TEXT | types


# Settings


def test_settings_are_means_over_seeds_with_intervals():
    finals, entropies = np.array([3.0, 6.0, 30.0]), np.array([1.5, 1.0, 0.5])
    runs = [
        made_run([final], [51 + seed], seed=seed, entropy=[entropy])
        for seed, (final, entropy) in enumerate(zip(finals, entropies, strict=True))
    ]
    row = settings_of(runs).iloc[0]
    assert (row["runs"], row["final"], row["auc"], row["entropy"], row["diverged"]) == (3, 13, 13, 1, 0)
    assert (row["final_low"], row["final_high"]) == mean_interval(finals)
    assert (row["auc_low"], row["auc_high"]) == mean_interval(finals)


def test_a_setting_counts_its_runs_that_diverged_as_zero():
    runs = [made_run([9], [5], seed=0), made_run([9], [5], seed=1, diverged=5)]
    row = settings_of(runs).iloc[0]
    assert (row["final"], row["diverged"]) == (4.5, 1)
    # Of the second run 5 is the first frame with a value, and it is 0 already.
    assert (row["auc"], row["auc_low"], row["auc_high"]) == (4.5, 0, 9)


@pytest.mark.parametrize("seeds", [1, 2])
def test_a_setting_has_no_score_where_one_of_its_runs_has_none(seeds):
    runs = [made_run([], []), made_run([9], [5], seed=1)][:seeds]
    row = settings_of(runs).iloc[0]
    assert row["runs"] == seeds
    for column in ("final", "final_low", "final_high", "auc", "auc_low", "auc_high", "entropy"):
        assert math.isnan(row[column])


def test_a_single_seed_has_a_mean_but_no_interval():
    row = settings_of([made_run([9], [5])]).iloc[0]
    assert (row["final"], row["auc"]) == (9, 9)
    assert row[["final_low", "final_high", "auc_low", "auc_high"]].isna().all()


# All tables


GRID = [
    made_run(
        np.random.default_rng(place).normal(size=5),
        np.arange(1, 6) * (9 + place % 3),
        environment=environment,
        method=method,
        alpha=alpha,
        seed=seed,
        diverged=80 if place % 5 == 0 else None,
    )
    for place, (environment, method, alpha, seed) in enumerate(
        (environment, method, alpha, seed)
        for environment in ("seaquest", "asterix")
        for method in ("none", "mixed")
        for alpha in ("2^-6", "2^-10", "0.001")
        for seed in (0, 3)
    )
]
ORDERED = {
    "curves": curves_of(GRID, frames=100, window=2),
    "scores": scores_of(GRID),
    "settings": settings_of(GRID),
}


@hypothesis.settings(max_examples=15)
@given(st.permutations(GRID))
def test_runs_in_any_order_give_the_same_tables(runs):
    pd.testing.assert_frame_equal(curves_of(runs, frames=100, window=2), ORDERED["curves"], check_exact=True)
    pd.testing.assert_frame_equal(scores_of(runs), ORDERED["scores"], check_exact=True)
    pd.testing.assert_frame_equal(settings_of(runs), ORDERED["settings"], check_exact=True)


def test_settings_go_by_environment_method_and_alpha_by_value():
    expected = [
        (environment, method, alpha)
        for environment in ("asterix", "seaquest")
        for method in ("mixed", "none")
        for alpha in ("2^-6", "0.001", "2^-10")
    ]
    for table in ORDERED.values():
        rows = table[["environment", "method", "alpha"]].drop_duplicates()
        assert [tuple(row) for row in rows.itertuples(index=False)] == expected


def test_every_number_is_that_of_its_own_run():
    for run in GRID:
        names = dataclasses.asdict(run.key)
        rows = ORDERED["scores"]
        row = rows[np.logical_and.reduce([rows[name] == value for name, value in names.items()])]
        assert len(row) == 1
        expected = 0 if run.diverged_episode else run.returns[-2:].mean()
        assert row["final"].item() == expected


def test_tables_come_back_from_files_as_they_were(tmp_path):
    empty = curves_of([made_run([], [])], frames=100, window=2)
    reference = games.beside_reference(ORDERED["settings"], games.read_reference(REFERENCE), frames=100)
    best = games.best_constant(ORDERED["settings"])
    for name, frame in {**ORDERED, "empty": empty, "reference": reference, "best": best}.items():
        tables.write(frame, tmp_path / name)
        pd.testing.assert_frame_equal(tables.read(tmp_path / name), frame)


# The best α


ALPHAS = {"2^-6": 2**-6, "0.01": 0.01, "2^-9": 2**-9, "0.001": 0.001, "2^-10": 2**-10, "4e-6": 4e-6}
SOME_SCORES = st.dictionaries(
    st.sampled_from(sorted(ALPHAS)), st.integers(-2, 2).map(float) | st.just(math.nan), min_size=1
)


def ranked_by_hand(scores):
    return sorted(
        scores,
        key=lambda alpha: (
            math.isnan(scores[alpha]),
            0 if math.isnan(scores[alpha]) else -scores[alpha],
            -ALPHAS[alpha],
        ),
    )


@given(SOME_SCORES, st.data())
def test_the_best_alphas_have_the_highest_scores_and_go_by_value(scores, data):
    count = data.draw(st.integers(1, len(scores)))
    settings = settings_of(
        [plain_run(score, alpha=alpha) for alpha, score in scores.items()]
        # Better than all, but of another game or method.
        + [plain_run(99, alpha="2^-3", method="none"), plain_run(99, alpha="2^-3", environment="asterix")]
    )
    shuffled = settings.loc[data.draw(st.permutations(list(settings.index)))]
    for table in (settings, shuffled):
        made = games.best_alpha(table, environment="seaquest", method="mixed", count=count)
        assert set(made) == set(ranked_by_hand(scores)[:count])
        values = [ALPHAS[alpha] for alpha in made]
        assert values == sorted(values, reverse=True) and len(set(made)) == count


def test_an_alpha_counts_with_its_best_mu_and_once():
    runs = [
        plain_run(score, alpha=alpha, mu=mu)
        for alpha, mu, score in (
            ("2^-6", "0.001", 9),
            ("2^-6", "2^-6", 8),
            ("2^-7", "0.001", 1),
            ("2^-7", "2^-6", 5),
            ("2^-8", "0.001", 4),
            ("2^-8", "2^-6", 4),
        )
    ]
    made = games.best_alpha(settings_of(runs), environment="seaquest", method="mixed", count=2)
    assert made == ["2^-6", "2^-7"]


@given(st.dictionaries(st.sampled_from(["asterix", "catch", "seaquest"]), SOME_SCORES, min_size=1), st.data())
def test_the_best_constant_of_each_game_is_the_untuned_one_with_the_highest_score(scores, data):
    settings = settings_of(
        [
            plain_run(score, alpha=alpha, environment=game, method="none")
            for game, of_game in scores.items()
            for alpha, score in of_game.items()
        ]
        + [plain_run(99, alpha="2^-3", environment=game) for game in scores]
        + [plain_run(99, environment="freeway")]
    )
    made = games.best_constant(settings)
    assert list(made) == ["environment", "alpha", "final", "final_low", "final_high", "runs"]
    assert made["environment"].tolist() == sorted(scores)  # as in `settings`, and without freeway
    for row in made.itertuples():
        alpha = ranked_by_hand(scores[row.environment])[0]
        assert row.alpha == alpha
        np.testing.assert_array_equal(row.final, scores[row.environment][alpha])
    # In another order of the settings the same rows, in the order that they have there.
    shuffled = settings.loc[data.draw(st.permutations(list(settings.index)))]
    chosen = made.set_index(["environment", "alpha"])
    order = [
        names
        for *names, method in shuffled[["environment", "alpha", "method"]].itertuples(index=False)
        if method == "none" and tuple(names) in chosen.index
    ]
    expected = chosen.loc[[tuple(names) for names in order]].reset_index()
    pd.testing.assert_frame_equal(games.best_constant(shuffled), expected[list(made)])


def test_the_best_constant_has_the_interval_of_its_setting():
    runs = [plain_run(score, method="none", seed=seed) for seed, score in enumerate((1, 5, 6))]
    row = games.best_constant(settings_of(runs)).iloc[0]
    assert (row["final"], row["runs"]) == (4, 3)
    assert (row["final_low"], row["final_high"]) == mean_interval(np.array([1.0, 5.0, 6.0]))


def test_without_untuned_runs_there_is_no_best_constant():
    made, other = (games.best_constant(settings_of([plain_run(1, method=m)])) for m in ("mixed", "none"))
    assert len(made) == 0 and len(other) == 1
    pd.testing.assert_series_equal(made.dtypes, other.dtypes)


# Beside the reference


def test_scores_stand_beside_random_play_and_published_agents():
    reference = games.read_reference(REFERENCE)
    runs = [
        plain_run(score + seed, environment=game, method=method, alpha=alpha, seed=seed)
        for game in ("seaquest", "asterix", "catch")
        for score, (method, alpha) in enumerate((("none", "2^-7"), ("mixed", "2^-8"), ("none", "2^-6")))
        for seed in (0, 2)
    ]
    settings = settings_of(runs)
    settings = pd.concat([settings[settings["environment"] == game] for game in ("seaquest", "catch", "asterix")])
    made = games.beside_reference(settings, reference, frames=100)
    assert list(made) == [
        "game", "agent", "frames", "score", "low", "high", "runs", "protocol", "source", "comparable",
    ]  # fmt: skip
    ours = ["mixed, α = 2^-8", "none, α = 2^-6", "none, α = 2^-7"]
    known = ["DQN", "Rainbow", "PPO"]
    assert list(zip(made["game"], made["agent"], strict=True)) == [
        *[("seaquest", agent) for agent in ["random", *ours, *known]],
        *[("catch", agent) for agent in ours],
        *[("asterix", agent) for agent in ["random", *ours, *known]],
    ]
    assert made["frames"].tolist()[:7] == [0, 100, 100, 100, 50_000_000, 50_000_000, 10_000_000]
    assert made["score"].tolist()[:7] == [96, 2, 3, 1, 1487, 3713, 1775]
    own = made[made["source"] == "this reproduction"]
    assert own["agent"].tolist() == ours * 3
    assert set(own["runs"]) == {2} and set(own["protocol"]) == {""} and set(own["comparable"]) == {"yes"}
    np.testing.assert_array_equal(own["low"], [1, 2, 0] * 3)
    np.testing.assert_array_equal(own["high"], [3, 4, 2] * 3)
    others = made[made["source"] != "this reproduction"]
    assert others[["low", "high", "runs"]].isna().all(axis=None)
    assert others["comparable"].tolist()[-3:] == ["same protocol, replay agent"] * 2 + ["no: parallel actors"]
    assert (made["runs"].dtype, made["frames"].dtype) == ("Int64", "int64")


def test_random_play_goes_first_wherever_it_is_in_the_file():
    reference = games.read_reference(REFERENCE)[::-1]
    made = games.beside_reference(settings_of([plain_run(1)]), reference, frames=100)
    assert made["agent"].tolist() == ["random", "mixed, α = 2^-6", "PPO", "Rainbow", "DQN"]


def test_a_setting_without_a_score_keeps_its_row():
    made = games.beside_reference(
        settings_of([plain_run(math.nan, environment="catch")]), games.read_reference(REFERENCE), frames=100
    )
    assert made["agent"].tolist() == ["mixed, α = 2^-6"] and made["score"].isna().all()


# The file of reference scores


HEADER = "game,agent,frames,value,protocol,source,comparable\n"
ROW = "seaquest,DQN,50,1.5,whole games,there,yes\n"


def test_the_reference_scores_of_the_repository_are_read():
    made = games.read_reference(REFERENCE)
    assert made.dtypes.astype(str).to_dict() == {
        "game": "str", "agent": "str", "frames": "int64", "value": "float64", "protocol": "str",
        "source": "str", "comparable": "str",
    }  # fmt: skip
    raw = pd.read_csv(REFERENCE)
    pd.testing.assert_frame_equal(made, raw)
    assert len(made) == 40


def test_other_columns_and_another_order_of_them_do_no_harm(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("note,comparable,source,protocol,value,frames,agent,game\n,no,there,,2,0,A3C,pong\n")
    made = games.read_reference(path)
    assert made.to_dict("records") == [
        {
            "game": "pong", "agent": "A3C", "frames": 0, "value": 2.0, "protocol": "", "source": "there",
            "comparable": "no",
        }
    ]  # fmt: skip
    path.write_text(HEADER)
    empty = games.read_reference(path)
    assert len(empty) == 0
    pd.testing.assert_series_equal(empty.dtypes, made.dtypes)


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "lacks the columns game, agent, frames, value, protocol, source, comparable"),
        (HEADER.replace(",value", ""), "lacks the column value"),
        (HEADER + ROW + ROW.replace("1.5", "many"), "row 2: value is 'many'; it must be a number"),
        (HEADER + ROW.replace("1.5", "nan"), "row 1: value is 'nan'; it must be a number"),
        (HEADER + ROW.replace("1.5", ""), "row 1: value is ''; it must be a number"),
        (HEADER + ROW.replace("50", "5e7"), "row 1: frames is '5e7'; it must be a whole number"),
        (HEADER + ROW.replace("50", "-1"), "row 1: frames is '-1'; it must be a whole number"),
        (HEADER + ROW.replace("50", "9" * 20), "row 1: frames is '99999999999999999999'; it must be a whole"),
        (HEADER + ROW + ROW.replace("there", " "), "row 2: source is empty; every score needs one"),
        (HEADER + ROW.replace("DQN", ""), "row 1: agent is empty"),
        (HEADER + ROW.replace("seaquest", ""), "row 1: game is empty"),
        (HEADER + ROW.replace(",yes", ""), "row 1: has not as many fields as the header, which has 7"),
        (HEADER + ROW.replace("yes", "yes,no"), "row 1: has not as many fields as the header, which has 7"),
        (HEADER + 'seaquest,"DQN', "is no CSV ("),
    ],
)
def test_a_wrong_file_of_reference_scores_is_refused_in_one_line(tmp_path, text, words):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(UserError) as raised:
        games.read_reference(path)
    assert str(raised.value).startswith(f"{path}: {words}") and len(str(raised.value).splitlines()) == 1


def test_a_file_that_cannot_be_read_is_refused_in_one_line(tmp_path):
    (tmp_path / "latin").write_bytes(HEADER.encode() + "µ".encode("latin-1"))
    for path, words in (
        (tmp_path / "nowhere.csv", "there is no such file"),
        (tmp_path, "cannot be read (Is a directory)"),
        (tmp_path / "latin", "is no text in UTF-8"),
    ):
        with pytest.raises(UserError) as raised:
            games.read_reference(path)
        assert str(raised.value).startswith(f"{path}: {words}") and len(str(raised.value).splitlines()) == 1
