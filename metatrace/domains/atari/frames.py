"""What the agent sees of a game: the last four observed frames, 84×84 and grey, and the paper's network for them."""

import numpy as np

from metatrace.networks.shape import Convolution, NetworkShape

STACK = 4  # observed frames in an observation
SIZE = 84  # pixels a side


def network_shape(n_actions: int) -> NetworkShape:
    """Of the paper, section "Arcade Learning Environment"; grey from 0 to 255 comes in as 0 to 1."""
    convolutions = (Convolution(16, 8, stride=4), Convolution(32, 4, stride=2))
    return NetworkShape(STACK, SIZE, convolutions, 256, n_actions, scale=1 / 255)


def push(frames: np.ndarray, frame: np.ndarray) -> None:
    """Adds a frame, (84, 84), to `frames`, (4, 84, 84), in place of the oldest."""
    frames[:-1] = frames[1:]
    frames[-1] = frame
