"""The network: a value and a softmax policy over four grey frames, all weights in one flat vector.

The paper, section "Arcade Learning Environment": convolutions of 16 filters 8×8 at stride 4 and 32 filters
4×4 at stride 2 with SiLU, a dense layer of 256 with dSiLU, then a linear value and a softmax policy:

    SiLU(x) = x σ(x)        dSiLU(x) = σ(x) (1 + x (1 − σ(x)))

A convolution is a matrix product over patches, which lets `gradients` share what the states of a step have in
common. The network and its gradients are written out by hand for one state; `plain` has them by autograd.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from metatrace.domains.atari.shapes import (
    FILTERS_1,
    FILTERS_2,
    FLAT,
    HIDDEN,
    KERNEL_1,
    KERNEL_2,
    PATCH_1,
    PATCH_2,
    SIDE_1,
    SIDE_2,
    STRIDE_1,
    STRIDE_2,
)


@dataclass(frozen=True)
class Layout:
    """Where each layer's weights lie in the flat vector, for a game with `n_actions` actions."""

    n_actions: int

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {
            "conv_1": (FILTERS_1, PATCH_1),
            "conv_1_bias": (FILTERS_1,),
            "conv_2": (FILTERS_2, PATCH_2),
            "conv_2_bias": (FILTERS_2,),
            "dense": (HIDDEN, FLAT),
            "dense_bias": (HIDDEN,),
            "value": (HIDDEN,),
            "value_bias": (1,),
            "policy": (self.n_actions, HIDDEN),
            "policy_bias": (self.n_actions,),
        }

    @cached_property
    def n_weights(self) -> int:
        return sum(math.prod(shape) for shape in self.shapes.values())

    def views(self, flat: Tensor) -> dict[str, Tensor]:
        """Each layer's part of a flat (n_weights,) vector, in its shape; no copies."""
        parts = flat.split([math.prod(shape) for shape in self.shapes.values()])
        return {name: part.view(shape) for (name, shape), part in zip(self.shapes.items(), parts, strict=True)}


def initial_weights(layout: Layout, generator: torch.Generator, output_layers: str) -> Tensor:
    """PyTorch's default start, uniform within ±1/√fan-in; output layers zero (reading R11) or like the rest.

    Returns:
      (n_weights,), float32, on the CPU.
    """
    flat = torch.empty(layout.n_weights)
    views = layout.views(flat)
    fan_in = 1
    for name, view in views.items():
        if not name.endswith("_bias"):
            fan_in = view.shape[-1]
        bound = 1 / math.sqrt(fan_in)
        view.copy_(torch.rand(view.shape, generator=generator) * (2 * bound) - bound)
        if output_layers == "zero" and name.partition("_")[0] in ("value", "policy"):
            view.zero_()
    return flat


@dataclass
class Activations:
    """What a pass over one state leaves for the gradients; `patches_1` is its input.

    Pre-activations `x_1` (filters, places), `x_2`, `x_3` (256,), with their sigmoids `s_1`, `s_2`, `s_3`;
    the layers' inputs `patches_1`, `patches_2` (patch, places) and `flat` (2592,), `hidden` (256,).
    """

    patches_1: Tensor
    x_1: Tensor
    s_1: Tensor
    patches_2: Tensor
    x_2: Tensor
    s_2: Tensor
    flat: Tensor
    x_3: Tensor
    s_3: Tensor
    hidden: Tensor
    value: Tensor  # (1,)
    logits: Tensor  # (n_actions,)


def patches_of(observation: Tensor) -> Tensor:
    """The first convolution's input: (256, 400) float32 in [0, 1], of a (4, 84, 84) uint8 observation."""
    # float first: an unfolded byte costs as much to copy as an unfolded float
    frames = observation.to(torch.float32).mul_(1 / 255)
    windows = frames.unfold(1, KERNEL_1, STRIDE_1).unfold(2, KERNEL_1, STRIDE_1)
    return windows.permute(0, 3, 4, 1, 2).reshape(PATCH_1, SIDE_1**2)


def forward(weights: dict[str, Tensor], patches_1: Tensor) -> Activations:
    """One pass over one state; `weights` are `Layout.views` of the flat vector."""
    x_1 = torch.addmm(weights["conv_1_bias"][:, None], weights["conv_1"], patches_1)
    s_1 = torch.sigmoid(x_1)
    images = (x_1 * s_1).view(FILTERS_1, SIDE_1, SIDE_1)
    windows = images.unfold(1, KERNEL_2, STRIDE_2).unfold(2, KERNEL_2, STRIDE_2)
    patches_2 = windows.permute(0, 3, 4, 1, 2).reshape(PATCH_2, SIDE_2**2)
    x_2 = torch.addmm(weights["conv_2_bias"][:, None], weights["conv_2"], patches_2)
    s_2 = torch.sigmoid(x_2)
    flat = (x_2 * s_2).view(FLAT)
    x_3 = torch.addmv(weights["dense_bias"], weights["dense"], flat)
    s_3 = torch.sigmoid(x_3)
    hidden = s_3 * (1 + x_3 * (1 - s_3))
    value = torch.dot(weights["value"], hidden) + weights["value_bias"]
    logits = torch.addmv(weights["policy_bias"], weights["policy"], hidden)
    return Activations(patches_1, x_1, s_1, patches_2, x_2, s_2, flat, x_3, s_3, hidden, value, logits)
