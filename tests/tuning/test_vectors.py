"""The tuners against numbers worked out independently of this code."""

import json
from pathlib import Path

import numpy as np
import pytest

from metatrace.tuning import make_tuner

VECTORS = np.load(Path(__file__).parents[1] / "vectors" / "tuners.npz")
CASES = json.loads(str(VECTORS["index"]))
SETTINGS = ("alpha", "mu", "gamma", "lam", "psi")


def replay(case, convert, answer="update"):
    """Every step of a case: the tuner, and the step-size after it or its step."""
    read = {name: VECTORS[f"{case['case']}/{name}"] for name in ("grad_U", "grad_H", "grad_delta", "delta", "z")}
    first = VECTORS[f"{case['case']}/first"]
    tuner = make_tuner(case["method"], read["z"].shape[1], **{key: case[key] for key in SETTINGS})
    for step in range(len(first)):
        if first[step]:
            tuner.start_episode()
        yield step, tuner, getattr(tuner, answer)(**{name: convert(values[step]) for name, values in read.items()})


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}-{case['method']}")
def test_every_step_agrees_to_ten_digits(case):
    expected = {name: VECTORS[f"{case['case']}/{name}"] for name in ("alpha", "h", "h_hat")}
    for step, tuner, alpha in replay(case, lambda value: value):
        np.testing.assert_allclose(np.broadcast_to(alpha, 12), expected["alpha"][step], rtol=1e-10, atol=0)
        np.testing.assert_allclose(tuner.h, expected["h"][step], rtol=1e-10, atol=0)
        if hasattr(tuner, "h_hat"):
            np.testing.assert_allclose(tuner.h_hat, expected["h_hat"][step], rtol=1e-10, atol=0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}-{case['method']}")
def test_the_change_of_the_weights_is_that_of_the_paper(case):
    alpha, z, delta, grad_H = (VECTORS[f"{case['case']}/{name}"] for name in ("alpha", "z", "delta", "grad_H"))
    for step, _, change in replay(case, lambda value: value, "step"):
        expected = alpha[step] * (z[step] * delta[step] + case["psi"] * grad_H[step])
        np.testing.assert_allclose(change, expected, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}-{case['method']}")
def test_torch_float64_takes_the_same_steps_as_numpy(case):
    torch = pytest.importorskip("torch")
    in_numpy = ((np.array(alpha), tuner.h.copy()) for _, tuner, alpha in replay(case, lambda value: value))
    in_torch = replay(case, lambda value: torch.tensor(value, dtype=torch.float64))
    for (alpha, h), (_, tuner, tensor) in zip(in_numpy, in_torch, strict=True):
        assert tensor.dtype == torch.float64 and tuner.h.dtype == torch.float64
        np.testing.assert_allclose(tensor.numpy(), alpha, rtol=1e-10, atol=0)
        np.testing.assert_allclose(tuner.h.numpy(), h, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}-{case['method']}")
def test_torch_float32_stays_float32_and_near(case):
    torch = pytest.importorskip("torch")
    for _, tuner, alpha in replay(case, lambda value: torch.tensor(value, dtype=torch.float32)):
        assert alpha.dtype == torch.float32 and tuner.h.dtype == torch.float32 and tuner.beta.dtype == torch.float32
    expected = VECTORS[f"{case['case']}/alpha"][-1]
    np.testing.assert_allclose(np.broadcast_to(alpha.numpy(), 12), expected, rtol=1e-3)
