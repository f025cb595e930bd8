"""The gradients by hand against autograd, the network against torch's own layers; by torch and compiled."""

import numpy as np
import pytest
import torch

from metatrace.domains.atari import plain
from metatrace.domains.atari.compiled_network import CompiledNetwork
from metatrace.domains.atari.gradients import NEXT_V, Gradients, H, U, V
from metatrace.domains.atari.network import Layout, initial_weights, patches_of
from metatrace.domains.atari.torch_network import TorchNetwork

GAMMA = 0.99


def start(n_actions, seed=0):
    layout = Layout(n_actions)
    rng = np.random.default_rng(seed)
    observations = rng.integers(0, 256, (2, 4, 84, 84), dtype=np.uint8)
    weights = initial_weights(layout, torch.Generator().manual_seed(seed), "pytorch_default")
    return layout, weights, observations, int(rng.integers(n_actions))


@pytest.fixture(params=["torch", "compiled"])
def network_at(request, kernel):
    """Makes the network at some weights."""
    if request.param == "torch":
        return TorchNetwork
    return lambda layout, weights: CompiledNetwork(layout, weights, kernel)


def by_hand(network, layout, weights, observations, action, terminal, writes_dense):
    gradients = Gradients(layout, weights, writes_dense=writes_dense)
    now, following = (network.forward(network.patches_of(seen)) for seen in observations)
    network.write_gradients(now, None if terminal else following, action, GAMMA, gradients)
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
def test_all_three_gradients_are_those_of_autograd(network_at, n_actions, terminal):
    layout, weights, observations, action = start(n_actions)
    network = network_at(layout, weights)
    made = by_hand(network, layout, weights, observations, action, terminal, writes_dense=False)
    with torch.enable_grad():
        expected = by_autograd(layout, weights, observations, action, terminal)
    back, came_in, came_in_next = made.went_back, made.came_in, made.came_in_next
    products = (
        torch.outer(back[U], came_in),
        torch.outer(back[H], came_in),
        torch.outer(back[NEXT_V], came_in_next) - torch.outer(back[V], came_in),
    )
    for gradient, product, reference in zip((made.U, made.H, made.delta), products, expected, strict=True):
        assert not layout.views(gradient)["dense"].any()
        layout.views(gradient)["dense"].copy_(product)
        assert_close(gradient, reference, layout)


@pytest.mark.parametrize("terminal", [False, True])
@torch.no_grad()
def test_the_dense_layers_gradients_are_written_out_where_an_update_needs_them(terminal):
    setting = start(4, seed=1)
    layout, weights = setting[:2]
    network = TorchNetwork(layout, weights)
    made = by_hand(network, *setting, terminal, writes_dense=True)
    with torch.enable_grad():
        expected = by_autograd(*setting, terminal)
    for gradient, reference in zip((made.U, made.H, made.delta), expected, strict=True):
        assert_close(gradient, reference, layout)


@torch.no_grad()
def test_what_needs_no_gradient_of_delta_gets_the_other_two_alike(kernel):
    layout, weights, observations, action = start(6)
    made = []
    for needs_delta in (True, False):
        network = CompiledNetwork(layout, weights, kernel)
        gradients = Gradients(layout, weights, writes_dense=False, needs_delta=needs_delta)
        now, following = (network.forward(network.patches_of(seen)) for seen in observations)
        network.write_gradients(now, following, action, GAMMA, gradients)
        made.append(gradients)
    for name in ("U", "H"):
        torch.testing.assert_close(getattr(made[0], name), getattr(made[1], name))
    torch.testing.assert_close(made[0].went_back, made[1].went_back)


@torch.no_grad()
def test_the_pass_is_that_of_torchs_layers(network_at):
    layout, weights, observations, _ = start(6)
    value, logits = plain.value_and_logits(layout, weights.double(), observations[0])
    network = network_at(layout, weights)
    made = network.forward(network.patches_of(observations[0]))
    torch.testing.assert_close(made.value[0].double(), value, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(made.logits.double(), logits, rtol=1e-5, atol=1e-6)


@torch.no_grad()
def test_two_passes_are_good_at_a_time(network_at):
    """A step needs S_t and S_{t+1} at once, and the patches of S_{t+1} again in the next step."""
    layout, weights, observations, _ = start(6)
    network = network_at(layout, weights)
    made = [network.forward(network.patches_of(seen)) for seen in observations]
    kept = [(one.value.clone(), one.logits.clone(), one.flat.clone()) for one in made]
    assert not torch.equal(kept[0][2], kept[1][2])
    for one, seen, (value, logits, flat) in zip(made, observations, kept, strict=True):
        assert torch.equal(one.patches_1, patches_of(torch.from_numpy(seen)))
        assert torch.equal(one.value, value) and torch.equal(one.logits, logits)
        assert torch.equal(one.flat, flat)


@torch.no_grad()
def test_weights_may_change_under_the_network(network_at):
    layout, weights, observations, _ = start(6)
    other = start(6, seed=1)[1]
    network = network_at(layout, weights)
    first = network.forward(network.patches_of(observations[0])).logits.clone()
    weights.copy_(other)
    second = network.forward(network.patches_of(observations[0])).logits.clone()
    fresh = network_at(layout, other)
    assert not torch.equal(first, second)
    assert torch.equal(second, fresh.forward(fresh.patches_of(observations[0])).logits)


@torch.no_grad()
def test_logits_far_apart_give_a_policy_that_is_sure_and_no_nan(network_at):
    layout, weights, observations, _ = start(3)
    layout.views(weights)["policy_bias"].copy_(torch.tensor([0.0, 500.0, -500.0]))
    made = by_hand(network_at(layout, weights), layout, weights, observations, 0, False, writes_dense=False)
    assert layout.views(made.U)["policy_bias"].tolist() == pytest.approx([0.5, -0.5, 0.0])
    assert layout.views(made.H)["policy_bias"].tolist() == pytest.approx([0.0, 0.0, 0.0])


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
