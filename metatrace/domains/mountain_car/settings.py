"""What a mountain car run needs to know, and where its training begins."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from metatrace import numbers
from metatrace.agents.linear import Training
from metatrace.domains import linear_runs, readings
from metatrace.domains.mountain_car.drift import N_NOISE
from metatrace.domains.mountain_car.dynamics import N_ACTIONS, TIME_LIMIT
from metatrace.domains.mountain_car.readings import MOUNTAIN_CAR
from metatrace.domains.mountain_car.tiles import N_TILES
from metatrace.domains.protocol import Request
from metatrace.methods import METHODS, SARSA

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
class Settings(linear_runs.Settings):
    """One run on mountain car.

    With `drifting` the tiles' signs drift at the rate `drift`, which may be 0, and there are noise features too;
    without, the features are the tiles alone.
    """

    readings: Mapping[str, str] = field(default_factory=lambda: readings.complete(MOUNTAIN_CAR, {}, "readings"))
    drifting: bool = False
    drift: float = 0.0

    @property
    def has_bias(self) -> bool:
        """Whether reading R3 has an always active feature."""
        return self.readings["bias_feature"] == "present"

    @property
    def epsilon(self) -> float:
        """ε of SARSA(λ), reading R16."""
        return float(self.readings["exploration"])

    @property
    def n_features(self) -> int:
        """1600 tiles, then the bias feature if there is one, then the noise features if there are any."""
        return N_TILES + self.has_bias + (N_NOISE if self.drifting else 0)


def settings_of(request: Request) -> Settings:
    """The settings of a request."""
    drifting = request.key.environment == "drifting_mountain_car"
    drift = numbers.parse(request.key.drift, "drift", zero=True)
    settings: Settings = linear_runs.settings_of(request, Settings, drifting=drifting, drift=drift)
    return settings


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


def empty_training(settings: Settings) -> Training:
    """Where a training begins; on drifting mountain car with the mean β of each of `BETA_GROUPS`."""
    rows = N_ACTIONS if METHODS[settings.method].agent == SARSA else 1 + N_ACTIONS
    training = Training.empty(settings.episodes, -float(TIME_LIMIT), TIME_LIMIT, (rows, settings.n_features))
    if settings.drifting:
        training.beta = np.full((settings.episodes, len(BETA_GROUPS)), np.log(settings.alpha))
    return training
