"""The agent once more, slow and obviously right: autograd, a pass for each gradient, tuners as they stand.

It is the oracle of `network`, `gradients` and `update`, and trains nothing.
"""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import conv2d, linear, log_softmax, silu

from metatrace.domains.atari.network import Layout
from metatrace.tuning import Tuner


def dsilu(x: Tensor) -> Tensor:
    """σ(x) (1 + x (1 − σ(x)))."""
    return torch.sigmoid(x) * (1 + x * (1 - torch.sigmoid(x)))


def value_and_logits(layout: Layout, w: Tensor, observation: np.ndarray) -> tuple[Tensor, Tensor]:
    """V and the policy's logits of a (4, 84, 84) uint8 observation, differentiable in w."""
    p = layout.views(w)
    x = torch.from_numpy(observation).to(w)[None] / 255
    x = silu(conv2d(x, p["conv_1"].view(16, 4, 8, 8), p["conv_1_bias"], stride=4))
    x = silu(conv2d(x, p["conv_2"].view(32, 16, 4, 4), p["conv_2_bias"], stride=2))
    x = dsilu(linear(x.flatten(1), p["dense"], p["dense_bias"]))[0]
    return torch.dot(p["value"], x) + p["value_bias"][0], linear(x, p["policy"], p["policy_bias"])


class Agent:
    """AC(λ) by autograd."""

    def __init__(self, layout: Layout, w: Tensor, tuner: Tuner, *, gamma: float) -> None:
        self.layout, self.tuner, self.gamma = layout, tuner, gamma
        self.w = w.clone().requires_grad_()
        self.z = torch.zeros_like(w)

    def start_episode(self) -> None:
        self.z = torch.zeros_like(self.z)
        self.tuner.start_episode()

    def learn(
        self,
        observation: np.ndarray,
        action: int,
        reward: float,
        next_observation: np.ndarray,
        terminal: bool,
    ) -> float:
        """One step; returns δ."""
        value, logits = value_and_logits(self.layout, self.w, observation)
        next_value, _ = value_and_logits(self.layout, self.w, next_observation)
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
            alpha = self.tuner.update(grad_U=grad_U, grad_H=grad_H, grad_delta=grad_delta, delta=delta, z=self.z)
            self.w += alpha * (self.z * delta + self.tuner.psi * grad_H)
        return float(delta)

    def _gradient(self, of: Tensor) -> Tensor:
        (gradient,) = torch.autograd.grad(of, self.w, retain_graph=True)
        return gradient
