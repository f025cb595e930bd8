"""The compiled agent against the plain one in float64, slow and obviously right, at networks of several shapes."""

from functools import partial

import numpy as np
import pytest
import torch

from metatrace.agents.linear import DivergedError
from metatrace.domains.atari.frames import network_shape
from metatrace.domains.minatar import game as minatar
from metatrace.networks import plain
from metatrace.networks.kernel_layout import METHOD_CODES
from metatrace.networks.related_layout import METHOD_CODES as OPTIMISERS
from metatrace.networks.shape import Convolution, NetworkShape, initial_weights
from metatrace.tuning import make_tuner

TUNED = tuple(METHOD_CODES)[1:]
COMPILED = (*METHOD_CODES, *OPTIMISERS)
NORMALIZED = ("scalar", "vector", "mixed")
SMALL = NetworkShape(3, 10, (Convolution(5, 3),), 12, 4)
THREE = NetworkShape(2, 11, (Convolution(4, 3, stride=2), Convolution(3, 2), Convolution(2, 2)), 8, 2, scale=0.1)
GAME = network_shape(3)
MINATAR = minatar.network_shape(4, 6)


def settings_of(method, *, alpha=2**-9, mu=2**-7, psi=0.01, **readings):
    unnormalized = 2**-4 if method.endswith("unnormalized") else 1
    return {"alpha": alpha, "mu": mu * unnormalized, "psi": psi, **readings}


def both(compiled_agent, shape, method, weights=None, **chosen):
    """The compiled agent and the plain one at the same weights."""
    weights = initial_weights(shape, 1, "pytorch_default") if weights is None else weights
    settings = settings_of(method, **chosen)
    network, w = partial(plain.value_and_logits, shape), torch.from_numpy(weights).double()
    exact = plain.PlainAgent(network, w, make_tuner(method, shape.n_weights, **settings), gamma=0.99)
    return compiled_agent(shape, weights, method, make_tuner(method, 1, **settings)), exact


def play(agents, shape, steps, seed=0, rewarded=True):
    """Both on one stream of observations and rewards; yields what each says δ is."""
    rng = np.random.default_rng(seed)
    frames = rng.integers(0, 256 if shape.scale < 0.01 else 2, (steps + shape.channels, shape.side, shape.side))
    seen = np.lib.stride_tricks.sliding_window_view(frames.astype(np.uint8), shape.channels, axis=0)
    seen = np.moveaxis(seen, 3, 1).copy()
    for agent in agents:
        agent.start_episode()
        agent.see(seen[0])
    for step in range(steps):
        uniform, reward, terminal = rng.random(), rewarded * float(rng.normal()), step % 23 == 22
        assert len({agent.act(uniform) for agent in agents}) == 1
        assert agents[0].entropy == pytest.approx(agents[1].entropy, abs=1e-4)
        yield [agent.learn(reward, seen[step + 1], terminal) for agent in agents]
        if terminal:
            for agent in agents:
                agent.start_episode()


def assert_near(shape, made, expected, tolerance, what):
    """Layer by layer; `tolerance` of the largest layer's numbers counts for all."""
    for name, part in shape.views(np.asarray(made, np.float64)).items():
        right = shape.views(np.asarray(expected))[name]
        assert np.linalg.norm(part - right) <= tolerance * np.linalg.norm(right) + 1e-12, (what, name)


def compare(compiled_agent, shape, method, steps, **chosen):
    weights = initial_weights(shape, 1, "pytorch_default")
    agents = compiled, exact = both(compiled_agent, shape, method, weights, **chosen)
    largest_u = 0.0
    for delta, expected in play(agents, shape, steps):
        assert delta == pytest.approx(expected, abs=1e-3)
        largest_u = max(largest_u, float(getattr(exact.tuner, "u", 0.0)))
    # Each step rounds every weight in its 24th bit; a gradient is a float32 sum of up to 2592 products.
    change = exact.w.detach().numpy() - weights
    assert_near(shape, compiled.arrays["w"] - weights, change, 5e-3, "w")
    rounding = np.sqrt(steps) * 2**-25 * np.linalg.norm(weights)
    assert np.linalg.norm(compiled.arrays["w"] - weights - change) <= 2e-4 * np.linalg.norm(change) + rounding
    for name in compiled.arrays.keys() - {"w", "z", "alpha"}:
        assert_near(shape, compiled.arrays[name], getattr(exact.tuner, name), 1e-3, name)
    if "alpha" in compiled.arrays:
        assert_near(shape, compiled.arrays["alpha"], exact.tuner.beta.exp(), 1e-5, "alpha")
    if method in TUNED:
        assert exact.tuner.h.norm() > 0
    return largest_u


