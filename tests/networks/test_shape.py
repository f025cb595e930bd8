"""The sizes of networks, where their weights lie, and how they start."""

import numpy as np
import pytest
import torch

from metatrace.domains.atari.frames import network_shape
from metatrace.networks.shape import Convolution, NetworkShape, initial_weights

GAME = network_shape(6)
SMALL = NetworkShape(4, 10, (Convolution(16, 3),), 128, 6)


def test_the_number_of_weights():
    # 16·4·8·8 + 32·16·4·4 + 256·2592 + 256 + 6·256 weights, 16 + 32 + 256 + 1 + 6 biases
    assert GAME.n_weights == 4096 + 8192 + 663552 + 256 + 1536 + 311
    assert GAME.images == ((4, 84), (16, 20), (32, 9)) and GAME.flat == 2592
    assert SMALL.n_weights == 132_695 and SMALL.images == ((4, 10), (16, 8))


@pytest.mark.parametrize("flat", [np.zeros(SMALL.n_weights), torch.zeros(SMALL.n_weights)], ids=["numpy", "torch"])
def test_views_are_parts_of_the_flat_weights_one_after_the_other(flat):
    for number, view in enumerate(SMALL.views(flat).values(), start=1):
        view += number
    for number, first in enumerate(SMALL.first.values(), start=1):
        assert flat[first] == number and (first == 0 or flat[first - 1] == number - 1)
    assert flat[-1] == len(SMALL.weights)


@pytest.mark.parametrize("output_layers", ["zero", "pytorch_default"])
def test_weights_start_as_the_reading_says(output_layers):
    weights = initial_weights(GAME, 0, output_layers)
    views = GAME.views(weights)
    assert weights.dtype == np.float32
    for name, fan_in in {"conv_1": 256, "conv_2": 256, "dense": 2592, "dense_bias": 2592}.items():
        bound = fan_in**-0.5
        assert abs(views[name]).max() <= bound
        assert views[name].std() == pytest.approx(bound / 3**0.5, rel=0.3)
    for name in ("value", "value_bias", "policy", "policy_bias"):
        assert views[name].any() == (output_layers != "zero"), name


def test_the_numbers_are_torchs_with_channels_last():
    generator, fan_in = torch.Generator().manual_seed(2**40 + 5), 0
    for name, made in SMALL.views(initial_weights(SMALL, 2**40 + 5, "pytorch_default")).items():
        shape = {"conv_1": (16, 4, 9), "dense": (128, 16, 64)}.get(name, made.shape)
        fan_in = made.shape[-1] if not name.endswith("bias") else fan_in
        drawn = torch.rand(shape, generator=generator) * (2 * fan_in**-0.5) - fan_in**-0.5
        expected = drawn.movedim(1, -1) if drawn.ndim == 3 else drawn
        np.testing.assert_allclose(made, expected.reshape(made.shape), rtol=0, atol=1e-7)
