"""IDBD, Autostep, momentum and crossprop: by hand, against another writing, and what their papers promise of them."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from metatrace.tuning import make_tuner

N, STEPS = 4, 300


def learn(tuner, xs, targets, w=None):
    """Linear regression from w (0 unless given); yields w after each example."""
    w = np.zeros(xs.shape[1]) if w is None else w
    for x, target in zip(xs, targets, strict=True):
        delta = target - w @ x
        w = w + tuner.step(grad_U=x, grad_delta=-x, delta=delta, z=x)
        yield w


def stream(seed=0, n=N):
    rng = np.random.default_rng(seed)
    xs = rng.normal(size=(STEPS, n)) * (rng.random((STEPS, n)) < 0.8)
    return xs, xs @ rng.choice([-1.0, 0.0, 1.0], n) + 0.1 * rng.normal(size=STEPS)


def test_idbd_by_hand():
    """The second example's α is the new one, in w and in h; h loses all of its past where αx² > 1."""
    tuner = make_tuner("idbd", 1, alpha=0.5, mu=0.1)
    first, second = learn(tuner, np.array([[1.0], [2.0]]), [1.0, 3.0])
    alpha = 0.5 * math.exp(0.1 * 2 * 2 * 0.5)  # δ = 3 − 2·0.5 = 2, h = 0.5
    assert first == [0.5]
    np.testing.assert_allclose(second, 0.5 + alpha * 2 * 2, rtol=1e-15)
    np.testing.assert_allclose(tuner.h, alpha * 2 * 2, rtol=1e-15)
    np.testing.assert_allclose(tuner.log_step_sizes(), math.log(alpha), rtol=1e-15)
    assert abs(second - (0.5 + 0.5 * 2 * 2)) > 0.4  # what the old α would make


def test_autostep_by_hand():
    """v = 0 is no step; M divides every α, also of an input that is 0."""
    tuner = make_tuner("autostep", 2, alpha=1.0, mu=0.01)
    first, second = learn(tuner, np.array([[1.0, 1.0], [2.0, 0.0]]), [1.0, 0.0])
    np.testing.assert_allclose(first, [0.5, 0.5], rtol=1e-15)  # M = 2
    # δ = −1, δxh = (−1, 0), v = (1, 0), α = 0.5 (e^−0.01, 1), M = 2 e^−0.01
    np.testing.assert_allclose(tuner.v, [1, 0], rtol=1e-15)
    np.testing.assert_allclose(np.exp(tuner.log_step_sizes()), [0.25, 0.25 * math.exp(0.01)], rtol=1e-14)
    np.testing.assert_allclose(second, [0.0, 0.5], atol=1e-15)
    np.testing.assert_allclose(tuner.h, [-0.5, 0.5], rtol=1e-14)


def expected_idbd(xs, targets, alpha, theta):
    """Input by input, in plain Python."""
    n = xs.shape[1]
    w, h, beta = [0.0] * n, [0.0] * n, [math.log(alpha)] * n
    for x, target in zip(xs.tolist(), targets, strict=True):
        delta = target - math.fsum(a * b for a, b in zip(w, x, strict=True))
        for i in range(n):
            beta[i] += theta * delta * x[i] * h[i]
            step = math.exp(beta[i])
            w[i] += step * delta * x[i]
            h[i] = h[i] * max(0.0, 1 - step * x[i] ** 2) + step * delta * x[i]
        yield list(w)


def expected_autostep(xs, targets, alpha, mu, tau=1e4):
    """Input by input, with α itself in place of its logarithm."""
    n = xs.shape[1]
    w, h, v, steps = [0.0] * n, [0.0] * n, [0.0] * n, [alpha] * n
    for x, target in zip(xs.tolist(), targets, strict=True):
        delta = target - math.fsum(a * b for a, b in zip(w, x, strict=True))
        for i in range(n):
            change = delta * x[i] * h[i]
            v[i] = max(abs(change), v[i] + steps[i] * x[i] ** 2 * (abs(change) - v[i]) / tau)
            steps[i] *= math.exp(mu * change / v[i]) if v[i] else 1.0
        M = max(math.fsum(steps[i] * x[i] ** 2 for i in range(n)), 1.0)
        for i in range(n):
            steps[i] /= M
            w[i] += steps[i] * delta * x[i]
            h[i] = h[i] * (1 - steps[i] * x[i] ** 2) + steps[i] * delta * x[i]
        yield list(w)


@pytest.mark.parametrize("alpha", [0.05, 1.0])
@pytest.mark.parametrize("method, mu, expected", [("idbd", 0.02, expected_idbd), ("autostep", 0.05, expected_autostep)])
def test_each_is_what_its_source_says(method, mu, expected, alpha):
    xs, targets = stream()
    alpha = alpha if method == "autostep" else 0.05
    made = list(learn(make_tuner(method, N, alpha=alpha, mu=mu), xs, targets))
    np.testing.assert_allclose(made, list(expected(xs, targets, alpha, mu)), rtol=1e-9, atol=1e-11)


