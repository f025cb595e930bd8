"""AC(λ) with entropy regularization on the network: the paper's section 3 on its Atari experiment.

    δ = R + γV(S_{t+1}) − V(S_t);   z ← γλz + ∂U/∂w, U = V + ½ log π;   w ← w + α (z δ + ψ ∂H/∂w)

A step's gradients are all at the same weights w_t; the step-size is the tuner's of this step (reading R5).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from metatrace.domains.atari.compiled_network import CompiledNetwork
from metatrace.domains.atari.gradients import Gradients
from metatrace.domains.atari.network import Layout
from metatrace.domains.atari.torch_network import TorchNetwork
from metatrace.domains.atari.update import TorchUpdate


class DivergedError(Exception):
    """A weight stopped being finite: there is no policy to follow."""


class Agent:
    """The agent; call `start_episode`, then `act` and `learn` in turn."""

    def __init__(self, layout: Layout, update: TorchUpdate, *, gamma: float) -> None:
        self.layout, self.update, self.gamma = layout, update, gamma
        # Two classes alike but for what a pass leaves, which nobody here looks into.
        self.network: Any = (
            TorchNetwork(layout, update.w)
            if update.kernel is None
            else CompiledNetwork(layout, update.w, update.kernel)
        )
        self.gradients = Gradients(layout, update.w, writes_dense=update.writes_dense, needs_delta=update.needs_delta)
        self._patches: Tensor
        self._now: Any
        self._action = 0
        self.entropy = 0.0  # of the policy that `act` last chose by, in nats

    def start_episode(self) -> None:
        """Begins an episode: traces are forgotten."""
        self.update.start_episode()

    def see(self, observation: np.ndarray) -> None:
        """Takes in the state to act in: (4, 84, 84) uint8. After `learn` the state is already known."""
        self._patches = self.network.patches_of(observation)

    @torch.no_grad()
    def act(self, uniform: float) -> int:
        """The action that a uniform number in [0, 1) picks from π(·|S_t) at the present weights.

        Raises:
          DivergedError: the policy or the value is no longer finite.
        """
        self._now = self.network.forward(self._patches)
        logits = self._now.logits.cpu().numpy().astype(np.float64)
        pi = np.exp(logits - logits.max())
        pi /= pi.sum()
        if not (np.isfinite(pi).all() and np.isfinite(self._now.value.item())):
            raise DivergedError
        self.entropy = float(-(pi * np.log(np.maximum(pi, 1e-300))).sum())
        chosen = int(np.searchsorted(pi.cumsum(), uniform, side="right"))
        self._action = min(chosen, len(pi) - 1)  # the sum may round to a little less than 1
        return self._action

    @torch.no_grad()
    def learn(self, reward: float, next_observation: np.ndarray, terminal: bool) -> float:
        """One step of learning from the action of the last `act`; returns δ."""
        now = self._now
        next_patches = self.network.patches_of(next_observation)
        following = None if terminal else self.network.forward(next_patches)
        delta = reward - now.value if following is None else reward + self.gamma * following.value - now.value
        self.network.write_gradients(now, following, self._action, self.gamma, self.gradients)
        self.update(self.gradients, delta[0])
        self._patches = next_patches
        return float(delta)

    def state(self) -> dict[str, np.ndarray]:
        """What learning has left: weights, trace, the tuner's arrays."""
        arrays = {"w": self.update.w, "z": self.update.z, **self._tuner_arrays()}
        return {name: value.cpu().numpy() for name, value in arrays.items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from `state`; after it, `see` the present observation."""
        for name, kept in {"w": self.update.w, "z": self.update.z, **self._tuner_arrays()}.items():
            saved = torch.from_numpy(np.asarray(state[name]))
            if saved.shape != kept.shape or saved.dtype != kept.dtype:
                raise ValueError(f"{name} has another shape or kind")
            kept.copy_(saved)

    def _tuner_arrays(self) -> dict[str, Tensor]:
        return {f"tuner/{name}": value for name, value in self.update.state.items()}
