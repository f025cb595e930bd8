"""AC(λ) with entropy regularization on a network: the paper's section 3 on its Atari experiment.

    δ = R + γV(S_{t+1}) − V(S_t);   z ← γλz + ∂U/∂w, U = V + ½ log π;   w ← w + α (z δ + ψ ∂H/∂w)

A step's gradients are all at the same weights w_t; the step-size is the tuner's of this step (reading R5). V(S_{t+1})
and its gradient are zero where S_t is the last state (reading R8).
"""

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import mul

import numpy as np

from metatrace.agents.linear import DivergedError


class NetworkAgent(ABC):
    """What a training needs of an agent. Call `start_episode` and `see`, then `act` and `learn` in turn.

    Attributes:
      action: what `act` last chose. pi, log_pi: π(·|S_t), by which it chose; entropy: its entropy, in nats.
    """

    action = 0
    pi: Sequence[float]
    log_pi: Sequence[float]
    entropy = 0.0

    @abstractmethod
    def start_episode(self) -> None:
        """Begins an episode: traces are forgotten."""

    @abstractmethod
    def see(self, observation: np.ndarray) -> None:
        """Takes in the state to act in. After `learn` the state is already known."""

    @abstractmethod
    def _outputs(self) -> np.ndarray:
        """V and the policy's logits in that state, at the present weights: (1 + actions,)."""

    @abstractmethod
    def learn(self, reward: float, next_observation: np.ndarray, terminal: bool) -> float:
        """One step of learning from the action of the last `act`; returns δ."""

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """What learning has left: weights, trace, the tuner's arrays."""

    @abstractmethod
    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from `state`; after it, `see` the present observation.

        Raises:
          KeyError, ValueError: it is of another agent.
        """

    def act(self, uniform: float) -> int:
        """The action that a uniform number in [0, 1) picks from π(·|S_t).

        Raises:
          DivergedError: the policy or the value is no longer finite.
        """
        value, *logits = self._outputs().tolist()
        if not all(map(math.isfinite, (value, *logits))):
            raise DivergedError
        largest = max(logits)
        log_total = largest + math.log(sum(math.exp(logit - largest) for logit in logits))
        self.log_pi = [logit - log_total for logit in logits]
        self.pi = [math.exp(log_pi) for log_pi in self.log_pi]
        self.entropy = -sum(map(mul, self.pi, self.log_pi))
        chosen = bisect_right(list(accumulate(self.pi)), uniform)
        self.action = min(chosen, len(logits) - 1)  # the sum may round to a little less than 1
        return self.action
