"""The policy whose values are predicted: push in the direction of the velocity, and now and then at random.

Plain scalar code that numba can compile.
"""

from metatrace.domains.mountain_car.dynamics import N_ACTIONS

RANDOM = 0.1  # how likely a random action is
_LEFT, _RIGHT = 0, N_ACTIONS - 1


def choose(velocity: float, uniform: float) -> int:
    """The action that a uniform number in [0, 1) picks; to the right where the car is at rest.

    Below `RANDOM` it picks one of all three actions, each as likely.
    """
    if uniform < RANDOM:
        return min(int(uniform * (N_ACTIONS / RANDOM)), _RIGHT)
    return _RIGHT if velocity >= 0 else _LEFT
