"""RMSProp, Adam and ObGD: against torch, against another writing, and by hand."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from metatrace.tuning import make_tuner

N, STEPS, ALPHA, PSI = 7, 200, 0.05, 0.01
OTHERS = {
    "rmsprop": {"rho": "0.99", "epsilon": "0.01"},
    "adam": {"beta_1": "0.7", "beta_2": "0.95", "epsilon": "0.001"},
    "obgd": {"kappa": "2^2"},
}
CASES = [(method, hyper) for method, other in OTHERS.items() for hyper in ({}, other)]


def stream(seed=0):
    """Traces, TD errors and entropy gradients; some weights have no gradient for a while."""
    rng = np.random.default_rng(seed)
    for step in range(STEPS):
        z = rng.normal(size=N) * 10.0 ** rng.integers(-3, 2, N)
        z[: step // 20 % N] = 0
        yield z, rng.normal() * 3, rng.normal(size=N) * (z != 0)


def changes(method, kind, **settings):
    """Δw of every step of the stream, and the tuner after it; episodes begin here and there."""
    tuner = make_tuner(method, N, **{"alpha": ALPHA, "psi": PSI} | settings)

    def convert(value):
        return value if kind is None else torch.tensor(value, dtype=kind)

    for step, (z, delta, grad_H) in enumerate(stream()):
        if step % 30 == 0:
            tuner.start_episode()
        given = {"z": convert(z), "delta": convert(delta), "grad_H": convert(grad_H)}
        change = tuner.step(grad_U=given["z"], grad_delta=given["z"], **given)
        assert type(change) is type(given["z"]) and change.dtype == given["z"].dtype and change.shape == (N,)
        yield np.asarray(change), tuner


def gradients():
    return [z * delta + PSI * grad_H for z, delta, grad_H in stream()]


def expected_adam(beta_1="0.9", beta_2="0.999", epsilon="1e-8"):
    """torch's own."""
    w = torch.zeros(N, dtype=torch.float64, requires_grad=True)
    betas = float(beta_1), float(beta_2)
    optimiser = torch.optim.Adam([w], lr=ALPHA, betas=betas, eps=float(epsilon), maximize=True, foreach=False)
    for g in gradients():
        before = w.detach().clone()
        w.grad = torch.tensor(g)
        optimiser.step()
        yield (w.detach() - before).numpy()


def expected_rmsprop(rho="0.999", epsilon="0.0001"):
    """Weight by weight: the mean of all squares so far, with weights that fall by ρ a step."""
    rho, epsilon, made = float(rho), float(epsilon), gradients()
    for t in range(1, STEPS + 1):
        weights = [(1 - rho) * rho ** (t - k) for k in range(1, t + 1)]
        means = [math.fsum(a * g[i] ** 2 for a, g in zip(weights, made[:t], strict=True)) for i in range(N)]
        yield [ALPHA * made[t - 1][i] / math.sqrt(means[i] / math.fsum(weights) + epsilon) for i in range(N)]


def expected_obgd(kappa="2^1"):
    """In the words of its paper: a step that would overshoot is made as small as the bound."""
    for (z, delta, _), g in zip(stream(), gradients(), strict=True):
        worst = ALPHA * 2.0 ** int(kappa[2:]) * max(abs(delta), 1) * sum(map(abs, z))
        yield ALPHA * g / worst if worst > 1 else ALPHA * g


