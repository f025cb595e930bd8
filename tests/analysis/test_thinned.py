"""Thinned curves and runs: what is kept is what was there."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metatrace.analysis import aggregate, games, losses, points, thinned
from metatrace.analysis.smoothing import trailing_mean
from metatrace.runs.key import RunKey
from metatrace.runs.results import LossRun, Run

EPISODES, WINDOW = 700, 20


def job(frames):
    """What games' tables are told, as far as their curves look at it."""
    return SimpleNamespace(length=frames, smoothing=4, failed_return={"catch": -1.0})


def car(alpha, seed, episodes=EPISODES):
    generator = np.random.default_rng([seed, len(alpha)])
    returns = np.round(generator.uniform(-200, -90, episodes))
    return Run(RunKey("mountain_car", "scalar", alpha, "2^-8", "0", seed), returns, returns.astype(int), {})


def thin(runs):
    curves = aggregate.aggregate(runs, window=WINDOW, spread_alpha_max=1.0).curves
    kept = points.kept(EPISODES, thinned.MOST_RUN_POINTS)
    made = thinned.thin_figure(curves, runs, grid=kept + 1, course=lambda run: trailing_mean(run.returns, WINDOW)[kept])
    return curves, json.loads(json.dumps(made, allow_nan=False))


def values_of(steps, decimals):
    """What differences were made of, as far as they were kept."""
    known = np.array([step is not None for step in steps], bool)
    values = np.full(len(steps), np.nan)
    values[known] = np.cumsum([step for step in steps if step is not None]) / 10**decimals
    return values


def grid_of(made, number):
    return np.cumsum(made["grids"][number])


@given(
    st.lists(st.one_of(st.just(np.nan), st.floats(-1e5, 1e5)), max_size=50),
    st.integers(0, 4),
)
def test_no_error_adds_up_in_differences(values, decimals):
    again = values_of(thinned.differences(np.array(values), decimals), decimals)
    np.testing.assert_allclose(again, values, rtol=1e-12, atol=0.5001 * 10.0**-decimals)


def test_a_curve_is_the_tables_at_the_points_that_are_kept():
    runs = [car(alpha, seed) for alpha in ("2^-5", "2^-9") for seed in range(4)]
    curves, made = thin(runs)
    assert made["axis"] == "episode"
    assert made["settings"] == [
        ["mountain_car", "scalar", "2^-5", "2^-8", "0"],
        ["mountain_car", "scalar", "2^-9", "2^-8", "0"],
    ]
    decimals = made["decimals"]["mountain_car"]
    for setting, (number, *columns) in zip(made["settings"], made["curves"], strict=True):
        episodes = grid_of(made, number)
        assert len(episodes) == thinned.MOST_POINTS
        assert (episodes[0], episodes[-1]) == (1, EPISODES)
        rows = curves[curves["alpha"] == setting[2]].set_index("episode").loc[episodes]
        for name, steps in zip(("mean", "low", "high"), columns, strict=True):
            found = values_of(steps, decimals)
            np.testing.assert_allclose(found, rows[name], rtol=0, atol=0.5001 * 10.0**-decimals)


def test_a_run_is_its_trailing_mean_at_the_points_that_are_kept():
    runs = [car("2^-5", seed) for seed in (3, 1)]
    _, made = thin(runs)
    assert made["seeds"] == [1, 3]
    ((number, lines),) = made["runs"]
    episodes = grid_of(made, number)
    assert len(episodes) == thinned.MOST_RUN_POINTS
    assert (episodes[0], episodes[-1]) == (1, EPISODES)
    for steps, seed in zip(lines, made["seeds"], strict=True):
        expected = trailing_mean(car("2^-5", seed).returns, WINDOW)[episodes - 1]
        found = values_of(steps, made["decimals"]["mountain_car"])
        np.testing.assert_allclose(found, expected, rtol=0, atol=0.0051)


def test_a_grid_that_many_share_is_there_once():
    _, made = thin([car(alpha, seed) for alpha in ("2^-5", "2^-9") for seed in range(2)])
    assert len(made["grids"]) == 2


