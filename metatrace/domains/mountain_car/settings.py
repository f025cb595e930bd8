"""What a mountain car run needs to know, and what training leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from metatrace.domains import readings
from metatrace.domains.mountain_car.drift import N_NOISE
from metatrace.domains.mountain_car.dynamics import N_ACTIONS, TIME_LIMIT
from metatrace.domains.mountain_car.readings import MOUNTAIN_CAR
from metatrace.domains.mountain_car.tiles import N_TILES

GAMMA = 0.99
LAM = 0.8
# The columns of `Training.beta`: the mean β of so many groups of weights. "Visited" leaves out tiles that
# were never active, whose β never moved.
BETA_GROUPS = (
    "value/informative",
    "value/noisy",
    "policy/informative",
    "policy/noisy",
    "value/informative/visited",
    "policy/informative/visited",
)


@dataclass(frozen=True)
class Settings:
    """One run of AC(λ) on mountain car; α, μ and drift are values here, not tokens.

    With `drifting` the tiles' signs drift at the rate `drift`, which may be 0, and there are noise features too;
    without, the features are the tiles alone.
    """

    method: str
    alpha: float
    mu: float
    seed: int
    episodes: int
    drifting: bool = False
    drift: float = 0.0
    gamma: float = GAMMA
    lam: float = LAM
    readings: Mapping[str, str] = field(default_factory=lambda: readings.complete(MOUNTAIN_CAR, {}, "readings"))
    hyper: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_bias(self) -> bool:
        """Whether reading R3 has an always active feature."""
        return self.readings["bias_feature"] == "present"

    @property
    def log_constant(self) -> float:
        """c of log(π + c), reading R12."""
        return 1e-8 if self.readings["log_policy"] == "plus_1e-8" else 0.0

    @property
    def n_features(self) -> int:
        """1600 tiles, then the bias feature if there is one, then the noise features if there are any."""
        return N_TILES + self.has_bias + (N_NOISE if self.drifting else 0)

    @property
    def n_weights(self) -> int:
        """The value's weights and then a block of policy weights for each action."""
        return (1 + N_ACTIONS) * self.n_features


@dataclass(frozen=True)
class Streams:
    """Independent random generators, so that methods with the same seed meet the same starts and noise."""

    starts: np.random.Generator
    flips: np.random.Generator
    noise: np.random.Generator
    policy: np.random.Generator


def random_streams(seed: int) -> Streams:
    """The generators of a run: the environment's (and from it those of drift and noise), and the policy's."""
    environment, policy = np.random.SeedSequence(seed).spawn(2)
    children = (environment, *environment.spawn(2), policy)
    return Streams(*(np.random.Generator(np.random.PCG64(child)) for child in children))


@dataclass
class Training:
    """What a training leaves behind.

    Attributes:
      returns, lengths: (episodes,), the undiscounted return and the steps of each episode.
      beta: (episodes, groups), the mean β of each of `BETA_GROUPS` at each episode's end, on drifting
        mountain car; None elsewhere. From the divergence on, what it was before.
      diverged_episode: the 0-based episode in which a weight, a step-size or a TD error stopped being
        finite; None if that never happened. From there on there is no policy to follow: that episode
        and all later ones count as failed (−200 in 200 steps).
      weights: (1 + actions, features) after the last step; row 0 is the value's.
      steps: how many environment steps were really taken.
    """

    returns: np.ndarray
    lengths: np.ndarray
    beta: np.ndarray | None
    diverged_episode: int | None
    weights: np.ndarray
    steps: int

    def stop_at(self, episode: int) -> None:
        """Notes the episode in which the run has diverged; β stays as it was before."""
        self.diverged_episode = episode
        if self.beta is not None and episode > 0:
            self.beta[episode:] = self.beta[episode - 1]


def empty_training(settings: Settings) -> Training:
    """Where a training begins: a run that finishes no episode scores the worst return there is."""
    return Training(
        returns=np.full(settings.episodes, -float(TIME_LIMIT)),
        lengths=np.full(settings.episodes, TIME_LIMIT, np.int64),
        beta=np.full((settings.episodes, len(BETA_GROUPS)), np.log(settings.alpha)) if settings.drifting else None,
        diverged_episode=None,
        weights=np.zeros((1 + N_ACTIONS, settings.n_features)),
        steps=0,
    )
