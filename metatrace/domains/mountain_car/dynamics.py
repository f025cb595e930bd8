"""Mountain car's physics as plain scalar code that numba can compile.

The agent to read uses Gymnasium's own environment; this second writing serves the compiled kernel
and equals `MountainCar-v0` to the bit.
"""

import math

N_ACTIONS = 3
TIME_LIMIT = 200
START_LOW, START_HIGH = -0.6, -0.4
MIN_POSITION, MAX_POSITION = -1.2, 0.6
MAX_SPEED = 0.07
GOAL_POSITION = 0.5
_FORCE = 0.001
_GRAVITY = 0.0025


def next_state(state: tuple[float, float], action: int) -> tuple[float, float]:
    """Position and velocity after pushing left (0), not at all (1) or right (2) for one step."""
    position, velocity = state
    velocity += (action - 1) * _FORCE + math.cos(3 * position) * (-_GRAVITY)
    velocity = min(max(velocity, -MAX_SPEED), MAX_SPEED)
    position += velocity
    position = min(max(position, MIN_POSITION), MAX_POSITION)
    if position == MIN_POSITION and velocity < 0:
        velocity = 0.0
    return position, velocity


def at_goal(state: tuple[float, float]) -> bool:
    """Whether the episode ends here."""
    return state[0] >= GOAL_POSITION and state[1] >= 0