# The games' network takes longest, and the slow tests take it through 60 steps.
@pytest.mark.parametrize("shape", [SMALL, THREE, MINATAR], ids=["small", "three", "minatar"])
@pytest.mark.parametrize("method", COMPILED)
def test_the_passes_are_the_tuners_lines(compiled_agent, method, shape):
    compare(compiled_agent, shape, method, 10 if shape is MINATAR else 30)


@pytest.mark.parametrize("method", ["none", "mixed"])
def test_so_they_are_for_the_games_network(compiled_agent, method):
    compare(compiled_agent, GAME, method, 5)


@pytest.mark.slow
@pytest.mark.parametrize("method", COMPILED)
def test_many_steps_are_those_of_autograd(compiled_agent, method):
    compare(compiled_agent, GAME, method, 30, alpha=2**-10)


@pytest.mark.parametrize("method", TUNED)
@pytest.mark.parametrize("mu", [0.001, 2**-2])
def test_at_other_meta_step_sizes_as_well(compiled_agent, method, mu):
    """2^-2 is more than the series for e^x reaches."""
    compare(compiled_agent, SMALL, method, 20, mu=mu)


@pytest.mark.parametrize("method", NORMALIZED)
@pytest.mark.parametrize("overshoot_divisor", ["decaying_maximum", "present_step"])
def test_where_steps_overshoot(compiled_agent, method, overshoot_divisor):
    assert compare(compiled_agent, SMALL, method, 25, alpha=2**-2, overshoot_divisor=overshoot_divisor) > 1


@pytest.mark.parametrize("method", NORMALIZED)
@pytest.mark.parametrize("chosen", [{"overshoot_divisor": "absent"}, {"h_lifetime": "episode"}, {"psi": 0.0}], ids=str)
def test_under_other_readings_as_well(compiled_agent, method, chosen):
    compare(compiled_agent, SMALL, method, 30, **chosen)


@pytest.mark.parametrize("method", COMPILED)
@pytest.mark.parametrize("actions", [3, 6, 7])
def test_nothing_is_learned_before_the_first_reward(compiled_agent, method, actions):
    """A normalized tuner scales rounding noise up to the size of a gradient, so there must be none."""
    shape = NetworkShape(3, 10, (Convolution(5, 3),), 12, actions)
    weights = initial_weights(shape, 1, "zero")
    agents = compiled, exact = both(compiled_agent, shape, method, weights)
    started = {name: value.copy() for name, value in compiled.arrays.items()}
    assert all(deltas == [0, 0] for deltas in play(agents, shape, 30, rewarded=False))
    assert np.array_equal(exact.w.detach().numpy(), weights)
    for name in compiled.arrays.keys() - {"z"}:
        assert np.array_equal(compiled.arrays[name], started[name]), name


@pytest.mark.parametrize("method", [*COMPILED])
def test_an_episodes_start_forgets_what_the_tuner_forgets(compiled_agent, method):
    agent, exact = both(compiled_agent, SMALL, method)
    for _ in play((agent, exact), SMALL, 5):
        pass
    before = {name: value.copy() for name, value in agent.state().items()}
    agent.start_episode()
    exact.start_episode()
    for name, value in agent.state().items():
        if name in ("z", "z_beta"):
            assert before[name].any() and not value.any(), name
        elif name != "numbers":
            assert np.array_equal(value, before[name]), name


def test_logits_far_apart_give_a_policy_that_is_sure_and_no_nan(compiled_agent):
    weights = initial_weights(SMALL, 1, "pytorch_default")
    SMALL.views(weights)["policy_bias"][:] = 0.0, 500.0, -500.0, 0.0
    agents = both(compiled_agent, SMALL, "mixed", weights)
    for delta, expected in play(agents, SMALL, 3):
        assert delta == pytest.approx(expected, abs=1e-3)
    assert np.isfinite(agents[0].arrays["w"]).all() and agents[0].entropy == pytest.approx(0.0)


@pytest.mark.parametrize("method", TUNED)
@pytest.mark.parametrize("size", [1.0, 1e18])
def test_a_step_size_beyond_all_numbers_diverges_and_raises_nothing_else(compiled_agent, method, size):
    agent, _ = both(compiled_agent, SMALL, method, mu=1e5, overshoot_divisor="absent")
    observation = np.ones((3, 10, 10), np.uint8)
    agent.start_episode()
    agent.see(observation)
    with pytest.raises(DivergedError):
        for _ in range(20):
            agent.act(0.5)
            agent.learn(size, observation, False)


@pytest.mark.parametrize("method", COMPILED)
def test_what_is_not_finite_neither_hangs_nor_crashes(compiled_agent, method):
    agent, _ = both(compiled_agent, SMALL, method)
    observation = np.ones((3, 10, 10), np.uint8)
    agent.see(observation)
    agent.act(0.5)
    agent.learn(np.nan, observation, False)
    with pytest.raises(DivergedError):
        agent.act(0.5)
    agent.learn(0.0, observation, False)
