"""The compiled passes and the whole agent against the tuners and autograd, slow and obviously right."""

import itertools
from functools import partial

import numpy as np
import pytest
import torch

from metatrace.agents import network
from metatrace.domains.atari import plain
from metatrace.domains.atari.agent import Agent
from metatrace.domains.atari.gradients import Gradients
from metatrace.domains.atari.network import FLAT, HIDDEN, Layout, initial_weights
from metatrace.domains.atari.train import one_thread
from metatrace.domains.atari.update import CompiledUpdate, TorchUpdate
from metatrace.tuning import make_tuner

COMPILED = (
    *(
        "none",
        "scalar",
        "scalar-unnormalized",
        "vector",
        "vector-unnormalized",
        "mixed",
        "mixed-unnormalized",
    ),
)
LAYOUT = Layout(3)


def tuner_of(method, *, alpha=2**-6, mu=2**-7, psi=0.01, **readings):
    unnormalized = 2**-4 if method.endswith("unnormalized") else 1
    return make_tuner(method, LAYOUT.n_weights, alpha=alpha, mu=mu * unnormalized, psi=psi, **readings)


def stream(steps, seed=0):
    """Made gradients: the dense layer's as factors and written out; δ; whether an episode ends."""
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return torch.from_numpy(rng.normal(size=shape).astype(np.float32))

    for step in range(steps):
        gradients = Gradients(LAYOUT, torch.zeros(LAYOUT.n_weights), writes_dense=False)
        for views in gradients.views:
            for name, view in views.items():
                view.copy_(0.1 * draw(*view.shape) if name != "dense" else torch.zeros(()))
        gradients.went_back = 0.1 * draw(4, HIDDEN)
        gradients.came_in, gradients.came_in_next = 0.2 * draw(FLAT).abs(), 0.2 * draw(FLAT).abs()
        yield gradients, torch.tensor(rng.normal(), dtype=torch.float32), step % 7 == 6


def written_out(gradients):
    """∂U, ∂H and ∂δ in float64, with the dense layer's part."""
    flat = [part.double().clone() for part in (gradients.U, gradients.H, gradients.delta)]
    back = gradients.went_back.double()
    came_in, came_in_next = gradients.came_in.double(), gradients.came_in_next.double()
    parts = [LAYOUT.views(part)["dense"] for part in flat]
    parts[0].copy_(torch.outer(back[1], came_in))
    parts[1].copy_(torch.outer(back[2], came_in))
    parts[2].copy_(torch.outer(back[3], came_in_next) - torch.outer(back[0], came_in))
    return flat


def reference(tuner, w, gradients, delta, z):
    """One step by the tuner itself in float64; w and z after it."""
    grad_U, grad_H, grad_delta = written_out(gradients)
    z = tuner.gamma_lambda * z + grad_U
    return w + tuner.step(grad_U=grad_U, grad_H=grad_H, grad_delta=grad_delta, delta=delta.double(), z=z), z


def assert_near(made, expected, tolerance, what):
    expected = torch.as_tensor(expected).double()
    error = (made.double() - expected).norm()
    assert error <= tolerance * expected.norm() + 1e-12, (what, float(error / expected.norm()))


def compare(kernel, method, steps, **chosen):
    one_thread()
    w = torch.zeros(LAYOUT.n_weights)
    update = CompiledUpdate(tuner_of(method, **chosen), w.clone(), LAYOUT, kernel)
    tuner = tuner_of(method, **chosen)
    expected, z, largest_u = w.double(), w.double(), 0.0
    tuner.adopt(expected)
    update.start_episode()
    tuner.start_episode()
    for gradients, delta, ends in stream(steps):
        update(gradients, delta)
        expected, z = reference(tuner, expected, gradients, delta, z)
        largest_u = max(largest_u, float(getattr(tuner, "u", 0.0)))
        if ends:
            update.start_episode()
            tuner.start_episode()
            z = torch.zeros_like(z)
    # float32 against float64: each step rounds every state in its 24th bit.
    assert_near(update.w, expected, 1e-4, "w")
    for name, value in update.state.items():
        assert_near(value, getattr(tuner, name), 1e-4, name)
    if method != "none":
        assert torch.as_tensor(tuner.h).norm() > 0
    return largest_u


@pytest.mark.parametrize("method", COMPILED)
def test_the_passes_are_the_tuners_lines(kernel, method):
    largest_u = compare(kernel, method, 50)
    if method in ("scalar", "vector", "mixed"):
        assert largest_u > 1, "no overshoot is met: the test does not show what it should"


@pytest.mark.parametrize("method", COMPILED[1:])
@pytest.mark.parametrize("mu", [2**-5, 0.001])
def test_at_other_meta_step_sizes_as_well(kernel, method, mu):
    compare(kernel, method, 20, alpha=2**-9, mu=mu)


@pytest.mark.parametrize("method", ["scalar", "vector", "mixed"])
@pytest.mark.parametrize(
    "chosen",
    [
        {"overshoot_divisor": "present_step"},
        {"overshoot_divisor": "absent"},
        {"h_lifetime": "episode"},
        {"psi": 0.0},
    ],
    ids=str,
)
def test_under_other_readings_as_well(kernel, method, chosen):
    compare(kernel, method, 12, alpha=2**-9, **chosen)


