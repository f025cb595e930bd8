"""Catch: a ball falls, and a paddle at the bottom is to be under it when it lands.

The paper does not have it. It is here because a game of the Arcade Learning Environment shows learning
only after hours: with the same interface, catch shows within minutes whether network, agent and tuners
learn at all.
"""

from collections.abc import Mapping

import numpy as np

from metatrace.domains.atari.frames import SIZE, network_shape, pushed, stacked
from metatrace.networks.environment import Step, restore_generator, saved_generator

# Few and large cells. At its start the network's 256 hidden outputs are all near ½, for dSiLU(0) = ½: a sum
# of squares of 64 that tells no states apart, against about 10⁻⁴ that does with a ball of 42 pixels. The first
# bounds the step-size, the second then sets the pace: such a ball took longer than minutes, one of 224 pixels
# does not.
COLUMNS, ROWS = 5, 6
# Of a cell, in pixels: 16×14. Four columns of pixels stay black.
WIDTH, HEIGHT = SIZE // COLUMNS, SIZE // ROWS
BRIGHT = 255


class Catch:
    """One ball after the other, each an episode of 5 steps.

    The ball starts in the top row, in a random column, and falls straight down, one row per step. The paddle
    is a column wide, moves a column a step, and stays where it is from ball to ball. A catch gives 1, a miss
    −1. Play that does not see the ball catches a fifth, for a mean return of −3/5; a good player catches
    every ball, as the longest way to under it takes four steps.

    Args:
      seed: Of this environment alone; used once, so that a reset drops another ball.
    """

    shape = network_shape(3)  # left, stay, right

    def __init__(self, *, seed: int | np.random.SeedSequence) -> None:
        self._rng = np.random.default_rng(seed)
        self._frames = stacked(np.zeros((SIZE, SIZE), np.uint8))
        self.row, self.column = ROWS - 1, 0  # of the ball; in the last row, the episode is over
        self.paddle = int(self._rng.integers(COLUMNS))

    def reset(self) -> np.ndarray:
        """Drops a ball; the first frame fills the whole observation, uint8 (4, 84, 84)."""
        self.row, self.column = 0, int(self._rng.integers(COLUMNS))
        self._frames = stacked(self._drawn())
        return self._frames.copy(order="K")

    def step(self, action: int) -> Step:
        """Moves the paddle left (0), not at all (1) or right (2), and then the ball down."""
        if self.row == ROWS - 1:
            raise RuntimeError("the ball has landed, and nobody has reset the game")
        self.paddle = min(max(self.paddle + action - 1, 0), COLUMNS - 1)
        self.row += 1
        self._frames = pushed(self._frames, self._drawn())
        landed = self.row == ROWS - 1
        reward = (1.0 if self.column == self.paddle else -1.0) if landed else 0.0
        return Step(self._frames.copy(order="K"), reward, landed, landed)

    def _drawn(self) -> np.ndarray:
        """Ball and paddle on black, uint8 (84, 84)."""
        picture = np.zeros((SIZE, SIZE), dtype=np.uint8)
        x, y = self.column * WIDTH, self.row * HEIGHT
        picture[y : y + HEIGHT, x : x + WIDTH] = BRIGHT
        x = self.paddle * WIDTH
        picture[-HEIGHT:, x : x + WIDTH] = BRIGHT
        return picture

    def state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the game goes on, as plain arrays."""
        return {
            "places": np.array([self.row, self.column, self.paddle]),
            "frames": self._frames.copy(),
            "generator": saved_generator(self._rng),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from `state`."""
        self.row, self.column, self.paddle = (int(place) for place in state["places"])
        self._frames = stacked(state["frames"])
        restore_generator(self._rng, state["generator"])
