"""Tile coding: what is active where."""

import matplotlib
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metatrace.domains.mountain_car.dynamics import MAX_POSITION, MAX_SPEED, MIN_POSITION
from metatrace.domains.mountain_car.tiles import (
    N_TILES,
    N_TILINGS,
    TILES_PER_DIMENSION,
    TILES_PER_RANGE,
    active_tiles,
    write_active_tiles,
)

WIDTHS = list(TILES_PER_RANGE)
TILE = (MAX_POSITION - MIN_POSITION) / 9, 2 * MAX_SPEED / 9
SIXTEENTH = TILE[0] / N_TILINGS, TILE[1] / N_TILINGS

# Observations are float32; −1.2, 0.6 and ±0.07 are rounded to values outside the range.
LOWEST, HIGHEST = np.float32([MIN_POSITION, -MAX_SPEED]), np.float32([MAX_POSITION, MAX_SPEED])
positions = st.floats(float(LOWEST[0]), float(HIGHEST[0]), width=32)
velocities = st.floats(float(LOWEST[1]), float(HIGHEST[1]), width=32)
corners = [(a[0], b[1]) for a in (LOWEST, HIGHEST) for b in (LOWEST, HIGHEST)]


def on_every_corner(test):
    for position, velocity in corners:
        for width in WIDTHS:
            test = example(position=float(position), velocity=float(velocity), width=width)(test)
    return test


def shared(one, other):
    """How many features two states have in common."""
    return len(np.intersect1d(active_tiles(one), active_tiles(other)))


def middle_of(column, row):
    """The middle of a cell of the grid of sixteenths of a tile."""
    return np.array([MIN_POSITION + (column + 0.5) * SIXTEENTH[0], -MAX_SPEED + (row + 0.5) * SIXTEENTH[1]])


def test_the_extremes_of_float32_lie_outside_the_range():
    """Else the examples below would show nothing."""
    assert float(LOWEST[0]) < MIN_POSITION and float(LOWEST[1]) < -MAX_SPEED
    assert float(HIGHEST[0]) > MAX_POSITION and float(HIGHEST[1]) > MAX_SPEED


