"""The agent written to be read, by torch's own layers and autograd: for every method, on any device.

It is the oracle of the compiled one.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import conv2d, linear, log_softmax, silu

from metatrace.errors import UserError
from metatrace.networks.agent import NetworkAgent
from metatrace.networks.shape import NetworkShape
from metatrace.tuning import Tuner


def entropy(log_pi: Tensor) -> Tensor:
    """−Σ π_a (log π_a − log π_0): the gradient is that of the entropy, since Σ ∂π_a = 0, and the value lacks log π_0.

    Autograd's gradient of −Σ π_a log π_a is rounding noise where the policy is uniform, and a normalized tuner scales
    noise up to the size of a gradient if nothing else has come in. Here it is exactly 0.
    """
    known = log_pi.detach()
    return -(log_pi.exp() * (known - known[0])).sum()


def dsilu(x: Tensor) -> Tensor:
    """σ(x) (1 + x (1 − σ(x)))."""
    return torch.sigmoid(x) * (1 + x * (1 - torch.sigmoid(x)))


def value_and_logits(shape: NetworkShape, w: Tensor, observation: np.ndarray) -> tuple[Tensor, Tensor]:
    """V, a 0-d tensor, and the policy's logits, (actions,), of an observation; differentiable in w."""
    p = shape.views(w)
    x = torch.from_numpy(observation).to(w)[None] * shape.scale
    for number, (filters, size, stride) in enumerate(shape.convolutions, start=1):
        kernels = p[f"conv_{number}"].view(filters, size, size, -1).movedim(3, 1)
        x = silu(conv2d(x, kernels, p[f"conv_{number}_bias"], stride=stride))
    x = dsilu(linear(x.movedim(1, 3).flatten(1), p["dense"], p["dense_bias"]))[0]
    return torch.dot(p["value"], x) + p["value_bias"][0], linear(x, p["policy"], p["policy_bias"])


class PlainAgent(NetworkAgent):
    """AC(λ) over any differentiable value and policy: a backward pass per gradient.

    Args:
      value_and_logits: from weights and an observation to V and the logits, as the function of that name.
      w: (n,), the weights at the start.
    """

    def __init__(
        self, value_and_logits: Callable[[Tensor, Any], tuple[Tensor, Tensor]], w: Tensor, tuner: Tuner, *, gamma: float
    ) -> None:
        self.value_and_logits, self.tuner, self.gamma = value_and_logits, tuner, gamma
        self.w = w.clone().requires_grad_()
        self.z = torch.zeros_like(w)
        tuner.adopt(w)

    def start_episode(self) -> None:
        self.z.zero_()
        self.tuner.start_episode()

    def see(self, observation: np.ndarray) -> None:
        self._seen = observation

    def _outputs(self) -> np.ndarray:
        self._value, self._logits = self.value_and_logits(self.w, self._seen)
        made: np.ndarray = torch.cat([self._value[None], self._logits]).detach().cpu().numpy()
        return made

    def learn(self, reward: float, next_observation: np.ndarray, terminal: bool) -> float:
        log_pi = log_softmax(self._logits, 0)
        delta = reward - self._value
        if not terminal:
            delta = delta + self.gamma * self.value_and_logits(self.w, next_observation)[0]
        wanted = (self._value + 0.5 * log_pi[self.action], entropy(log_pi), delta)
        grad_U, grad_H, grad_delta = (torch.autograd.grad(one, self.w, retain_graph=True)[0] for one in wanted)
        self._seen = next_observation
        with torch.no_grad():
            self.z.mul_(self.tuner.gamma_lambda).add_(grad_U)
            step = {"grad_U": grad_U, "grad_H": grad_H, "grad_delta": grad_delta, "delta": delta.detach()}
            self.w += self.tuner.step(**step, z=self.z)
        return delta.item()

    def state(self) -> dict[str, np.ndarray]:
        return {name: tensor.cpu().numpy() for name, tensor in self._tensors().items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        for name, tensor in self._tensors().items():
            if state[name].shape != tensor.shape:
                raise ValueError(f"{name} has another shape")
            tensor.copy_(torch.from_numpy(state[name]))

    def _tensors(self) -> dict[str, Tensor]:
        tuners = {f"tuner/{name}": value for name, value in vars(self.tuner).items() if isinstance(value, Tensor)}
        return {"w": self.w.detach(), "z": self.z, **tuners}


def device(chosen: str) -> torch.device:
    """`auto` is the graphics card where there is one.

    Raises:
      UserError: there is no such device.
    """
    if chosen == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError):
        raise UserError(f"--device: there is no {chosen!r} here; it must be auto, cpu or cuda") from None
    return torch.device(chosen)
