"""How large a network is, where its weights lie in one flat vector, and how they start.

The paper, section "Arcade Learning Environment": convolutions with SiLU, a dense layer with dSiLU, then a linear value
and a softmax policy.

    SiLU(x) = x σ(x)        dSiLU(x) = σ(x) (1 + x (1 − σ(x)))
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np


class Convolution(NamedTuple):
    """A layer of `filters` square kernels, `size` pixels a side, `stride` pixels apart."""

    filters: int
    size: int
    stride: int = 1


@dataclass(frozen=True)
class NetworkShape:
    """The sizes of a network.

    Inside, an image is (side, side, channels), and so are the kernels of a convolution: a row of a patch is one run of
    numbers.

    Attributes:
      channels, side: of an observation, (channels, side, side); its numbers are multiplied by `scale`.
      convolutions: from the observation on; at least one.
      hidden: outputs of the dense layer, a multiple of 4 (the compiled passes take four rows at a time).
    """

    channels: int
    side: int
    convolutions: tuple[Convolution, ...]
    hidden: int
    n_actions: int
    scale: float = 1.0

    @cached_property
    def images(self) -> tuple[tuple[int, int], ...]:
        """Channels and side of what goes into each convolution, and of what the last gives."""
        images = [(self.channels, self.side)]
        for filters, size, stride in self.convolutions:
            images.append((filters, (images[-1][1] - size) // stride + 1))
        return tuple(images)

    @cached_property
    def flat(self) -> int:
        """How many numbers go into the dense layer."""
        channels, side = self.images[-1]
        return channels * side**2

    @cached_property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The shape of each layer's weights, in their order."""
        shapes: dict[str, tuple[int, ...]] = {}
        for number, (filters, size, _) in enumerate(self.convolutions):
            shapes[f"conv_{number + 1}"] = (filters, size**2 * self.images[number][0])
            shapes[f"conv_{number + 1}_bias"] = (filters,)
        return shapes | {
            "dense": (self.hidden, self.flat),
            "dense_bias": (self.hidden,),
            "value": (self.hidden,),
            "value_bias": (1,),
            "policy": (self.n_actions, self.hidden),
            "policy_bias": (self.n_actions,),
        }

    @cached_property
    def first(self) -> dict[str, int]:
        """Where each layer's weights begin."""
        return dict(zip(self.weights, np.cumsum([0, *self._sizes]).tolist(), strict=False))

    @property
    def n_weights(self) -> int:
        return sum(self._sizes)

    def views(self, flat: Any) -> dict[str, Any]:
        """Each layer's part of a flat (n_weights,) array or tensor, in its shape; no copies."""
        # A tensor's own `split` goes back through autograd as one operation.
        parts = flat.split(self._sizes) if hasattr(flat, "split") else np.split(flat, [*self.first.values()][1:])
        return {name: part.reshape(shape) for (name, shape), part in zip(self.weights.items(), parts, strict=True)}

    @property
    def _sizes(self) -> list[int]:
        return [math.prod(shape) for shape in self.weights.values()]


def initial_weights(shape: NetworkShape, seed: int, output_layers: str) -> np.ndarray:
    """PyTorch's default start, uniform within ±1/√fan-in; output layers zero (reading R11) or like the rest.

    The numbers are those of `torch.rand` after `torch.manual_seed(seed)`.

    Returns:
      (n_weights,), float32.
    """
    words = np.random.RandomState(seed % 2**32).randint(0, 2**32, shape.n_weights, dtype=np.uint32)
    uniform = (words % 2**24).astype(np.float32) * np.float32(2**-24)
    weights = np.empty_like(uniform)
    into, channels = shape.views(weights), [channels for channels, _ in shape.images]
    fan_in = 1
    for name, drawn in shape.views(uniform).items():
        if not name.endswith("_bias"):
            fan_in = drawn.shape[-1]
        bound = 1 / math.sqrt(fan_in)
        if drawn.ndim > 1 and channels:  # PyTorch has channels first
            drawn = drawn.reshape(len(drawn), channels.pop(0), -1).swapaxes(1, 2)
        into[name].reshape(drawn.shape)[...] = drawn * np.float32(2 * bound) - np.float32(bound)
        if output_layers == "zero" and name.partition("_")[0] in ("value", "policy"):
            into[name][...] = 0.0
    return weights
