"""The points of a curve that are kept: even, and the ends among them."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from metatrace.analysis import points


@given(st.integers(1, 3000), st.integers(2, 200))
def test_of_many_points_the_first_the_last_and_no_more_than_asked_are_kept(count, most):
    kept = points.kept(count, most)
    assert kept[0] == 0
    assert kept[-1] == count - 1
    assert len(kept) == min(count, most)
    assert (np.diff(kept) > 0).all()


@given(st.integers(2, 3000), st.integers(2, 200))
def test_the_points_are_as_even_as_can_be(count, most):
    gaps = np.diff(points.kept(count, most))
    assert gaps.max() - gaps.min() <= 1


def test_curves_keep_their_rows_at_the_same_episodes():
    episodes = range(1, 1001)
    curves = pd.concat([pd.DataFrame({"alpha": alpha, "episode": episodes, "mean": -1.0}) for alpha in "ab"])
    shown = points.of_episodes(curves)
    first, second = (shown[shown["alpha"] == alpha]["episode"].tolist() for alpha in "ab")
    assert first == second and len(first) == 250
    assert first[0] == 1 and first[-1] == 1000


def test_short_curves_are_left_as_they_are():
    curves = pd.DataFrame({"episode": [*range(1, 251)] * 2, "mean": np.arange(500.0)})
    pd.testing.assert_frame_equal(points.of_episodes(curves), curves)
    assert points.of_episodes(curves.iloc[:0]).empty
