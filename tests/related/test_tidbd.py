"""TIDBD, its scalar form and AutoTIDBD: against another writing, weight by weight, and by hand."""

import math

import numpy as np
import pytest
import torch

from metatrace.tuning import make_tuner

N, STEPS, EPISODE = 5, 150, 25
GAMMA, LAM, ALPHA, THETA, TAU = 0.95, 0.8, 0.1, 0.02, 50.0
METHODS = ("tidbd", "tidbd-scalar", "autotidbd")
ETAS = {"one": 1.0, "zero": 0.0}


def stream(seed=0):
    """φ, φ' and R of every step, and whether it is the first of an episode; the last of one is terminal: φ' = 0."""
    rng, following = np.random.default_rng(seed), np.zeros(N)
    for step in range(STEPS):
        first, last = step % EPISODE == 0, step % EPISODE == EPISODE - 1
        phi = (rng.random(N) < 0.5) * rng.choice([-1.0, 1.0], N) if first else following
        following = np.zeros(N) if last else (rng.random(N) < 0.5) * rng.choice([-1.0, 1.0, 1.5], N)
        yield first, phi, following, rng.normal()


def learned(method, convert=lambda value: value, **settings):
    """TD(λ) by the tuner: after every step the weights and the tuner."""
    chosen = {"alpha": ALPHA, "mu": THETA, "gamma": GAMMA, "lam": LAM} | settings
    if method == "autotidbd":
        chosen["hyper"] = {"tau": TAU}
    tuner, w = make_tuner(method, N, **chosen), convert(np.zeros(N))
    for first, phi, following, reward in stream():
        if first:
            tuner.start_episode()
            z = convert(np.zeros(N))
        phi, d = convert(phi), convert(GAMMA * following - phi)
        z = GAMMA * LAM * z + phi
        delta = reward + (d * w).sum()
        w = w + tuner.step(grad_U=phi, grad_delta=d, delta=delta, z=z)
        yield w, tuner


def expected_tidbd(*, one_beta):
    """Algorithm 1, a weight at a time."""
    w, h, z, beta = [0.0] * N, [0.0] * N, [0.0] * N, [math.log(ALPHA)] * N
    for first, phi, following, reward in stream():
        z = [0.0] * N if first else z
        delta = reward + sum((GAMMA * following[i] - phi[i]) * w[i] for i in range(N))
        together = sum(phi[i] * h[i] for i in range(N))
        for i in range(N):
            beta[i] += THETA * delta * (together if one_beta else phi[i] * h[i])
            alpha = math.exp(beta[i])
            z[i] = GAMMA * LAM * z[i] + phi[i]
            w[i] += alpha * delta * z[i]
            h[i] = h[i] * max(1 - alpha * phi[i] * z[i], 0.0) + alpha * delta * z[i]
        yield list(w), list(beta), list(h)


def expected_autotidbd(eta_0):
    """Algorithm 6, a weight at a time."""
    w, h, z = [0.0] * N, [0.0] * N, [0.0] * N
    beta, eta = [math.log(ALPHA)] * N, [eta_0] * N
    for first, phi, following, reward in stream():
        z = [0.0] * N if first else z
        d = [GAMMA * following[i] - phi[i] for i in range(N)]
        delta = reward + sum(d[i] * w[i] for i in range(N))
        for i in range(N):
            slower = eta[i] - math.exp(beta[i]) * d[i] * z[i] * (abs(delta * phi[i] * h[i]) - eta[i]) / TAU
            eta[i] = max(abs(delta * d[i] * h[i]), slower)
            if eta[i] != 0:
                beta[i] -= THETA * delta * d[i] * h[i] / eta[i]
        M = max(-sum(math.exp(beta[i]) * d[i] * z[i] for i in range(N)), 1.0)
        for i in range(N):
            beta[i] -= math.log(M)
            alpha = math.exp(beta[i])
            z[i] = GAMMA * LAM * z[i] + phi[i]
            w[i] += alpha * delta * z[i]
            h[i] = h[i] * max(1 + alpha * d[i] * z[i], 0.0) + alpha * delta * z[i]
        yield list(w), list(beta), list(h)


