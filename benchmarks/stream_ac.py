"""Stream AC(λ) for MinAtar (Elsayed, Vasan and Mahmood, 2024), written in torch from the paper's description.

A peer to measure speed against, as its authors' users run it: eager torch, autograd, one frame at a time.
"""

import math
from collections.abc import Iterable

import numpy as np
import torch
from torch import nn

GAMMA, LAM = 0.99, 0.8
ENTROPY = 0.01  # ψ
KAPPA_POLICY, KAPPA_VALUE = 3.0, 2.0
SPARSITY = 0.9  # the share of a unit's incoming weights that start at 0


class Normalized(nn.Module):
    """Layer normalization without weights of its own, over all but the first dimension."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.layer_norm(x, x.shape[1:])


def network(channels: int, outputs: int) -> nn.Sequential:
    """16 filters of 3×3, 128 units, each normalized and followed by a leaky ReLU; sparse initial weights."""
    layers = nn.Sequential(
        nn.Conv2d(channels, 16, 3), Normalized(), nn.LeakyReLU(), nn.Flatten(),
        nn.Linear(1024, 128), Normalized(), nn.LeakyReLU(), nn.Linear(128, outputs),
    )  # fmt: skip
    for layer in layers:
        if isinstance(layer, nn.Conv2d | nn.Linear):
            start_sparse(layer.weight)
            nn.init.zeros_(layer.bias)
    return layers


@torch.no_grad()
def start_sparse(weight: nn.Parameter) -> None:
    """Uniform in ±1/√(incoming), and for each unit nine tenths of them 0."""
    incoming = weight[0].numel()
    bound = 1 / math.sqrt(incoming)
    weight.uniform_(-bound, bound)
    rows = weight.view(len(weight), incoming)
    for row in rows:
        row[torch.randperm(incoming)[: math.ceil(SPARSITY * incoming)]] = 0


class ObGD:
    """Overshooting-bounded gradient descent: z ← γλz + g, w ← w + αδz, α = 1 / max(1, κ max(|δ|, 1)‖z‖₁)."""

    def __init__(self, weights: Iterable[nn.Parameter], kappa: float) -> None:
        self.weights, self.kappa = list(weights), kappa
        self.traces = [torch.zeros_like(weight) for weight in self.weights]

    @torch.no_grad()
    def step(self, delta: float, *, over: bool) -> None:
        """Ascends along the gradients that `backward` has left; forgets the traces where an episode ends."""
        norm = 0.0
        for weight, trace in zip(self.weights, self.traces, strict=True):
            assert weight.grad is not None
            trace.mul_(GAMMA * LAM).add_(weight.grad)
            norm += float(trace.abs().sum())
        alpha = 1 / max(1.0, self.kappa * max(abs(delta), 1.0) * norm)
        for weight, trace in zip(self.weights, self.traces, strict=True):
            weight.add_(trace, alpha=alpha * delta)
            weight.grad = None
            if over:
                trace.zero_()


class RunningMoments:
    """The mean and the variance of all that was seen, element by element."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, x: np.ndarray | float) -> None:
        self.count += 1
        before = x - self.mean
        self.mean = self.mean + before / self.count
        self.squares = self.squares + before * (x - self.mean)

    @property
    def deviation(self) -> np.ndarray | float:
        return np.sqrt((self.squares / (self.count - 1) if self.count > 1 else 1.0) + 1e-8)


class StreamAC:
    """The agent, with normalized observations and rewards scaled by the deviation of their discounted sum."""

    def __init__(self, channels: int, n_actions: int) -> None:
        self.policy, self.value = network(channels, n_actions), network(channels, 1)
        self.of_policy = ObGD(self.policy.parameters(), KAPPA_POLICY)
        self.of_value = ObGD(self.value.parameters(), KAPPA_VALUE)
        self.observations, self.returns, self.discounted = RunningMoments(), RunningMoments(), 0.0

    def see(self, observation: np.ndarray) -> torch.Tensor:
        """An observation, normalized by what was seen so far."""
        x = observation.astype(np.float64)
        self.observations.add(x)
        scaled = (x - self.observations.mean) / self.observations.deviation
        return torch.from_numpy(scaled.astype(np.float32))[None]

    @torch.no_grad()
    def act(self, x: torch.Tensor) -> int:
        return int(torch.distributions.Categorical(logits=self.policy(x)).sample())

    def learn(self, x: torch.Tensor, action: int, reward: float, next_x: torch.Tensor, over: bool) -> None:
        """δ = R + γV(S') − V(S); the policy ascends log π(A|S) + ψ sign(δ) H, the value V."""
        self.discounted = GAMMA * self.discounted * (not over) + reward
        self.returns.add(self.discounted)
        value = self.value(x)
        with torch.no_grad():
            following = 0.0 if over else GAMMA * float(self.value(next_x))
        delta = reward / float(self.returns.deviation) + following - float(value.detach())
        pi = torch.distributions.Categorical(logits=self.policy(x))
        aim = pi.log_prob(torch.tensor([action])) + ENTROPY * np.sign(delta) * pi.entropy()
        aim.sum().backward()
        value.sum().backward()
        self.of_policy.step(delta, over=over)
        self.of_value.step(delta, over=over)
