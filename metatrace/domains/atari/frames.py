"""What the agent sees of a game: the last four observed frames, 84×84 and grey, and the paper's network for them."""

import numpy as np

from metatrace.networks.shape import Convolution, NetworkShape

STACK = 4  # observed frames in an observation
SIZE = 84  # pixels a side


def network_shape(n_actions: int) -> NetworkShape:
    """Of the paper, section "Arcade Learning Environment"; grey from 0 to 255 comes in as 0 to 1."""
    convolutions = (Convolution(16, 8, stride=4), Convolution(32, 4, stride=2))
    return NetworkShape(STACK, SIZE, convolutions, 256, n_actions, scale=1 / 255)


def stacked(frames: np.ndarray) -> np.ndarray:
    """An observation of four frames, or four times of one: uint8 (4, 84, 84), a copy.

    In memory, a pixel's four greys lie next to each other, as the network reads them; copies keep that by order "K".
    """
    pixels = np.empty((SIZE, SIZE, STACK), np.uint8)
    pixels[:] = np.broadcast_to(frames, (STACK, SIZE, SIZE)).transpose(1, 2, 0)
    return pixels.transpose(2, 0, 1)


def pushed(observation: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """An observation, as `stacked` makes it, with a frame, (84, 84), in place of its oldest: a new one."""
    greys = observation.transpose(1, 2, 0).view("<u4")  # four in a number, the oldest in its lowest byte
    pixels = (greys >> 8).view(np.uint8)
    pixels[:, :, -1] = frame
    return pixels.transpose(2, 0, 1)
