"""A small network for the games' plain agent, which `linear.train` then trains as it trains the linear one."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import linear, silu

from metatrace.agents.linear import DivergedError
from metatrace.networks.plain import PlainAgent, dsilu

HIDDEN = 64


class Network:
    """V and the policy's logits of an observation, from one flat vector of weights.

    Two hidden layers of 64, with SiLU and then dSiLU, as the layers of the games' network have them. Hidden layers
    start uniform within ±1/√fan-in, as PyTorch's do, and the output layer starts at 0 (reading R11).
    """

    def __init__(self, n_numbers: int, n_actions: int) -> None:
        layers = ((n_numbers, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 1 + n_actions))
        self.shapes = [shape for fan_in, fan_out in layers for shape in ((fan_out, fan_in), (fan_out,))]
        self.sizes = [math.prod(shape) for shape in self.shapes]

    def initial_weights(self, random: np.random.Generator) -> Tensor:
        """(n_weights,), float32."""
        bounds = [1 / math.sqrt(shape[-1]) for shape in self.shapes[:4:2] for _ in range(2)] + [0.0, 0.0]
        bound = np.repeat(bounds, self.sizes)
        return torch.from_numpy((bound * random.uniform(-1, 1, sum(self.sizes))).astype(np.float32))

    def __call__(self, w: Tensor, observation: np.ndarray) -> tuple[Tensor, Tensor]:
        """V, a 0-d tensor, and the logits, (actions,); differentiable in w, (n_weights,)."""
        parts = (part.view(shape) for part, shape in zip(w.split(self.sizes), self.shapes, strict=True))
        w_1, b_1, w_2, b_2, w_3, b_3 = parts
        x = silu(linear(torch.from_numpy(observation).to(w), w_1, b_1))
        outputs = linear(dsilu(linear(x, w_2, b_2)), w_3, b_3)
        return outputs[0], outputs[1:]


class Learner:
    """A network's agent, with the calls of `metatrace.agents.linear.Agent`."""

    def __init__(self, agent: PlainAgent) -> None:
        self.agent, self.start_episode = agent, agent.start_episode
        self.weights = agent.w.detach().numpy()

    def act(self, x: np.ndarray, uniform: float) -> tuple[int, Any]:
        """The action that a uniform number in [0, 1) picks from π(·|s), and π(·|s)."""
        self.agent.see(x)
        return self.agent.act(uniform), self.agent.pi

    def learn(self, x: np.ndarray, pi: Any, action: int, reward: float, next_x: np.ndarray, terminal: bool) -> None:
        """One step of AC(λ) from the action of the last `act`.

        Raises:
          DivergedError: the TD error or a step-size is no longer finite.
        """
        delta = self.agent.learn(reward, next_x, terminal)
        if not (math.isfinite(delta) and self.agent.tuner.is_finite()):
            raise DivergedError
