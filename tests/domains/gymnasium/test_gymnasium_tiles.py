"""Tile coding in any number of dimensions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metatrace.domains.gymnasium.tiles import Tiles


@given(
    observation=st.lists(st.floats(-3, 3), min_size=3, max_size=3),
    tiles=st.integers(2, 5),
    tilings=st.integers(1, 8),
    groups=st.sampled_from([(), ((0,), (1, 2)), ((0, 1), (1, 2), (2,))]),
)
def test_each_tiling_of_each_group_has_one_active_tile(observation, tiles, tilings, groups):
    features = Tiles((-1, -2, 0), (1, 2, 3), tiles=tiles, tilings=tilings, groups=groups)
    x, first = features(np.array(observation)), 0
    assert set(x) <= {0.0, 1.0} and len(x) == features.n_features
    for group in groups or [(0, 1, 2)]:
        for _ in range(tilings):
            assert x[first : first + tiles ** len(group)].sum() == 1
            first += tiles ** len(group)
    assert first == len(x)


def test_what_is_near_shares_tiles_and_what_is_far_does_not():
    features = Tiles((0, 0), (1, 1), tiles=5, tilings=8)
    here, near, far = (features(np.array(place)) for place in ((0.2, 0.2), (0.23, 0.21), (0.9, 0.8)))
    assert here @ here == 8 and 4 <= here @ near < 8 and here @ far == 0


@pytest.mark.parametrize("beyond", [-1e30, 1e30, -np.inf, np.inf])
def test_what_lies_beyond_the_range_counts_as_its_edge(beyond):
    features = Tiles((0,), (1,), tiles=3, tilings=4)
    edge = np.clip(beyond, 0, 1)
    assert np.array_equal(features(np.array([beyond])), features(np.array([edge])))
