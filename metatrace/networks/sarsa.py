"""SARSA(λ) on a network: Elfwing, Uchida and Doya 2018, "Sigmoid-weighted linear units for neural network function
approximation in reinforcement learning" (arXiv 1702.03118).

    δ = R + γQ(S_{t+1}, A_{t+1}) − Q(S_t, A_t);   z ← γλz + ∂Q(S_t, A_t)/∂w;   w ← w + αδz

    π(a|s) ∝ exp(Q(s, a)/τ),   τ = τ₀ / (1 + τ_k i) in episode i = 0, 1, …

All of a step is at the same weights w_t, the choice of A_{t+1} too. So a step is finished when the next action is
chosen. Q(S_{t+1}, A_{t+1}) is 0 where S_{t+1} is terminal. Where an episode is cut off its last step is not learned.

The network is that of the actor-critic, with the action values in the place of the policy's logits; its value has no
gradient, and stays what it is.
"""

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from metatrace.networks.agent import NetworkAgent


class SarsaAgent(NetworkAgent):
    """What the plain and the compiled agent share: when a step is learned, and the policy.

    Args:
      tau_0, tau_k: τ₀ > 0 and τ_k ≥ 0.

    Attributes:
      delta: δ of the last step that is finished.
    """

    gamma: float
    delta = 0.0

    def set_temperature(self, tau_0: float, tau_k: float) -> None:
        """Before the first episode."""
        self._tau_0, self._tau_k = tau_0, tau_k
        # The episode, whether a step waits for the next action, its reward, and its Q(S_t, A_t)
        self._episode, self._waits, self._reward, self._Q = -1, False, 0.0, 0.0

    @property
    def temperature(self) -> float:
        """τ of the present episode."""
        return self._tau_0 / (1 + self._tau_k * self._episode)

    @abstractmethod
    def _forget_trace(self) -> None:
        """Begins an episode of the trace and the tuner."""

    @abstractmethod
    def _action_values(self) -> np.ndarray:
        """Q(S_t, ·) at the present weights: (actions,)."""

    @abstractmethod
    def _add_to_trace(self) -> float:
        """z ← γλz + ∂Q(S_t, A_t)/∂w; Q(S_t, A_t), at the present weights."""

    @abstractmethod
    def _move(self, delta: float, following: int | None) -> None:
        """Changes the weights by δ; `following` is A_{t+1}, None where S_{t+1} is terminal."""

    def start_episode(self) -> None:
        self._episode += 1
        self._waits = False
        self._forget_trace()

    def _outputs(self) -> np.ndarray:
        self._values = self._action_values().astype(np.float64)
        return np.array([0.0, *(self._values / self.temperature)])

    def act(self, uniform: float) -> int:
        """The action that a uniform number in [0, 1) picks from π(·|S_t); the step before is then finished.

        Raises:
          DivergedError: a value is no longer finite.
        """
        action = super().act(uniform)
        if self._waits:
            self._finish(self.gamma * float(self._values[action]), action)
        return action

    def learn(self, reward: float, next_observation: np.ndarray, terminal: bool) -> float:
        """Begins to learn from the action of the last `act`; returns δ of the last step that is finished."""
        self._Q = self._add_to_trace()
        self._reward, self._waits = reward, True
        if terminal:
            self._finish(0.0, None)
        self.see(next_observation)
        return self.delta

    def _finish(self, following_value: float, following: int | None) -> None:
        self._waits = False
        self.delta = self._reward + following_value - self._Q
        self._move(self.delta, following)

    def _saved(self) -> dict[str, np.ndarray]:
        """What a checkpoint holds besides weights and traces."""
        return {"step": np.array([self._episode, self._waits, self._reward, self._Q], np.float64)}

    def _take_back(self, state: Mapping[str, np.ndarray]) -> None:
        episode, waits, self._reward, self._Q = state["step"].tolist()
        self._episode, self._waits = int(episode), bool(waits)
