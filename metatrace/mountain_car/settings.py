"""What a mountain car run needs to know, and what training leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from metatrace import readings
from metatrace.mountain_car.dynamics import N_ACTIONS
from metatrace.mountain_car.tiles import N_TILES

GAMMA = 0.99
LAM = 0.8


@dataclass(frozen=True)
class Settings:
    """One run of AC(λ) on mountain car; α and μ are values here, not tokens."""

    method: str
    alpha: float
    mu: float
    seed: int
    episodes: int
    gamma: float = GAMMA
    lam: float = LAM
    readings: Mapping[str, str] = field(
        default_factory=lambda: readings.complete("mountain_car", {}, "readings")
    )

    @property
    def n_features(self) -> int:
        """1600 tiles, and the bias feature where reading R3 has one."""
        return N_TILES + (self.readings["bias_feature"] == "present")

    @property
    def n_weights(self) -> int:
        """The value's weights and then a block of policy weights for each action."""
        return (1 + N_ACTIONS) * self.n_features


def random_streams(seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    """Two independent generators, for the environment and for the policy.

    Apart, so that methods with the same seed meet the same starts and the same noise.
    """
    environment, policy = np.random.SeedSequence(seed).spawn(2)
    return np.random.Generator(np.random.PCG64(environment)), np.random.Generator(np.random.PCG64(policy))


@dataclass
class Training:
    """What a training leaves behind.

    Attributes:
      returns, lengths: (episodes,), the undiscounted return and the steps of each episode.
      diverged_episode: the 0-based episode in which a weight, a step-size or a TD error stopped being
        finite; None if that never happened. From there on there is no policy to follow: that episode
        and all later ones count as failed (−200 in 200 steps).
      weights: (1 + actions, features) after the last step; row 0 is the value's.
      steps: how many environment steps were really taken.
    """

    returns: np.ndarray
    lengths: np.ndarray
    diverged_episode: int | None
    weights: np.ndarray
    steps: int
