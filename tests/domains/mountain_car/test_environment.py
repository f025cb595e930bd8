"""The second writing of mountain car's physics against Gymnasium's own."""

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metatrace.domains.mountain_car import dynamics, kernels

compiled = SimpleNamespace(next_state=kernels.next_state, at_goal=kernels.at_goal)
PHYSICS = pytest.mark.parametrize("physics", [dynamics, compiled], ids=["python", "numba"])


@pytest.fixture
def environment():
    made = gymnasium.make("MountainCar-v0", max_episode_steps=dynamics.TIME_LIMIT)
    yield made
    made.close()


def pick_action(rng, state, boldness):
    """Random actions alone never leave the valley: now and then push with the movement, to goal and wall."""
    if rng.random() < boldness:
        return 2 if state[1] >= 0 else 0
    return int(rng.integers(3))


@PHYSICS
@pytest.mark.parametrize("seed", [0, 1])
def test_ten_thousand_random_steps_visit_the_same_states_to_the_bit(environment, physics, seed):
    """Each step starts from our own last state: one bit lost anywhere would grow from there on."""
    rng = np.random.default_rng(seed)
    environment.unwrapped.np_random = np.random.default_rng([seed, 1])
    starts = np.random.default_rng([seed, 1])
    over, at_wall, goals, timeouts = True, 0, 0, 0
    for _ in range(10_000):
        if over:
            observation, _ = environment.reset()
            position, velocity = starts.uniform(dynamics.START_LOW, dynamics.START_HIGH), 0.0
            boldness = rng.choice([0.0, 0.5, 0.9])
            assert observation.dtype == np.float32 and observation[0] == np.float32(position)
            assert tuple(environment.unwrapped.state) == (position, velocity)
        action = pick_action(rng, (position, velocity), boldness)
        observation, reward, reached, out_of_time, _ = environment.step(action)
        position, velocity = physics.next_state((position, velocity), action)
        assert tuple(environment.unwrapped.state) == (position, velocity)
        assert observation[0] == np.float32(position) and observation[1] == np.float32(velocity)
        assert reward == -1
        assert physics.at_goal((position, velocity)) == reached
        over = reached or out_of_time
        at_wall += position == dynamics.MIN_POSITION
        goals += reached
        timeouts += out_of_time
    assert at_wall >= 5 and goals >= 5 and timeouts >= 5


@PHYSICS
@given(
    position=st.floats(dynamics.MIN_POSITION, dynamics.MAX_POSITION),
    velocity=st.floats(-dynamics.MAX_SPEED, dynamics.MAX_SPEED),
    action=st.integers(0, 2),
)
def test_a_step_from_any_state_is_gymnasiums(physics, position, velocity, action):
    environment = gymnasium.make("MountainCar-v0").unwrapped
    environment.state = np.array([position, velocity])
    _, _, reached, _, _ = environment.step(action)
    following = physics.next_state((position, velocity), action)
    assert tuple(environment.state) == following
    assert physics.at_goal(following) == reached


@PHYSICS
def test_the_left_wall_stops_the_car(physics):
    assert physics.next_state((dynamics.MIN_POSITION + 0.01, -0.05), 0) == (dynamics.MIN_POSITION, 0.0)


@PHYSICS
def test_speed_is_bounded_on_both_sides(physics):
    # At the bottom of the valley, cos(3x) = 0, the engine alone would exceed the bound.
    bottom = -np.pi / 6
    assert physics.next_state((bottom, dynamics.MAX_SPEED), 2)[1] == dynamics.MAX_SPEED
    assert physics.next_state((bottom, -dynamics.MAX_SPEED), 0)[1] == -dynamics.MAX_SPEED


@PHYSICS
def test_the_goal_is_at_one_half_and_not_below(physics):
    assert physics.at_goal((dynamics.GOAL_POSITION, 0.0))
    assert not physics.at_goal((np.nextafter(dynamics.GOAL_POSITION, 0), 0.01))
    assert not physics.at_goal((dynamics.GOAL_POSITION, -0.01))


def test_many_starts_at_once_are_the_starts_one_by_one(environment):
    """The compiled agent draws its starts by the dozen; Gymnasium draws one per episode."""
    environment.unwrapped.np_random = np.random.default_rng(7)
    one_by_one = [environment.reset() and environment.unwrapped.state[0] for _ in range(120)]
    rng = np.random.default_rng(7)
    at_once = [rng.uniform(dynamics.START_LOW, dynamics.START_HIGH, count) for count in (50, 50, 20)]
    assert np.array_equal(np.concatenate(at_once), one_by_one)
