"""AC(λ) with a linear value and a softmax policy over any features, and the loop that trains it.

Dense numpy weights, a Gymnasium environment with discrete actions, and a tuner of `metatrace.tuning`:

    δ = R + γV(S_{t+1}) − V(S_t);   z ← γλz + ∂U/∂w, U = V + ½ log π(A|S);   w ← w + the tuner's Δw
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # compiled runs only want `Training`, and pay for no tuner
    from metatrace.tuning import Tuner


class DivergedError(Exception):
    """A policy, a step-size or a TD error is no longer finite."""


class Agent:
    """Linear actor-critic: V(s) = ⟨w_V|x⟩ and π(a|s) = softmax(⟨w_a|x⟩), all zero at the start.

    Args:
      tuner: over all weights as one flat vector.
      log_constant: c of log(π + c), 0 for the exact logarithm.
      cuts_terminal_trace: whether the terminal step forgets the trace of earlier states.

    Attributes:
      weights: (1 + actions, features); row 0 is w_V.
      z: (weights,), the eligibility trace.
    """

    def __init__(
        self,
        n_actions: int,
        n_features: int,
        tuner: "Tuner",
        *,
        gamma: float,
        log_constant: float = 0.0,
        cuts_terminal_trace: bool = False,
    ) -> None:
        self.tuner, self.gamma = tuner, gamma
        self.log_constant, self.cuts_terminal_trace = log_constant, cuts_terminal_trace
        self.weights = np.zeros((1 + n_actions, n_features))
        self.z = np.zeros(self.weights.size)

    def value(self, x: np.ndarray) -> float:
        """V(s) = ⟨w_V|x⟩."""
        return self.weights[0] @ x

    def policy(self, x: np.ndarray) -> np.ndarray:
        """π(·|s): (actions,), the softmax of ⟨w_a|x⟩."""
        logits = self.weights[1:] @ x
        odds = np.exp(logits - logits.max())
        return odds / odds.sum()

    def grad_V(self, x: np.ndarray) -> np.ndarray:
        """∂V/∂w: (weights,), x in the value's block."""
        gradient = np.zeros_like(self.weights)
        gradient[0] = x
        return gradient.ravel()

    def grad_U(self, x: np.ndarray, pi: np.ndarray, action: int) -> np.ndarray:
        """∂U/∂w, U = V + ½ log π(A|S): (weights,); ∂log π(A)/∂w_a = (1[a = A] − π(a)) x."""
        gradient = np.zeros_like(self.weights)
        gradient[0] = x
        grad_log_pi = (np.arange(len(pi)) == action) - pi
        if self.log_constant:
            grad_log_pi = grad_log_pi * (pi[action] / (pi[action] + self.log_constant))
        gradient[1:] = 0.5 * np.outer(grad_log_pi, x)
        return gradient.ravel()

    def start_episode(self) -> None:
        """Begins an episode: traces are forgotten."""
        self.z[:] = 0
        self.tuner.start_episode()

    def act(self, x: np.ndarray, uniform: float) -> tuple[int, np.ndarray]:
        """The action that a uniform number in [0, 1) picks from π(·|s), and π(·|s).

        Raises:
          DivergedError: the policy is no longer finite.
        """
        pi = self.policy(x)
        if not np.isfinite(pi).all():
            raise DivergedError
        action = int(np.searchsorted(np.cumsum(pi), uniform, side="right"))
        return min(action, len(pi) - 1), pi  # the sum of π may round to just below 1

    def learn(
        self, x: np.ndarray, pi: np.ndarray, action: int, reward: float, next_x: np.ndarray, terminal: bool
    ) -> None:
        """One step of AC(λ), all gradients at the weights before it.

        Raises:
          DivergedError: the TD error or a step-size is no longer finite.
        """
        bootstrap = 0.0 if terminal else self.gamma  # V of a terminal state is 0, and so is its gradient
        delta = reward + (bootstrap * self.value(next_x) if bootstrap else 0.0) - self.value(x)
        grad_U = self.grad_U(x, pi, action)
        grad_delta = bootstrap * self.grad_V(next_x) - self.grad_V(x)
        if terminal and self.cuts_terminal_trace:
            self.z[:] = 0
        self.z = self.tuner.gamma_lambda * self.z + grad_U
        change = self.tuner.step(grad_U=grad_U, grad_delta=grad_delta, delta=delta, z=self.z)
        if not (np.isfinite(delta) and self.tuner.is_finite()):
            raise DivergedError
        self.weights += change.reshape(self.weights.shape)


@dataclass
class Training:
    """What a training leaves behind.

    Attributes:
      returns, lengths: (episodes,), the undiscounted return and the steps of each episode.
      weights: after the last step: (1 + actions, features), row 0 the value's; of SARSA(λ) (actions, features). Of no
        use where learning diverged.
      beta: (episodes, groups), the mean β of groups of weights at each episode's end, where an environment has any.
      diverged_episode: the 0-based episode in which a weight, a step-size or a TD error stopped being finite; None if
        that never happened. From there on there is no policy to follow: that episode and all later ones count as
        failed, and β is what it was before.
      steps: how many environment steps were really taken.
    """

    returns: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray
    beta: np.ndarray | None = None
    diverged_episode: int | None = None
    steps: int = 0

    @classmethod
    def empty(cls, episodes: int, failed_return: float, time_limit: int, weights: tuple[int, int]) -> "Training":
        """Where a training begins: all episodes count as failed, and all weights are 0."""
        lengths = np.full(episodes, time_limit, np.int64)
        return cls(np.full(episodes, failed_return), lengths, np.zeros(weights))

    def stop_at(self, episode: int) -> None:
        """Notes the episode in which learning has diverged."""
        self.diverged_episode = episode
        if self.beta is not None and episode > 0:
            self.beta[episode:] = self.beta[episode - 1]


@np.errstate(all="ignore")  # divergence is caught where it happens, not by warnings
def train(
    agent: Agent,
    environment: Any,
    features: Callable[[Any], np.ndarray],
    policy: np.random.Generator,
    training: Training,
    *,
    bootstraps_time_limit: bool = False,
    after_episode: Callable[[int], None] = lambda number: None,
) -> Training:
    """Trains until all episodes of an empty `training` are finished, or learning has diverged; returns it, filled.

    Args:
      environment: Gymnasium's interface, with discrete actions.
      features: from an observation to x, (features,); called once for each observation, in order.
      policy: the random numbers that pick actions.
      bootstraps_time_limit: whether an episode that its time limit ends is bootstrapped; else that is terminal.
      after_episode: is told the number of every finished episode, from 0 up.
    """
    training.weights = agent.weights
    try:
        for number in range(len(training.returns)):
            agent.start_episode()
            observation, _ = environment.reset()
            x = features(observation)
            total, length, over = 0.0, 0, False
            while not over:
                action, pi = agent.act(x, policy.random())
                observation, reward, terminated, truncated, _ = environment.step(action)
                total, length, training.steps = total + float(reward), length + 1, training.steps + 1
                over = terminated or truncated
                terminal = terminated or (truncated and not bootstraps_time_limit)
                next_x = features(observation)
                agent.learn(x, pi, action, float(reward), next_x, terminal)
                x = next_x
            training.returns[number], training.lengths[number] = total, length
            after_episode(number)
    except DivergedError:
        training.stop_at(number)
    return training
