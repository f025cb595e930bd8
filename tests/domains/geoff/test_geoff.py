"""GEOFF: the task as its source describes it, backpropagation against autograd, and the compiled network."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from metatrace.compiled.regression_layout import GEOFF
from metatrace.domains.geoff import compiled
from metatrace.domains.geoff.domain import DOMAIN
from metatrace.domains.geoff.task import EXAMPLES_PER_TASK, Examples
from metatrace.domains.geoff.train import Learner, first_weights
from metatrace.domains.protocol import Request
from metatrace.methods import complete_hyper
from metatrace.runs.key import RunKey
from metatrace.tuning import make_tuner


def test_half_of_the_output_weights_are_drawn_again_from_task_to_task():
    s = Examples(0).s
    assert s.shape == (3, 1001) and set(np.unique(s)) == {-1.0, 0.0, 1.0}
    for one, other in pairwise(s):
        # Of those drawn again a third are what they were.
        assert 0.28 < (one != other).mean() < 0.39


def test_units_are_on_where_more_than_six_tenths_of_their_inputs_agree():
    """Σ V x > 0.6·21 − negatives: so many inputs agree with their weights' signs, counting a 0 at a negative one."""
    examples = Examples(1)
    x, y = examples.draw(200)
    assert set(np.unique(x)) == {0.0, 1.0} and (x[:, -1] == 1).all()
    agree = (x[:, :, None] == (examples.V > 0)).sum(axis=1)
    expected = (agree > 0.6 * 21) @ examples.s[0, :-1] + examples.s[0, -1]
    noise = y - expected
    assert abs(noise.mean()) < 0.25 and 0.85 < noise.std() < 1.15


def test_tasks_follow_each_other_and_come_again():
    examples = Examples(2)
    kept = examples.s.copy()
    for task in (0, 1, 2, 0):
        examples.seen = task * EXAMPLES_PER_TASK if task else examples.seen - examples.seen % (3 * EXAMPLES_PER_TASK)
        x, y = examples.draw(50)
        on = x @ examples.V > examples.thresholds
        assert abs(y - on @ kept[task, :-1] - kept[task, -1]).max() < 5


def learner(method, kernel=None, units=6, alpha=0.01):
    w = first_weights(0, units, 4)
    tuner = make_tuner(method, w.size, alpha=alpha, gamma=0.0, lam=0.0)
    if kernel is None:
        return Learner(w, method, tuner)
    return compiled.CompiledLearner(w, method, tuner, compiled.load(kernel))


def examples_of(count, seed=0):
    rng = np.random.default_rng(seed)
    x = (rng.random((count, 4)) < 0.5).astype(float)
    x[:, -1] = 1
    return x, 2 * x[:, 0] - x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=count)


@pytest.fixture(scope="module")
def kernel(kernel_files):
    return kernel_files("geoff_kernel")


@pytest.mark.parametrize("compiled_too", [False, True])
def test_backpropagation_follows_the_gradient(compiled_too, kernel):
    made = learner("none", kernel if compiled_too else None)
    U = torch.tensor(made.w[:-1, :-1].copy(), requires_grad=True)
    W = torch.tensor(made.w[:, -1].copy(), requires_grad=True)
    first = made.w.copy()
    for x, y in zip(*examples_of(50), strict=True):
        phi = torch.cat([torch.tanh(U @ torch.tensor(x)), torch.ones(1, dtype=torch.float64)])
        loss = 0.5 * (float(y) - W @ phi) ** 2
        loss.backward()
        (delta,) = made.learn((x[None], np.array([y])))
        assert 0.5 * delta**2 == pytest.approx(loss.item(), rel=1e-9)
        with torch.no_grad():
            for weights in (U, W):
                weights -= 0.01 * weights.grad
                weights.grad = None
        np.testing.assert_allclose(made.w[:-1, :-1], U.detach().numpy(), rtol=1e-9)
        np.testing.assert_allclose(made.w[:, -1], W.detach().numpy(), rtol=1e-9)
    np.testing.assert_array_equal(made.w[-1, :-1], first[-1, :-1])  # of the unit that is always 1


@pytest.mark.parametrize("method", GEOFF)
def test_the_compiled_network_learns_what_the_plain_one_does(method, kernel):
    plain, fast = learner(method), learner(method, kernel)
    for seed in range(3):
        deltas = [made.learn(examples_of(100, seed)) for made in (plain, fast)]
        np.testing.assert_allclose(*deltas, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(fast.w, plain.w, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(fast.tuner.log_step_sizes(), plain.tuner.log_step_sizes(), rtol=1e-9)


def test_a_run_keeps_how_far_weights_moved_over_each_task(kernel):
    key = RunKey("geoff", "crossprop", "0.0005", "0", "0", 0)
    request = Request(key, 5500, {}, complete_hyper("crossprop", {}, "hyper"), kernel=kernel)
    made = DOMAIN.train(request, lambda more, *, before=False: None)
    assert len(made.losses) == 22 and made.changes.shape == (2, 2) and made.meta["layers"] == ["U", "W"]
    assert (made.changes > 0).all() and made.losses[-1] < made.losses[0]
