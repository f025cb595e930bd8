import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metatrace.analysis.smoothing import MOST_POINTS, drawn_episodes, trailing_mean

RETURNS = st.floats(-1e6, 1e6)


@given(arrays(np.float64, st.integers(1, 30), elements=RETURNS), st.integers(1, 40))
def test_is_the_mean_of_the_last_window_or_of_all_so_far(returns, window):
    expected = [np.mean(returns[max(0, t - window + 1) : t + 1]) for t in range(len(returns))]
    np.testing.assert_allclose(trailing_mean(returns, window), expected, rtol=1e-12, atol=1e-9)


def test_small_values_after_large_ones_keep_their_digits():
    returns = np.r_[np.full(30, 1e15), np.full(30, 0.1)]
    np.testing.assert_allclose(trailing_mean(returns, 20)[-5:], 0.1, rtol=1e-15)


def test_smooths_each_row_by_itself():
    returns = np.array([[0.0, 2.0, 4.0], [6.0, 0.0, 0.0]])
    np.testing.assert_array_equal(trailing_mean(returns, 2), [[0, 1, 3], [6, 3, 0]])


@given(st.integers(1, 20_000))
def test_drawn_episodes_are_few_evenly_spaced_and_end_with_the_last(episodes):
    kept = drawn_episodes(episodes)
    assert 1 <= len(kept) <= MOST_POINTS == 1000
    assert kept[-1] == episodes - 1 and kept[0] >= 0
    (step,) = set(np.diff(kept)) or {1}
    assert kept[0] < step, "one more would have fitted before the first"
    # No smaller step would do.
    assert step == 1 or -(-episodes // (step - 1)) > MOST_POINTS


@given(st.integers(1, 1000))
def test_every_episode_of_a_short_run_is_drawn(episodes):
    np.testing.assert_array_equal(drawn_episodes(episodes), np.arange(episodes))


@pytest.mark.parametrize(
    ("episodes", "first", "step", "number"),
    [(1001, 0, 2, 501), (2000, 1, 2, 1000), (2001, 2, 3, 667), (5000, 4, 5, 1000)],
)
def test_every_kth_episode_of_a_long_run_is_drawn(episodes, first, step, number):
    kept = drawn_episodes(episodes)
    np.testing.assert_array_equal(kept, range(first, episodes, step))
    assert len(kept) == number