@on_every_corner
@given(position=positions, velocity=velocities, width=st.sampled_from(WIDTHS))
def test_every_state_activates_one_feature_of_each_tiling(position, velocity, width):
    active = active_tiles(np.float32([position, velocity]), width)
    assert active.shape == (N_TILINGS,) and active.dtype == np.int64
    assert active.min() >= 0 and active.max() < N_TILES
    assert np.array_equal(active // TILES_PER_DIMENSION**2, np.arange(N_TILINGS))


@on_every_corner
@given(position=positions, velocity=velocities, width=st.sampled_from(WIDTHS))
def test_the_features_are_those_of_the_formula(position, velocity, width):
    """An independent writing: floor((x − low) / width + i/16), kept within the 10 tiles of a dimension."""
    per_range = {"range/9": 9, "range/10": 10}[width]
    low, span = np.array([-1.2, -0.07]), np.array([0.6 - -1.2, 2 * 0.07])
    scaled = (np.float64([position, velocity]) - low) / span * per_range
    cells = np.floor(scaled[:, None] + np.arange(16) / 16)
    columns, rows = np.clip(cells, 0, 9).astype(int)
    expected = np.ravel_multi_index((np.arange(16), columns, rows), (16, 10, 10))
    assert np.array_equal(active_tiles(np.float32([position, velocity]), width), expected)


@given(
    column=st.integers(0, 9 * N_TILINGS - 1),
    row=st.integers(0, 9 * N_TILINGS - 1),
    step=st.sampled_from([(1, 0), (0, 1), (-1, 0), (0, -1)]),
)
def test_a_sixteenth_of_a_tile_changes_one_feature(column, row, step):
    following = column + step[0], row + step[1]
    if all(0 <= cell < 9 * N_TILINGS for cell in following):
        assert shared(middle_of(column, row), middle_of(*following)) == N_TILINGS - 1


@given(column=st.integers(0, 8 * N_TILINGS - 1), row=st.integers(0, 9 * N_TILINGS - 1), steps=st.integers(0, 16))
def test_features_are_lost_one_by_one_on_the_way_to_the_next_tile(column, row, steps):
    assert shared(middle_of(column, row), middle_of(column + steps, row)) == N_TILINGS - steps


def test_a_tile_is_a_ninth_of_the_range_wide():
    """Tiling 0 changes its column at the ninths of the range, its upper end among them, and nowhere else."""
    line = np.linspace(MIN_POSITION, MAX_POSITION, 18_001)
    columns = np.array([active_tiles(np.array([x, 0.0]))[0] // TILES_PER_DIMENSION for x in line])
    edges = line[1:][np.diff(columns) > 0]
    expected = MIN_POSITION + 1.8 / 9 * np.arange(1, 10)
    assert np.allclose(edges, expected, atol=2 * 1.8 / 18_000)


def reached(scaled):
    """The features that some state reaches, its coordinates among `scaled` (0 to 9 in both)."""
    features, active = set(), np.empty(N_TILINGS, np.int64)
    for x in scaled:
        for y in scaled:
            position = MIN_POSITION + x / 9 * (MAX_POSITION - MIN_POSITION)
            velocity = -MAX_SPEED + y / 9 * (2 * MAX_SPEED)
            write_active_tiles(position, velocity, 9.0, active)
            features.update(active.tolist())
    return features


def test_all_1600_features_are_reachable():
    """The middles of all sixteenths, and the upper ends of the range."""
    middles = (np.arange(9 * N_TILINGS) + 0.5) / N_TILINGS
    assert len(reached([*middles, 9.0])) == N_TILES


def test_only_the_undisplaced_tiling_has_tiles_of_no_width():
    """Nine tiles of tiling 0 span the range: its tenth column and row hold only the range's upper ends."""
    middles = (np.arange(9 * N_TILINGS) + 0.5) / N_TILINGS
    without_width = set(range(N_TILES)) - reached(middles)
    last = TILES_PER_DIMENSION - 1
    assert without_width == {
        column * TILES_PER_DIMENSION + row
        for column in range(TILES_PER_DIMENSION)
        for row in range(TILES_PER_DIMENSION)
        if last in (column, row)
    }


@pytest.fixture(scope="module")
def shared_map():
    """How many features each state of a grid of sixteenths shares with the state in its middle."""
    size = 9 * N_TILINGS
    return np.array(
        [
            [shared(middle_of(column, row), middle_of(size // 2, size // 2)) for column in range(size)]
            for row in range(size)
        ]
    )


def test_nearness_is_one_bump_around_the_state(shared_map):
    """Along every row and column the count rises, then falls, and it ends within a tile's width."""
    size, middle = len(shared_map), len(shared_map) // 2
    assert shared_map[middle, middle] == N_TILINGS
    assert (shared_map == N_TILINGS).sum() == 1
    for lines in (shared_map, shared_map.T):
        for line in lines:
            rises = np.diff(line)
            falling = np.flatnonzero(rises < 0)
            assert not len(falling) or not (rises[falling[0] :] > 0).any()
    rows, columns = np.nonzero(shared_map)
    assert max(abs(rows - middle).max(), abs(columns - middle).max()) == N_TILINGS - 1
    distance = np.abs(np.arange(size) - middle)
    assert np.array_equal(shared_map[middle], np.maximum(N_TILINGS - distance, 0))


def test_the_map_of_nearness_makes_a_picture(shared_map, tmp_path):
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    extent = (MIN_POSITION, MAX_POSITION, -MAX_SPEED, MAX_SPEED)
    image = axes.imshow(shared_map, origin="lower", extent=extent, aspect="auto", cmap="viridis")
    axes.set(xlabel="position", ylabel="velocity", title="features shared with the state in the middle, of 16")
    figure.colorbar(image)
    figure.savefig(tmp_path / "shared_features.png")
    pyplot.close(figure)
    pixels = pyplot.imread(tmp_path / "shared_features.png")[..., :3]
    brightest = matplotlib.colormaps["viridis"](1.0)[:3]
    assert (np.abs(pixels - brightest).max(axis=-1) < 0.02).any()
