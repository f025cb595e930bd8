"""SARSA(λ) with a linear action value and an ε-greedy policy over any features, and the loop that trains it.

The agent that SID and NOSID were made for (Dabney, 2014), with any tuner of `metatrace.tuning`:

    δ = R + γQ(S_{t+1}, A_{t+1}) − Q(S_t, A_t);   z ← γλz + ∂Q(S_t, A_t)/∂w;   w ← w + the tuner's Δw

A_{t+1} is chosen by the weights before the step. To the tuner U = Q and ∂δ/∂w = γ∂Q(S_{t+1}, A_{t+1})/∂w −
∂Q(S_t, A_t)/∂w. There is no policy to learn, and so no entropy term.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from metatrace.agents.linear import DivergedError, Training

if TYPE_CHECKING:
    from metatrace.tuning import Tuner


class Agent:
    """Q(s, a) = ⟨w_a|x⟩, all zero at the start.

    Args:
      tuner: over all weights as one flat vector.
      epsilon: ε, how often an action is drawn at random from all.
      cuts_terminal_trace: whether the terminal step forgets the trace of earlier states.

    Attributes:
      weights: (actions, features).
      z: (weights,), the eligibility trace.
    """

    def __init__(
        self,
        n_actions: int,
        n_features: int,
        tuner: "Tuner",
        *,
        gamma: float,
        epsilon: float,
        cuts_terminal_trace: bool = False,
    ) -> None:
        self.tuner, self.gamma, self.epsilon = tuner, gamma, epsilon
        self.cuts_terminal_trace = cuts_terminal_trace
        self.weights = np.zeros((n_actions, n_features))
        self.z = np.zeros(self.weights.size)

    def policy(self, x: np.ndarray) -> np.ndarray:
        """π(·|s): (actions,), ε/|A| + (1 − ε)/|G| for each greedy action in G, ε/|A| for the others.

        So ties are broken at random.

        Raises:
          DivergedError: a value is no longer finite.
        """
        Q = self.weights @ x
        if not np.isfinite(Q).all():
            raise DivergedError
        is_greedy = Q.max() == Q
        return self.epsilon / len(Q) + (1 - self.epsilon) / is_greedy.sum() * is_greedy

    def grad_Q(self, x: np.ndarray, action: int) -> np.ndarray:
        """∂Q(s, a)/∂w: (weights,), x in the action's block."""
        gradient = np.zeros_like(self.weights)
        gradient[action] = x
        return gradient.ravel()

    def start_episode(self) -> None:
        """Begins an episode: traces are forgotten."""
        self.z[:] = 0
        self.tuner.start_episode()

    def act(self, x: np.ndarray, uniform: float) -> int:
        """The action that a uniform number in [0, 1) picks from π(·|s)."""
        pi = self.policy(x)
        action = int(np.searchsorted(np.cumsum(pi), uniform, side="right"))
        return min(action, len(pi) - 1)  # the sum of π may round to just below 1

    def learn(self, x: np.ndarray, action: int, reward: float, next_x: np.ndarray, next_action: int | None) -> None:
        """One step of SARSA(λ), all gradients at the weights before it; the next action is None where there is none.

        Raises:
          DivergedError: the TD error or a step-size is no longer finite.
        """
        grad_Q = self.grad_Q(x, action)
        delta = reward - self.weights[action] @ x
        grad_delta = -grad_Q
        if next_action is not None:
            delta += self.gamma * (self.weights[next_action] @ next_x)
            grad_delta += self.gamma * self.grad_Q(next_x, next_action)
        elif self.cuts_terminal_trace:
            self.z[:] = 0
        self.z = self.tuner.gamma_lambda * self.z + grad_Q
        change = self.tuner.step(grad_U=grad_Q, grad_delta=grad_delta, delta=delta, z=self.z)
        if not (np.isfinite(delta) and self.tuner.is_finite()):
            raise DivergedError
        self.weights += change.reshape(self.weights.shape)


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

    The arguments are those of `linear.train`. `policy` is asked for a number for every action, the next one's before
    the step is learned from.
    """
    training.weights = agent.weights
    try:
        for number in range(len(training.returns)):
            agent.start_episode()
            observation, _ = environment.reset()
            x = features(observation)
            action = agent.act(x, policy.random())
            total, length, over = 0.0, 0, False
            while not over:
                observation, reward, terminated, truncated, _ = environment.step(action)
                total, length, training.steps = total + float(reward), length + 1, training.steps + 1
                over = terminated or truncated
                terminal = terminated or (truncated and not bootstraps_time_limit)
                next_x = features(observation)
                next_action = None if terminal else agent.act(next_x, policy.random())
                agent.learn(x, action, float(reward), next_x, next_action)
                if not over:
                    assert next_action is not None
                    x, action = next_x, next_action
            training.returns[number], training.lengths[number] = total, length
            after_episode(number)
    except DivergedError:
        training.stop_at(number)
    return training
