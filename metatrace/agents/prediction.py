"""TD(λ): a linear prediction of what a fixed policy will earn, and the loop that learns it.

Dense numpy weights, a Gymnasium environment, a policy, and a tuner of `metatrace.tuning`:

    δ = R + γV(S_{t+1}) − V(S_t);   z ← γλz + ∂V/∂w;   w ← w + the tuner's Δw

So it is AC(λ) of the paper's section 2 with U = V alone, and without an entropy term.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metatrace.agents.linear import DivergedError

if TYPE_CHECKING:  # compiled runs only want `Training`, and pay for no tuner
    from metatrace.tuning import Tuner


# A TD error above this counts as divergence: far above any that a learner comes back from.
MOST_ERROR = 1e6


class Agent:
    """Linear values: V(s) = ⟨w|x⟩, all zero at the start.

    Args:
      tuner: over all weights.
      cuts_terminal_trace: whether the terminal step forgets the trace of earlier states.

    Attributes:
      weights: (features,). z: (features,), the eligibility trace.
    """

    def __init__(self, n_features: int, tuner: "Tuner", *, gamma: float, cuts_terminal_trace: bool = False) -> None:
        self.tuner, self.gamma, self.cuts_terminal_trace = tuner, gamma, cuts_terminal_trace
        self.weights, self.z = np.zeros(n_features), np.zeros(n_features)

    def value(self, x: np.ndarray) -> float:
        """V(s) = ⟨w|x⟩."""
        return float(self.weights @ x)

    def start_episode(self) -> None:
        """Begins an episode: traces are forgotten."""
        self.z = np.zeros_like(self.z)
        self.tuner.start_episode()

    def learn(self, x: np.ndarray, reward: float, next_x: np.ndarray, terminal: bool) -> None:
        """One step of TD(λ), all gradients at the weights before it.

        Raises:
          DivergedError: the TD error is above `MOST_ERROR`, or a step-size is no longer finite.
        """
        bootstrap = 0.0 if terminal else self.gamma  # V of a terminal state is 0, and so is its gradient
        delta = reward + (bootstrap * self.value(next_x) if bootstrap else 0.0) - self.value(x)
        if terminal and self.cuts_terminal_trace:
            self.z = np.zeros_like(self.z)
        self.z = self.tuner.gamma_lambda * self.z + x
        change = self.tuner.step(grad_U=x, grad_delta=bootstrap * next_x - x, delta=delta, z=self.z)
        if not (abs(delta) < MOST_ERROR and self.tuner.is_finite()):
            raise DivergedError
        self.weights += change


@dataclass
class Training:
    """What a training leaves behind.

    Once learning has diverged, all values are 0: from the start of that episode on, and to the end.

    Attributes:
      losses: (episodes,), `value_error` of each.
      returns, lengths: (episodes,), the undiscounted return and the steps of each.
      weights: (features,), after the last step.
      step_sizes: (groups,), the mean α of groups of weights at the end; NaN if learning has diverged.
      diverged_episode: the 0-based episode in which that happened; None if it never did.
    """

    losses: np.ndarray
    returns: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray
    step_sizes: np.ndarray
    diverged_episode: int | None = None

    @classmethod
    def empty(cls, episodes: int, features: int, groups: int) -> "Training":
        """Where a training begins: all weights are 0."""
        losses, returns, lengths = np.zeros(episodes), np.zeros(episodes), np.zeros(episodes, np.int64)
        return cls(losses, returns, lengths, np.zeros(features), np.full(groups, np.nan))


def value_error(values: Sequence[float], rewards: Sequence[float], gamma: float) -> float:
    """√(mean over t of (V_t(S_t) − G_t)²): how far an episode's predictions were from what then came.

    Args:
      values: V_t(S_t), each by the weights before step t has changed them.
      rewards: R_{t+1}, of the same steps; G_t = R_{t+1} + γG_{t+1}, and 0 at the end.
    """
    squares, G = 0.0, 0.0
    for V, R in zip(reversed(values), reversed(rewards), strict=True):
        G = R + gamma * G
        error = V - G
        squares += error * error  # not error**2, which raises where it overflows
    return math.sqrt(squares / len(values))


@np.errstate(all="ignore")  # divergence is caught where it happens, not by warnings
def train(
    agent: Agent,
    environment: Any,
    features: Callable[[Any], np.ndarray],
    policy: Callable[[Any], int],
    training: Training,
    *,
    after_episode: Callable[[], None] = lambda: None,
) -> Training:
    """Learns until all episodes of an empty `training` are finished; returns it, filled.

    Args:
      environment: Gymnasium's interface. An episode that its time limit ends is terminal too.
      features: from an observation to x, (features,); called once for each observation, in order.
      policy: from an observation to an action; called once for each step, in order.
      after_episode: is called after every finished episode.
    """
    training.weights = agent.weights
    for number in range(len(training.losses)):
        agent.start_episode()
        observation, _ = environment.reset()
        x = features(observation)
        values, rewards, over = [], [], False
        while not over:
            values.append(agent.value(x) if training.diverged_episode is None else 0.0)
            observation, reward, terminated, truncated, _ = environment.step(policy(observation))
            rewards.append(float(reward))
            over = terminated or truncated
            next_x = features(observation)
            if training.diverged_episode is None:
                try:
                    agent.learn(x, rewards[-1], next_x, over)
                except DivergedError:
                    training.diverged_episode = number
                    values = [0.0] * len(values)
            x = next_x
        training.losses[number] = value_error(values, rewards, agent.gamma)
        training.returns[number], training.lengths[number] = sum(rewards), len(rewards)
        after_episode()
    return training