def test_h_of_idbd_is_the_derivative_of_the_weight():
    """With θ = 0 and one input, h = ∂w/∂β exactly, by autograd, where no αx² is above 1."""
    rng = np.random.default_rng(0)
    xs, targets = rng.uniform(-1, 1, (50, 1)), rng.normal(size=50)
    beta = torch.tensor(math.log(0.3), dtype=torch.float64, requires_grad=True)
    w = torch.zeros((), dtype=torch.float64)
    for x, target in zip(xs[:, 0], targets, strict=True):
        w = w + torch.exp(beta) * (float(target) - w * float(x)) * float(x)
    w.backward()
    tuner = make_tuner("idbd", 1, alpha=0.3, mu=0.0)
    assert list(learn(tuner, xs, targets))[-1] == pytest.approx(w.item(), rel=1e-12)
    assert tuner.h[0] == pytest.approx(beta.grad.item(), rel=1e-10)


numbers = st.floats(-100, 100)


@given(examples=st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=20), alpha=st.floats(0.01, 100))
def test_autostep_never_overshoots(examples, alpha):
    """Σ α_i x_i² ≤ 1 after M, and no step goes beyond the target."""
    tuner = make_tuner("autostep", 2, alpha=alpha, mu=0.1)
    w = np.zeros(2)
    for *x, target in examples:
        x = np.array(x)
        before = target - w @ x
        w = w + tuner.step(grad_U=x, grad_delta=-x, delta=before, z=x)
        assert np.exp(tuner.log_step_sizes()) @ x**2 <= 1 + 1e-9
        assert abs(target - w @ x) <= abs(before) * (1 + 1e-9) + 1e-9


def test_autosteps_steps_do_not_depend_on_the_scale_of_the_targets():
    xs, targets = stream()
    one, ten = (
        list(learn(make_tuner("autostep", N, alpha=0.05, mu=0.02), xs, scale * targets)) for scale in (1.0, 10.0)
    )
    np.testing.assert_allclose(10 * np.array(one), ten, rtol=1e-9, atol=1e-11)


def test_momentum_is_torchs_with_the_step_size_within():
    xs, targets = stream()
    w = torch.zeros(N, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.SGD([w], lr=0.01, momentum=0.9)
    expected = []
    for x, target in zip(torch.tensor(xs), torch.tensor(targets), strict=True):
        optimiser.zero_grad()
        (0.5 * (target - w @ x) ** 2).backward()
        optimiser.step()
        expected.append(w.detach().clone().numpy())
    made = list(learn(make_tuner("momentum", N, alpha=0.01), xs, targets))
    np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-12)


def test_crossprop_by_hand():
    """One unit, two inputs: the h of before moves U, and W's old value plays no part."""
    tuner = make_tuner("crossprop", 3, alpha=0.1)
    tuner.adopt(np.zeros((1, 3)))
    phi, slope = 0.5, 0.75  # φ = tanh u, 1 − φ²
    z = np.array([[slope * 1.0, slope * 2.0, phi]])
    first = tuner.step(grad_U=z, grad_delta=z, delta=2.0, z=z)
    np.testing.assert_allclose(first, [[0, 0, 0.1 * 2 * 0.5]], rtol=1e-15)  # h = 0 moves no U
    np.testing.assert_allclose(tuner.h, [[0.1 * 2 * 0.75, 0.1 * 2 * 1.5]], rtol=1e-15)
    second = tuner.step(grad_U=z, grad_delta=z, delta=-1.0, z=z)
    np.testing.assert_allclose(second, [[-0.1 * 0.5 * 0.15, -0.1 * 0.5 * 0.3, -0.05]], rtol=1e-14)
    kept = 1 - 0.1 * 0.25
    np.testing.assert_allclose(tuner.h, [[0.15 * kept - 0.075, 0.3 * kept - 0.15]], rtol=1e-14)


def test_crossprops_units_do_not_know_of_each_other():
    rng = np.random.default_rng(0)
    together, alone = make_tuner("crossprop", 12, alpha=0.1), make_tuner("crossprop", 4, alpha=0.1)
    for _ in range(20):
        z, delta = rng.normal(size=(3, 4)), rng.normal()
        made = together.step(grad_U=z, grad_delta=z, delta=delta, z=z)
        np.testing.assert_array_equal(made[1], alone.step(grad_U=z[1], grad_delta=z[1], delta=delta, z=z[1]))


@pytest.mark.parametrize("method", ["idbd", "autostep", "momentum", "crossprop"])
def test_torch_gives_the_same(method):
    rng = np.random.default_rng(0)
    plain, torchs = (make_tuner(method, N, alpha=0.05, mu=0.02) for _ in range(2))
    for _ in range(50):
        z, delta = rng.normal(size=N), rng.normal()
        t = torch.tensor(z)
        change = torchs.step(grad_U=t, grad_delta=t, delta=torch.tensor(delta, dtype=torch.float64), z=t)
        expected = plain.step(grad_U=z, grad_delta=z, delta=delta, z=z)
        assert change.dtype == torch.float64
        np.testing.assert_allclose(change.numpy(), expected, rtol=1e-12, atol=1e-15)