@pytest.mark.parametrize("kind", [None, torch.float64], ids=["numpy", "torch"])
@pytest.mark.parametrize("method, hyper", CASES, ids=str)
def test_each_is_what_its_source_says(method, hyper, kind):
    expected = {"adam": expected_adam, "rmsprop": expected_rmsprop, "obgd": expected_obgd}[method](**hyper)
    w, expected_w = np.zeros(N), np.zeros(N)
    for (change, _), wanted in zip(changes(method, kind, hyper=hyper), expected, strict=True):
        np.testing.assert_allclose(change, wanted, rtol=1e-10, atol=1e-14)
        w, expected_w = w + change, expected_w + wanted
        np.testing.assert_allclose(w, expected_w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", OTHERS)
def test_float32_stays_float32_and_near(method):
    for (near, tuner), (change, _) in zip(changes(method, torch.float32), changes(method, None), strict=True):
        np.testing.assert_allclose(near, change, rtol=1e-4, atol=1e-6)
        assert tuner.log_step_sizes().dtype == torch.float32


@pytest.mark.parametrize(
    ("alpha", "kappa", "delta", "change"),
    [
        (1, 2, 3.0, [1 / 6, -1 / 3]),  # ‖z‖₁ = 3: α_t = 1/(2·3·3)
        (1, 2, -0.5, [-1 / 12, 1 / 6]),  # an error below 1 counts as 1: α_t = 1/(2·3)
        (0.25, 1, 2.0, [1 / 3, -2 / 3]),  # 0.25·1·2·3 = 1.5: α_t = 0.25/1.5
        (0.125, 1, 2.0, [0.25, -0.5]),  # 0.75 is no overshoot: α_t = α
    ],
)
def test_obgd_by_hand(alpha, kappa, delta, change):
    z = np.array([1.0, -2.0])
    tuner = make_tuner("obgd", 2, alpha=alpha, hyper={"kappa": kappa})
    np.testing.assert_allclose(tuner.step(grad_U=z, grad_delta=z, delta=delta, z=z), change, rtol=1e-15)


numbers = st.floats(-1e6, 1e6)


@given(alpha=st.floats(1e-6, 1e6), kappa=st.floats(0.01, 10), delta=numbers, z=st.lists(numbers, min_size=1))
def test_obgd_never_steps_further_than_its_bound(alpha, kappa, delta, z):
    """αₜ κ max(|δ|, 1) ‖z‖₁ ≤ 1, whatever α."""
    z = np.array(z)
    tuner = make_tuner("obgd", len(z), alpha=alpha, hyper={"kappa": kappa})
    tuner.step(grad_U=z, grad_delta=z, delta=delta, z=z)
    step_size = np.exp(tuner.log_step_sizes())
    assert step_size * kappa * max(abs(delta), 1) * np.abs(z).sum() <= 1 + 1e-9 and step_size <= alpha * (1 + 1e-9)


@pytest.mark.parametrize("method, hyper", CASES, ids=str)
def test_log_step_sizes_are_what_the_gradient_or_its_mean_is_multiplied_by(method, hyper):
    for (change, tuner), g, t in zip(changes(method, None, hyper=hyper), gradients(), range(1, STEPS + 1), strict=True):
        mean = tuner.m_1 / (1 - tuner.beta_1**t) if method == "adam" else g
        np.testing.assert_allclose(np.exp(tuner.log_step_sizes()) * mean, change, rtol=1e-12, atol=1e-300)
        assert tuner.is_finite()


def test_log_step_sizes_before_the_first_step_are_those_of_no_gradient_yet():
    expected = {"rmsprop": ALPHA / math.sqrt(0.0001), "adam": ALPHA / 1e-8, "obgd": ALPHA}
    for method, step_size in expected.items():
        np.testing.assert_allclose(np.exp(make_tuner(method, N, alpha=ALPHA).log_step_sizes()), step_size, rtol=1e-12)


@pytest.mark.parametrize("method", ["rmsprop", "adam"])
def test_moments_that_overflow_are_not_finite(method):
    tuner, z = make_tuner(method, N, alpha=ALPHA), np.full(N, 1e200)
    with np.errstate(over="ignore"):
        tuner.step(grad_U=z, grad_delta=z, delta=1.0, z=z)
    assert not tuner.is_finite()


@pytest.mark.parametrize(
    "method, name, value, words",
    [
        ("rmsprop", "rho", 1.0, "hyper.rho: '1' is out of range; it must be below 1"),
        ("adam", "beta_1", 1.0, "hyper.beta_1: '1' is out of range; it must be below 1"),
        ("obgd", "kappa", 0.0, "hyper.kappa: '0' is out of range; it must be a finite number above 0"),
        ("obgd", "mu", 0.1, "hyper.mu: method obgd has no such hyper-parameter; it has kappa"),
    ],
)
def test_a_wrong_hyper_parameter_is_refused(method, name, value, words):
    with pytest.raises(ValueError, match=words):
        make_tuner(method, N, alpha=ALPHA, hyper={name: value})