@pytest.mark.parametrize("steps", [50, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", COMPILED)
def test_many_steps_are_those_of_autograd(kernel, method, steps):
    """The whole agent on a recorded stream against the slow agent in float64."""
    one_thread()
    w = initial_weights(LAYOUT, torch.Generator().manual_seed(1), "pytorch_default")
    # Small enough that learning does not double differences of rounding every few steps.
    alpha = 2**-10
    update = CompiledUpdate(tuner_of(method, alpha=alpha), w.clone(), LAYOUT, kernel)
    agent = Agent(LAYOUT, update, gamma=0.99)
    slow = network.Agent(partial(plain.value_and_logits, LAYOUT), w.double(), tuner_of(method, alpha=alpha), gamma=0.99)
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 256, (steps + 4, 84, 84), dtype=np.uint8)
    agent.start_episode()
    slow.start_episode()
    agent.see(frames[:4])
    for step in range(steps):
        action = agent.act(rng.random())
        reward, terminal = float(rng.normal()), step % 23 == 22
        delta = agent.learn(reward, frames[step + 1 : step + 5], terminal)
        expected = slow.learn(frames[step : step + 4], action, reward, frames[step + 1 : step + 5], terminal)
        assert delta == pytest.approx(expected, abs=2e-3)
        if terminal:
            agent.start_episode()
            slow.start_episode()
    exact = slow.w.detach()
    change, error = (exact - w).norm(), (agent.update.w - exact).norm()
    # Every step rounds each weight in its 24th bit, and changes it by gradients that are right to 2e-5 (as
    # `test_gradients` holds them to), of which one step's error enters the next.
    assert error < steps * 2**-24 * exact.norm() + 1e-4 * change
    assert change > 1000 * error


@pytest.mark.parametrize("method", [*COMPILED, "sid", "nosid"])
def test_torch_and_compiled_keep_the_same_state_and_forget_the_same(kernel, method):
    one_thread()
    updates = [TorchUpdate(tuner_of(method), torch.zeros(LAYOUT.n_weights))]
    if method in COMPILED:
        updates.append(CompiledUpdate(tuner_of(method), torch.zeros(LAYOUT.n_weights), LAYOUT, kernel))
    for update in updates:
        for gradients, delta, _ in itertools.islice(stream(3), 3):
            if update.writes_dense:
                gradients.U, gradients.H, gradients.delta = (part.float() for part in written_out(gradients))
            update(gradients, delta)
        lasting = {name: value.clone() for name, value in update.state.items()}
        update.start_episode()
        assert not update.z.any()
        for name, value in update.state.items():
            assert value is getattr(update.tuner, name)
            if name in ("z_beta", "z_beta_hat", "u"):
                assert not value.any(), name
            else:
                assert torch.equal(value, lasting[name]), name
    assert len({tuple(update.state) for update in updates}) == 1


@pytest.mark.parametrize("method", COMPILED[1:])
@pytest.mark.parametrize("size", [1.0, 1e18])
def test_a_step_size_beyond_all_numbers_diverges_and_raises_nothing(kernel, method, size):
    """As with the tuners themselves: the weights stop being finite, which the next `act` finds."""
    one_thread()
    chosen = {"mu": 1e5, "overshoot_divisor": "absent"}
    updates = (
        CompiledUpdate(tuner_of(method, **chosen), torch.zeros(LAYOUT.n_weights), LAYOUT, kernel),
        TorchUpdate(tuner_of(method, **chosen), torch.zeros(LAYOUT.n_weights)),
    )
    for step, (gradients, delta, _) in enumerate(stream(4)):
        # Turned round in the second step, the first in which h is not zero: β goes up and not down.
        delta = -size * delta if step == 1 else size * delta
        for update in updates:
            update(gradients, delta)
            gradients.U, gradients.H, gradients.delta = (part.float() for part in written_out(gradients))
    assert [bool(update.w.isfinite().all()) for update in updates] == [False, False]


def test_the_passes_exponential_is_exact_to_the_last_digit_or_two(kernel):
    """Seen through a step with z = δ = 1 and h = w = 0, which leaves w = α = e^β."""
    tuner = make_tuner("vector-unnormalized", LAYOUT.n_weights, alpha=1.0, mu=0.0, lam=1.0, gamma=1.0)
    update = CompiledUpdate(tuner, torch.zeros(LAYOUT.n_weights), LAYOUT, kernel)
    exponents = torch.linspace(-86.9, 87.9, LAYOUT.n_weights)
    update.state["beta"].copy_(exponents)
    update.z.fill_(1.0)
    update(Gradients(LAYOUT, update.w, writes_dense=False), torch.tensor(1.0))
    error = (update.w.double() / exponents.double().exp() - 1).abs().max()
    assert error <= 1.5 * 2**-23


@pytest.mark.parametrize("method", COMPILED)
def test_what_is_not_finite_neither_hangs_nor_crashes(kernel, method):
    one_thread()
    update = CompiledUpdate(tuner_of(method), torch.zeros(LAYOUT.n_weights), LAYOUT, kernel)
    update.start_episode()
    for gradients, _, _ in stream(2):
        update(gradients, torch.tensor(torch.nan))
    assert not update.w.isfinite().all()


def test_what_has_no_compiled_passes_is_refused(kernel):
    with pytest.raises(ValueError, match="no compiled passes for Nosid"):
        CompiledUpdate(tuner_of("nosid"), torch.zeros(LAYOUT.n_weights), LAYOUT, kernel)
    with pytest.raises(ValueError, match="float64"):
        CompiledUpdate(tuner_of("mixed"), torch.zeros(LAYOUT.n_weights).double(), LAYOUT, kernel)
