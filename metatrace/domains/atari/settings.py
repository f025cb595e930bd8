"""What an Atari run needs to know, and what training leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

GAMMA = 0.99
LAM = 0.8
PSI = 0.01  # ψ, the weight of the entropy term


@dataclass(frozen=True)
class Settings:
    """One run of AC(λ) on a game (or on catch); α and μ are values here, not tokens."""

    environment: str
    method: str
    alpha: float
    mu: float
    seed: int
    frames: int
    readings: Mapping[str, str]
    hyper: Mapping[str, str] = field(default_factory=dict)
    device: str = "auto"
    gamma: float = GAMMA
    lam: float = LAM
    psi: float = PSI


@dataclass
class Training:
    """What a training has done so far.

    Attributes:
      returns, lengths, ends, entropies: one entry per finished episode (a whole game): its unclipped
        undiscounted return, its observed frames, the run's observed frames at its end, the policy's mean
        entropy in nats.
      frames: how many observed frames the agent has acted in.
      diverged: whether a weight stopped being finite; there is no policy after that, and the run ended there.
    """

    returns: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)
    frames: int = 0
    diverged: bool = False

    def arrays(self) -> dict[str, np.ndarray]:
        """The episodes as arrays."""
        return {
            "returns": np.array(self.returns, np.float64),
            "lengths": np.array(self.lengths, np.int64),
            "ends": np.array(self.ends, np.int64),
            "entropies": np.array(self.entropies, np.float64),
        }
