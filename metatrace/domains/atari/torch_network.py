"""The network and its gradients on any device: `network` and `gradients` at weights that stay in place."""

import numpy as np
import torch
from torch import Tensor

from metatrace.domains.atari.gradients import Gradients, write_gradients
from metatrace.domains.atari.network import Activations, Layout, forward, patches_of


class TorchNetwork:
    """The network at the weights `flat`, (n_weights,), whatever becomes of them."""

    def __init__(self, layout: Layout, flat: Tensor) -> None:
        self.weights = layout.views(flat)

    def patches_of(self, observation: np.ndarray) -> Tensor:
        """The first convolution's input, of a (4, 84, 84) uint8 observation."""
        return patches_of(torch.from_numpy(observation).to(self.weights["dense"].device))

    def forward(self, patches_1: Tensor) -> Activations:
        """One pass over one state."""
        return forward(self.weights, patches_1)

    def write_gradients(
        self, now: Activations, following: Activations | None, action: int, gamma: float, gradients: Gradients
    ) -> None:
        """Writes the three gradients of a step, see the function of that name."""
        write_gradients(self.weights, now, following, action, gamma, gradients)
