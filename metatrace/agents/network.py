"""AC(λ) with entropy regularization over any differentiable value and policy: a backward pass per gradient.

Slow and obviously right: the oracle of the fast agents with networks.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from metatrace.tuning import Tuner


class Agent:
    """AC(λ) by autograd.

    Args:
      value_and_logits: from weights and an observation to V, a 0-d tensor, and the policy's logits, (actions,),
        both differentiable in the weights.
      w: (n,), the weights at the start.
    """

    def __init__(
        self, value_and_logits: Callable[[Tensor, Any], tuple[Tensor, Tensor]], w: Tensor, tuner: Tuner, *, gamma: float
    ) -> None:
        self.value_and_logits, self.tuner, self.gamma = value_and_logits, tuner, gamma
        self.w = w.clone().requires_grad_()
        self.z = torch.zeros_like(w)

    def start_episode(self) -> None:
        """Begins an episode: traces are forgotten."""
        self.z = torch.zeros_like(self.z)
        self.tuner.start_episode()

    def learn(self, observation: Any, action: int, reward: float, next_observation: Any, terminal: bool) -> float:
        """One step; returns δ."""
        value, logits = self.value_and_logits(self.w, observation)
        next_value, _ = self.value_and_logits(self.w, next_observation)
        log_pi = log_softmax(logits, 0)
        entropy = -(log_pi.exp() * log_pi).sum()
        grad_U = self._gradient(value + 0.5 * log_pi[action])
        grad_H = self._gradient(entropy)
        delta = reward - value
        if not terminal:
            delta = delta + self.gamma * next_value
        grad_delta = self._gradient(delta)

        with torch.no_grad():
            delta = delta.detach()
            self.z = self.tuner.gamma_lambda * self.z + grad_U
            self.w += self.tuner.step(grad_U=grad_U, grad_H=grad_H, grad_delta=grad_delta, delta=delta, z=self.z)
        return float(delta)

    def _gradient(self, of: Tensor) -> Tensor:
        (gradient,) = torch.autograd.grad(of, self.w, retain_graph=True)
        return gradient