def expected(method, eta_0="one"):
    return expected_autotidbd(ETAS[eta_0]) if method == "autotidbd" else expected_tidbd(one_beta="scalar" in method)


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@pytest.mark.parametrize(
    "method, reading", [("tidbd", {}), ("tidbd-scalar", {}), *(("autotidbd", {"eta_0": eta}) for eta in ETAS)], ids=str
)
def test_every_step_is_that_of_its_paper(method, reading, kind):
    def convert(value):
        return value if kind == "numpy" else torch.tensor(value, dtype=torch.float64)

    moved = 0.0
    for (w, tuner), (its_w, its_beta, its_h) in zip(
        learned(method, convert, **reading), expected(method, **reading), strict=True
    ):
        assert w.dtype == convert(np.zeros(1)).dtype and tuner.h.dtype == w.dtype
        np.testing.assert_allclose(np.asarray(w), its_w, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(np.broadcast_to(np.asarray(tuner.beta), N), its_beta, rtol=1e-10)
        np.testing.assert_allclose(np.asarray(tuner.h), its_h, rtol=1e-8, atol=1e-12)
        moved = max(moved, np.ptp(its_beta), abs(its_beta[0] - math.log(ALPHA)))
    assert moved > 0.01


def test_both_of_autotidbds_first_etas_are_told_apart():
    ends = [list(expected("autotidbd", eta))[-1][0] for eta in ETAS]
    assert not np.allclose(*ends)


@pytest.mark.parametrize("method", METHODS)
def test_float32_stays_float32_and_near(method):
    near = learned(method, lambda value: torch.tensor(value, dtype=torch.float32))
    for (w, tuner), (exact, _) in zip(near, learned(method), strict=True):
        assert w.dtype == tuner.log_step_sizes().dtype == torch.float32
        np.testing.assert_allclose(w, exact, rtol=2e-3, atol=2e-4)


def step(tuner, phi, d, delta, z):
    values = {"grad_U": phi, "grad_delta": d}
    return tuner.step(delta=delta, z=np.asarray(z), **{name: np.array(value) for name, value in values.items()})


def test_tidbd_by_hand():
    """One weight, α₀ = ½, θ = log 2, γλ = ½."""
    tuner = make_tuner("tidbd", 1, alpha=0.5, mu=math.log(2), gamma=1.0, lam=0.5)
    tuner.start_episode()
    # h was 0: α stays ½. Δw = ½·2·1; h = 0·(1 − ½) + 1
    assert step(tuner, [1.0], [0.0], 2.0, [1.0]) == pytest.approx([1.0]) and tuner.h == pytest.approx([1.0])
    # β grows by log 2 · (−1)·1·1: α = ¼. z = 1½. Δw = ¼·(−1)·1½ = −⅜; h = 1·(1 − ⅜) − ⅜ = ¼
    assert step(tuner, [1.0], [0.0], -1.0, [1.5]) == pytest.approx([-0.375])
    assert np.exp(tuner.beta) == pytest.approx([0.25]) and tuner.h == pytest.approx([0.25])
    # Not active: β stays, h does not decay. z = ¾: Δw = ¼·4·¾ = ¾; h = ¼ + ¾
    assert step(tuner, [0.0], [0.0], 4.0, [0.75]) == pytest.approx([0.75]) and tuner.h == pytest.approx([1.0])
    # β grows by log 2 · 3·1·1: α = 2. 1 − α φ z = −1¾ counts as 0: h = α δ z
    assert step(tuner, [1.0], [0.0], 3.0, [1.375]) == pytest.approx([8.25])
    assert np.exp(tuner.beta) == pytest.approx([2.0]) and tuner.h == pytest.approx([8.25])


def test_autotidbd_by_hand():
    """One weight, α₀ = 1, θ = log 2, τ = 2, γ = ½, λ = 1, η = 0 at first."""
    given = {"alpha": 1.0, "mu": math.log(2), "gamma": 0.5, "lam": 1.0, "hyper": {"tau": 2.0}, "eta_0": "zero"}
    tuner = make_tuner("autotidbd", 1, **given)
    tuner.start_episode()
    # h = 0: η stays 0, and β with it. z was 0: M = 1. Δw = 2; with d = −1 and z = 1, [1 − 1]⁺ = 0: h = 2
    assert step(tuner, [1.0], [-1.0], 2.0, [1.0]) == pytest.approx([2.0])
    assert (tuner.eta, tuner.beta, tuner.h) == (0, 0, pytest.approx([2.0]))
    # |δdh| = 2; η = max(2, 0 + ½·1·1·(2 − 0)) = 2; β grows by log 2 · (1·1·2)/2: e^β = 2.
    # M = 2·1·1 (the old z = 1): α = 1. z = 1½: Δw = 1½; [1 − 1½]⁺ = 0: h = 1½
    assert step(tuner, [1.0], [-1.0], 1.0, [1.5]) == pytest.approx([1.5])
    assert tuner.eta == pytest.approx([2.0]) and np.exp(tuner.beta) == pytest.approx([1.0])
    # d = ½, not active: |δdh| = ¾·⅓ = ¼; η = max(¼, 2 − ½·1·½·1½·(0 − 2)) = 2¾. β falls by log 2 · ¼/2¾.
    # −e^β d z < 0: M = 1
    tuner_change = step(tuner, [0.0], [0.5], 1 / 3, [0.75])
    assert tuner.eta == pytest.approx([2.75]) and tuner.beta == pytest.approx([-math.log(2) / 11])
    assert tuner_change == pytest.approx(np.exp(tuner.beta) / 4)


def test_a_new_episode_forgets_autotidbds_trace_and_keeps_eta():
    tuner = [tuner for _, tuner in learned("autotidbd")][-1]
    eta = tuner.eta.copy()
    assert tuner.z.any() and (eta != 1).any()
    tuner.start_episode()
    assert not tuner.z.any() and np.array_equal(tuner.eta, eta)


def test_an_agent_may_work_in_its_own_trace():
    """AutoTIDBD remembers z as it was, also if the agent then changes the array that it gave."""
    tuner, z = make_tuner("autotidbd", 1, alpha=0.5, mu=0.1), np.array([1.0])
    step(tuner, [1.0], [-1.0], 1.0, z)
    z[:] = 7
    assert tuner.z == [1.0]
