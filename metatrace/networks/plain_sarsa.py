"""SARSA(λ) on a network, written to be read, by torch's autograd: with every tuner, on any device.

It is the oracle of the compiled one.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from metatrace.networks.plain import PlainAgent
from metatrace.networks.sarsa import SarsaAgent
from metatrace.tuning import Tuner


class PlainSarsa(SarsaAgent, PlainAgent):
    """SARSA(λ) over any differentiable action values; to a tuner U = Q, and there is no entropy term.

    Args:
      value_and_logits: from weights and an observation to a value, which is not used, and the action values.
      w: (n,), the weights at the start. tau_0, tau_k: see `SarsaAgent`.
    """

    def __init__(
        self,
        value_and_logits: Callable[[Tensor, Any], tuple[Tensor, Tensor]],
        w: Tensor,
        tuner: Tuner,
        *,
        gamma: float,
        tau_0: float,
        tau_k: float,
    ) -> None:
        super().__init__(value_and_logits, w, tuner, gamma=gamma)
        self.set_temperature(tau_0, tau_k)
        self.grad_Q = torch.zeros_like(w)

    def _forget_trace(self) -> None:
        PlainAgent.start_episode(self)

    def _action_values(self) -> np.ndarray:
        self._seen_values = self.value_and_logits(self.w, self._seen)[1]
        made: np.ndarray = self._seen_values.detach().cpu().numpy()
        return made

    def _add_to_trace(self) -> float:
        Q = self.value_and_logits(self.w, self._seen)[1][self.action]
        self.grad_Q.copy_(torch.autograd.grad(Q, self.w)[0])
        self.z.mul_(self.tuner.gamma_lambda).add_(self.grad_Q)
        return Q.item()

    def _move(self, delta: float, following: int | None) -> None:
        grad_delta = -self.grad_Q
        if following is not None:
            grad_delta = grad_delta + self.gamma * torch.autograd.grad(self._seen_values[following], self.w)[0]
        with torch.no_grad():
            step = {"grad_U": self.grad_Q, "grad_delta": grad_delta, "delta": self.w.new_tensor(delta)}
            self.w += self.tuner.step(**step, z=self.z)

    def state(self) -> dict[str, np.ndarray]:
        return {**super().state(), **self._saved()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        self._take_back(state)

    def _tensors(self) -> dict[str, Tensor]:
        return {**super()._tensors(), "grad_Q": self.grad_Q}
