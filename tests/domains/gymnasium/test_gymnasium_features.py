"""What an agent sees of an observation: tiles, a Fourier basis, numbers for a network, whole numbers one-hot."""

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metatrace.domains.gymnasium.features import Fourier, Numbers, OneHot, Ranges, Tiles, features_of

PLACES = st.lists(st.floats(0, 1), min_size=1, max_size=8).map(np.array)


@given(places=PLACES)
def test_each_tiling_of_each_group_of_numbers_has_one_active_tile(places):
    tiles = Tiles(len(places))
    x = tiles(places)
    size, groups = {1: (1, 1), 2: (2, 1), 3: (3, 1), 4: (4, 1)}.get(
        len(places), (2, len(places) * (len(places) - 1) // 2)
    )
    assert set(x) == {0.0, 1.0} and x.shape == (tiles.n_features,) == (8 * groups * 4**size,)
    assert (x.reshape(8 * groups, 4**size).sum(axis=1) == 1).all()


def test_what_is_near_shares_tiles_and_what_is_far_does_not():
    tiles = Tiles(2)
    here, near, far = (tiles(np.array(place)) for place in ((0.2, 0.2), (0.23, 0.21), (0.9, 0.8)))
    assert here @ here == 8 and 4 <= here @ near < 8 and here @ far == 0


@pytest.mark.parametrize(("n", "count"), [(1, 32), (2, 128), (4, 2048), (6, 1920), (8, 3584), (20, 640)])
def test_many_numbers_are_tiled_in_pairs_or_alone(n, count):
    assert Tiles(n).n_features == count


@pytest.mark.parametrize(("n", "count"), [(1, 8), (2, 64), (4, 625), (6, 729), (10, 1024), (11, 78)])
def test_the_order_of_the_fourier_basis_falls_with_the_number_of_numbers(n, count):
    assert Fourier(n).n_features == count


@given(place=st.floats(0, 1))
def test_the_fourier_basis_of_one_number(place):
    waves = [np.cos(k * np.pi * place) / np.sqrt(max(k, 1)) for k in range(8)]
    np.testing.assert_allclose(Fourier(1)(np.array([place])), waves, atol=1e-12)


def test_waves_over_two_numbers_are_of_their_sum_with_coefficients():
    x = Fourier(2)(np.array([0.3, 0.7]))
    np.testing.assert_allclose(x[8 * 2 + 5], np.cos(np.pi * (2 * 0.3 + 5 * 0.7)) / np.sqrt(np.hypot(2, 5)), atol=1e-12)


@pytest.mark.parametrize("beyond", [-1e30, 1e30, -np.inf, np.inf])
def test_what_lies_beyond_a_range_counts_as_its_edge(beyond):
    assert Ranges(np.array([-2.0]), np.array([4.0]))(np.array([beyond])) == np.clip(beyond, 0, 1)


@pytest.mark.parametrize("infinite", [np.inf, np.finfo(np.float32).max])
def test_an_infinite_bound_is_the_power_of_two_that_holds_all_that_was_seen(infinite):
    ranges = Ranges(np.array([-infinite, 0.0]), np.array([infinite, infinite]))
    np.testing.assert_array_equal(ranges(np.array([0.0, 0.0])), [0, 0])
    np.testing.assert_array_equal(ranges(np.array([-3.0, 1.0])), [1 / 8, 1 / 2])  # now −4 to 4, and 0 to 2
    np.testing.assert_array_equal(ranges(np.array([2.0, 0.5])), [6 / 8, 1 / 4])
    np.testing.assert_array_equal(ranges(np.array([-20.0, 9.0])), [12 / 64, 9 / 16])


@given(
    st.lists(st.floats(-1e6, 1e6).filter(lambda number: number == 0 or abs(number) > 1e-290), min_size=1, max_size=20)
)
def test_every_observation_lies_within_the_range_that_it_widens(seen):
    ranges = Ranges(np.array([-np.inf]), np.array([np.inf]))
    assert all(0 <= ranges(np.array([number]))[0] <= 1 for number in seen)
    widest = 2.0 ** np.frexp(max(map(abs, seen)))[1] if any(seen) else None
    if widest:
        assert ranges(np.array([seen[-1]])) == pytest.approx([(seen[-1] + widest) / (2 * widest)])


def test_numbers_for_a_network_are_from_minus_one_to_one():
    np.testing.assert_array_equal(Numbers(3)(np.array([0, 0.5, 1])), [-1, 0, 1])


@pytest.mark.parametrize("answer", ["tiles", "fourier", "network"])
def test_a_whole_number_is_one_hot_and_a_box_of_any_shape_is_its_numbers(answer):
    one = features_of(answer, gymnasium.spaces.Discrete(4, start=2))
    assert isinstance(one, OneHot) and one.n_features == 4
    np.testing.assert_array_equal(one(np.int64(3)), [0, 1, 0, 0])
    box = gymnasium.spaces.Box(0, 1, (2, 2))
    made = features_of(answer, box)
    assert made(np.full((2, 2), 0.3)).shape == (made.n_features,)
