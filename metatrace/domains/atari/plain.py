"""The network once more, by torch's own layers and autograd: the oracle of `network` and `gradients`.

With `metatrace.agents.network` it is that of `update` as well; it trains nothing.
"""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import conv2d, linear, silu

from metatrace.domains.atari.network import Layout


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
