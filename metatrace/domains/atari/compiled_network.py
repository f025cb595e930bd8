"""The network and its gradients by the compiled operations of `network_kernel`, on one processor core.

The same as `TorchNetwork`, which tests hold it to; only matrix products
are torch's. Arrays are made once: a pass is good until the one after the next is made.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from metatrace.domains.atari import step_kernel_layout as kernel_layout
from metatrace.domains.atari.gradients import NEXT_V, Gradients, H, U, V
from metatrace.domains.atari.network import Layout
from metatrace.domains.atari.shapes import (
    FILTERS_1,
    FILTERS_2,
    FLAT,
    FRAMES,
    HIDDEN,
    PATCH_1,
    PATCH_2,
    SIDE_1,
    SIDE_2,
    SIZE,
)


@dataclass
class Pass:
    """What a pass over one state leaves, as `network.Activations` but with the slopes of SiLU and dSiLU."""

    patches_1: Tensor
    x_1: Tensor
    slope_1: Tensor
    patches_2: Tensor
    x_2: Tensor
    slope_2: Tensor
    flat: Tensor
    x_3: Tensor
    slope_3: Tensor
    hidden: Tensor
    value: Tensor  # (1,)
    logits: Tensor  # (n_actions,)


class CompiledNetwork:
    """The network at the weights `flat`, whatever becomes of them.

    Args:
      flat: (n_weights,), float32, on the CPU.
      kernel: of `object_code.load`.
    """

    def __init__(self, layout: Layout, flat: Tensor, kernel: Callable[..., None]) -> None:
        self._layout, self._kernel, self._weights = layout, kernel, layout.views(flat)
        self._conv_1_bias = self._weights["conv_1_bias"][:, None]
        self._conv_2_bias = self._weights["conv_2_bias"][:, None]
        self._numbers = np.zeros(1)
        self._idle = self._numbers.ctypes.data  # the place of arguments that are not used
        new = flat.new_zeros
        self._frames = new(FRAMES, SIZE, SIZE)
        self._images = new(FILTERS_1, SIDE_1**2)
        self._patches = itertools.cycle([new(PATCH_1, SIDE_1**2) for _ in range(2)])
        self._passes = itertools.cycle([self._new_pass(new) for _ in range(2)])
        self._back_2, self._back_1 = new(4, FLAT), new(4, FILTERS_1, SIDE_1**2)
        self._back_patches = new(4, PATCH_2, SIDE_2**2)

    def _new_pass(self, new: Callable[..., Tensor]) -> Pass:
        return Pass(
            patches_1=new(0),
            x_1=new(FILTERS_1, SIDE_1**2),
            slope_1=new(FILTERS_1, SIDE_1**2),
            patches_2=new(PATCH_2, SIDE_2**2),
            x_2=new(FILTERS_2, SIDE_2**2),
            slope_2=new(FILTERS_2, SIDE_2**2),
            flat=new(FLAT),
            x_3=new(HIDDEN),
            slope_3=new(HIDDEN),
            hidden=new(HIDDEN),
            value=new(1),
            logits=new(self._layout.n_actions),
        )

    def patches_of(self, observation: np.ndarray) -> Tensor:
        """As `network.patches_of`, of an array; good until the patches after the next are made."""
        made = next(self._patches)
        torch.mul(torch.from_numpy(observation), 1 / 255, out=self._frames)
        self._run(kernel_layout.PATCHES, self._frames, made)
        return made

    def forward(self, patches_1: Tensor) -> Pass:
        """One pass over one state."""
        weights, made = self._weights, next(self._passes)
        made.patches_1 = patches_1
        torch.addmm(self._conv_1_bias, weights["conv_1"], patches_1, out=made.x_1)
        self._run(kernel_layout.ACTIVATE_1, made.x_1, made.slope_1, self._images, made.patches_2)
        torch.addmm(self._conv_2_bias, weights["conv_2"], made.patches_2, out=made.x_2)
        self._run(kernel_layout.ACTIVATE_2, made.x_2, made.slope_2, made.flat)
        torch.addmv(weights["dense_bias"], weights["dense"], made.flat, out=made.x_3)
        self._run(kernel_layout.ACTIVATE_3, made.x_3, made.slope_3, made.hidden)
        torch.add(torch.dot(weights["value"], made.hidden), weights["value_bias"], out=made.value)
        torch.addmv(weights["policy_bias"], weights["policy"], made.hidden, out=made.logits)
        return made

    def write_gradients(
        self, now: Pass, following: Pass | None, action: int, gamma: float, gradients: Gradients
    ) -> None:
        """As `gradients.write_gradients`; the dense layer's outer products are never written out."""
        weights, back_2, back_1, back_patches = self._weights, self._back_2, self._back_1, self._back_patches
        after = now if following is None else following
        self._numbers[kernel_layout.NEXT_SHARE] = 0.0 if following is None else gamma
        self._run(
            kernel_layout.BACK_3,
            *(now.logits, weights["policy"], weights["value"]),
            *(now.hidden, now.slope_3, after.hidden, after.slope_3, gradients.went_back),
            *(views["dense_bias"] for views in gradients.views),
            integers=(len(now.logits), action),
        )
        gradients.came_in, gradients.came_in_next = now.flat, after.flat

        # Without ∂δ/∂w, rows U and H alone go further back.
        first, last = (V, NEXT_V + 1) if gradients.needs_delta else (U, H + 1)
        some = slice(first, last)
        torch.mm(gradients.went_back[some], weights["dense"], out=back_2[some])
        biases = (views["conv_2_bias"] for views in gradients.views)
        self._run(kernel_layout.BACK_2, back_2, now.slope_2, after.slope_2, *biases, integers=(first, last))
        rows = back_2.view(4, FILTERS_2, SIDE_2**2)
        self._by_filters("conv_2", rows, now.patches_2, after.patches_2, gradients)

        torch.matmul(weights["conv_2"].T, rows[some], out=back_patches[some])
        biases = (views["conv_1_bias"] for views in gradients.views)
        self._run(
            kernel_layout.BACK_1,
            *(back_patches, back_1, now.slope_1, after.slope_1),
            *biases,
            integers=(first, last),
        )
        self._by_filters("conv_1", back_1, now.patches_1, after.patches_1, gradients)

    def _by_filters(self, name: str, back: Tensor, patches: Tensor, next_patches: Tensor, gradients: Gradients) -> None:
        """The gradients by a convolution's filters: back (4, filters, places), patches (patch, places)."""
        grad_U, grad_H, grad_delta = (views[name] for views in gradients.views)
        torch.mm(back[U], patches.T, out=grad_U)
        torch.mm(back[H], patches.T, out=grad_H)
        if gradients.needs_delta:
            torch.mm(back[NEXT_V], next_patches.T, out=grad_delta)
            grad_delta.addmm_(back[V], patches.T, alpha=-1)

    def _run(self, what: int, *arrays: Tensor, integers: tuple[int, int] = (0, 0)) -> None:
        addresses = [array.data_ptr() for array in arrays]
        numbers = self._idle
        self._kernel(what, *integers, numbers, numbers, *addresses, *[numbers] * (11 - len(addresses)))
