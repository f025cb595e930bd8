"""What a game is to an agent, and how a random generator is saved."""

import json
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from metatrace.networks.shape import NetworkShape


class Step(NamedTuple):
    """What an action led to."""

    observation: np.ndarray  # (channels, side, side), the agent's to keep
    reward: float  # the game's own, unclipped
    terminal: bool  # the learner's episode ends here, and nothing follows to bootstrap from
    over: bool  # the game ends here: `reset` comes next


class Environment(Protocol):
    """A game, played time after time; all chance in it comes from a seed.

    Attributes:
      shape: of the network that learns it; it says how large observations are and how many actions there are.
    """

    shape: NetworkShape

    def reset(self) -> np.ndarray:
        """Begins a game; returns its first observation."""
        ...

    def step(self, action: int) -> Step: ...

    def state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the game goes on, as plain arrays."""
        ...

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from `state`, which a game with the same options gave."""
        ...


def saved_generator(rng: np.random.Generator) -> np.ndarray:
    """The state of a generator as an array of text."""
    return np.array(json.dumps(rng.bit_generator.state))


def restore_generator(rng: np.random.Generator, saved: np.ndarray) -> None:
    """Sets a generator of the same kind to a saved state."""
    rng.bit_generator.state = json.loads(str(saved))