def test_a_single_run_has_no_interval():
    _, made = thin([car("2^-5", 0)])
    ((_, _, low, high),) = made["curves"]
    assert set(low) == set(high) == {None}


def test_decimals_suit_the_size_of_the_returns():
    for scale, decimals in ((1.0, 4), (100.0, 2), (1e6, 0), (0.0, 2)):
        values = np.array([0.0, scale, np.nan])
        assert thinned._decimals([values]) == decimals


def test_runs_of_games_begin_where_their_first_episode_ends():
    ends = np.array([400, 700, 1000])
    run = Run(
        RunKey("catch", "none", "2^-6", "0", "0", 0),
        np.array([1.0, -1.0, 1.0]),
        np.diff(ends, prepend=0),
        {"observed_frames": 1000},
        frames=ends,
    )
    curves = games.curves(job(1000), [run])
    grid = games.frame_grid(1000)[points.kept(500, 60)]
    made = thinned.thin_figure(curves, [run], grid=grid, course=lambda one: games.trailing_returns(one, grid, 4, -1.0))
    assert made["axis"] == "frame"
    ((number, (steps,)),) = made["runs"]
    frames = grid_of(made, number)
    assert frames[-1] == 1000
    values = values_of(steps, made["decimals"]["catch"])
    assert np.isnan(values[frames < 400]).all()
    assert not np.isnan(values[frames >= 400]).any()
    assert values[-1] == pytest.approx(1 / 3, abs=1e-3)
    assert grid_of(made, made["curves"][0][0])[0] == 400


def test_a_curve_without_a_point_is_an_empty_one():
    run = Run(
        RunKey("catch", "none", "2^-6", "0", "0", 0),
        np.empty(0),
        np.empty(0, int),
        {"observed_frames": 50},
        frames=np.empty(0, int),
    )
    curves = games.curves(job(50), [run])
    made = thinned.thin_figure(curves, [run], grid=np.array([1, 50]), course=lambda one: np.full(2, np.nan))
    assert made["curves"][0][1:] == [[], [], []]
    assert made["runs"][0][1] == [[None, None]]


def of_losses(values, mu="0.01"):
    key = RunKey("tracking", "idbd", "0.05", mu, "0", 0)
    meta = {"block": 10, "examples": 10 * len(values)}
    return LossRun(key, np.empty(0), np.empty(0, int), meta, losses=np.array(values))


def test_losses_are_kept_as_logarithms_which_do_not_leave_the_page():
    runs = [of_losses([4.0, 0.01, 0.0]), of_losses([4.0, 1e12, 1e300], "1")]
    told = SimpleNamespace(smoothing=10)
    with np.errstate(divide="ignore"):
        made = thinned.thin_losses(told, runs, losses.curves(runs, 10))
    assert (made["axis"], made["measure"]) == ("example", "loss")
    decimals = made["decimals"]["tracking"]
    (number, (large,)), (_, (small,)) = made["runs"]
    assert grid_of(made, number).tolist() == [10, 20, 30]
    np.testing.assert_allclose(10 ** values_of(large, decimals), [4, 1e4, 1e4], rtol=0.01)
    np.testing.assert_allclose(10 ** values_of(small, decimals), [4, 0.01, np.nan], rtol=0.01)


def test_step_sizes_are_the_mean_over_runs_of_the_groups_that_can_move():
    runs = [car("2^-5", seed, 3) for seed in range(2)]
    for run in runs:
        run.meta["beta_groups"] = ["value/informative", "value/noisy", "value/informative/visited"]
        run.beta = np.full((3, 3), [-9.0, -4.0, -2.0]) - run.key.seed
    made = thinned.thin_figure(
        aggregate.aggregate(runs, window=1, spread_alpha_max=1.0).curves,
        runs,
        grid=np.arange(1, 4),
        course=lambda run: run.returns,
    )
    assert made["beta_groups"] == ["value/noisy", "value/informative"]
    ((number, steps),) = made["beta"]
    assert grid_of(made, number).tolist() == [1, 2, 3]
    assert [values_of(line, 2).tolist() for line in steps] == [[-4.5] * 3, [-2.5] * 3]
