"""The gradients by hand against autograd, and the network against torch's own layers."""

import numpy as np
import pytest
import torch

from metatrace.atari import plain
from metatrace.atari.gradients import NEXT_V, Gradients, H, U, V, write_gradients
from metatrace.atari.network import Layout, forward, initial_weights, patches_of

GAMMA = 0.99


def start(n_actions, seed=0):
    layout = Layout(n_actions)
    rng = np.random.default_rng(seed)
    observations = rng.integers(0, 256, (2, 4, 84, 84), dtype=np.uint8)
    weights = initial_weights(layout, torch.Generator().manual_seed(seed), "pytorch_default")
    return layout, weights, observations, int(rng.integers(n_actions))


def by_hand(layout, weights, observations, action, terminal, writes_dense):
    gradients = Gradients(layout, weights, writes_dense=writes_dense)
    views = layout.views(weights)
    now, following = (forward(views, patches_of(torch.from_numpy(seen))) for seen in observations)
    write_gradients(views, now, None if terminal else following, action, GAMMA, gradients)
    return gradients


def by_autograd(layout, weights, observations, action, terminal):
    w = weights.double().requires_grad_()
    value, logits = plain.value_and_logits(layout, w, observations[0])
    next_value, _ = plain.value_and_logits(layout, w, observations[1])
    log_pi = torch.log_softmax(logits, 0)
    delta = -value if terminal else GAMMA * next_value - value
    wanted = (value + 0.5 * log_pi[action], -(log_pi.exp() * log_pi).sum(), delta)
    return [torch.autograd.grad(one, w, retain_graph=True)[0] for one in wanted]


def assert_close(made, expected, layout):
    for name, part in layout.views(made.double()).items():
        reference = layout.views(expected)[name]
        # float32 sums of up to 2592 products, some of which nearly cancel
        assert (part - reference).norm() <= 2e-5 * reference.norm() + 1e-9, name


@pytest.mark.parametrize("n_actions", [3, 6, 18])
@pytest.mark.parametrize("terminal", [False, True])
@torch.no_grad()
def test_all_three_gradients_are_those_of_autograd(n_actions, terminal):
    setting = start(n_actions)
    made = by_hand(*setting, terminal, writes_dense=True)
    with torch.enable_grad():
        expected = by_autograd(*setting, terminal)
    for gradient, reference in zip((made.U, made.H, made.delta), expected, strict=True):
        assert_close(gradient, reference, setting[0])


@pytest.mark.parametrize("terminal", [False, True])
@torch.no_grad()
def test_the_dense_layers_gradients_are_outer_products_of_what_is_kept(terminal):
    setting = start(4, seed=1)
    layout = setting[0]
    whole, factors = (by_hand(*setting, terminal, writes_dense=writes) for writes in (True, False))
    back, came_in, came_in_next = factors.went_back, factors.came_in, factors.came_in_next
    products = (
        torch.outer(back[U], came_in),
        torch.outer(back[H], came_in),
        torch.outer(back[NEXT_V], came_in_next) - torch.outer(back[V], came_in),
    )
    for views, left, product in zip(whole.views, factors.views, products, strict=True):
        torch.testing.assert_close(views["dense"], product)
        assert not left["dense"].any()
        for name in layout.shapes.keys() - {"dense"}:
            assert torch.equal(views[name], left[name])


@torch.no_grad()
def test_the_pass_is_that_of_torchs_layers():
    layout, weights, observations, _ = start(6)
    value, logits = plain.value_and_logits(layout, weights.double(), observations[0])
    made = forward(layout.views(weights), patches_of(torch.from_numpy(observations[0])))
    torch.testing.assert_close(made.value[0].double(), value, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(made.logits.double(), logits, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("output_layers", ["zero", "pytorch_default"])
def test_weights_start_as_the_reading_says(output_layers):
    layout = Layout(6)
    weights = initial_weights(layout, torch.Generator().manual_seed(0), output_layers)
    views = layout.views(weights)
    # 16·4·8·8 + 32·16·4·4 + 256·2592 + 256 + 6·256 weights, 16 + 32 + 256 + 1 + 6 biases
    assert layout.n_weights == len(weights) == 4096 + 8192 + 663552 + 256 + 1536 + 311
    for name, fan_in in {"conv_1": 256, "conv_2": 256, "dense": 2592, "dense_bias": 2592}.items():
        bound = fan_in**-0.5
        assert views[name].abs().max() <= bound
        assert views[name].std().item() == pytest.approx(bound / 3**0.5, rel=0.3)
    for name in ("value", "value_bias", "policy", "policy_bias"):
        assert views[name].any().item() == (output_layers != "zero"), name
