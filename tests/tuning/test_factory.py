"""Making tuners from the registry: a method is one module with one class, and one entry."""

import numpy as np
import pytest

from metatrace.methods import METHODS, Hyperparameter, Method
from metatrace.tuning import Tuner, make_tuner, readings_of

MODULE = '''
"""Momentum: m ← κ m + z δ + ψ ∂H/∂w; Δw = α₀ m."""

import math

from metatrace.tuning import Tuner
from metatrace.tuning.arrays import namespace


class Heavy(Tuner):
    uses_grad_delta = False

    def __init__(self, n_weights, *, kappa, sign=1, **settings):
        self.kappa, self.sign = kappa, sign
        super().__init__(n_weights, **settings)

    def _start_run(self, like):
        self.m = namespace(like).zeros_like(like)

    def _step(self, grad_U, grad_H, grad_delta, delta, z):
        self.m = self.kappa * self.m + z * delta + (0 if grad_H is None else self.psi * grad_H)
        return self.sign * math.exp(self.beta_0) * self.m
'''


@pytest.fixture(autouse=True)
def heavy(tmp_path, monkeypatch):
    """A method of one's own, without a step-size that is tuned."""
    (tmp_path / "heavy_ball.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    entry = Method(
        "heavy", "heavy ball", "heavy", "#123456", (), "h", "heavy_ball:Heavy", options={"sign": 2},
        hyper=(Hyperparameter("kappa", "2^-1", "how much of the last step goes on"),), has_mu=False,
    )  # fmt: skip
    monkeypatch.setitem(METHODS, "heavy", entry)


def steps(tuner, count=4):
    z = np.array([1.0, 2.0])
    return [tuner.step(grad_U=z, grad_delta=None, delta=1.0, z=z) for _ in range(count)]


def test_a_method_steps_without_a_step_size_of_its_own():
    tuner = make_tuner("heavy", 2, alpha=0.25)
    assert isinstance(tuner, Tuner) and not tuner.uses_grad_delta and not hasattr(tuner, "update")
    sums = np.array([1, 1.5, 1.75, 1.875])
    np.testing.assert_allclose(steps(tuner), 2 * 0.25 * np.outer(sums, [1, 2]), rtol=1e-15)
    assert np.exp(tuner.log_step_sizes()) == pytest.approx(0.25) and tuner.is_finite()


@pytest.mark.parametrize("token, value", [("2^-2", 0.25), ("0.1", 0.1)])
def test_a_hyper_parameter_is_a_number_or_its_token(token, value):
    for kappa in (token, value, np.float64(value)):
        assert make_tuner("heavy", 2, alpha=0.25, hyper={"kappa": kappa}).kappa == value


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"hyper": {"tau": 1.0}}, "hyper.tau: method heavy has no such hyper-parameter; it has kappa"),
        ({"hyper": {"kappa": -1.0}}, "hyper.kappa is -1.0; it must be finite and from 0 up"),
        ({"hyper": {"kappa": "half"}}, "hyper.kappa: 'half' is not a number"),
        ({"h_lifetime": "run"}, "h_lifetime: method heavy has no such reading; its readings are none"),
    ],
)
def test_what_the_method_does_not_have_is_refused(chosen, words):
    with pytest.raises(ValueError, match=words):
        make_tuner("heavy", 2, alpha=0.25, **chosen)


def test_a_method_takes_the_readings_that_concern_it():
    answers = {"h_lifetime": "episode", "nosid_normaliser": "trace_product", "time_limit": "bootstrap"}
    assert readings_of("heavy", answers) == {}
    assert readings_of("scalar", answers) == {"h_lifetime": "episode"}
    assert readings_of("nosid", answers) == {"h_lifetime": "episode", "normaliser": "trace_product"}
