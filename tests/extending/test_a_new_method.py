"""A method that nobody has thought of yet: one new module and one entry in the registry, and it works everywhere."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
MODULE = '''
"""Search, then converge: α = α₀ / (1 + t/τ) in step t."""

import math

from metatrace.tuning.arrays import namespace, scalar_like
from metatrace.tuning.tuner import Tuner


class Annealed(Tuner):
    uses_grad_delta = False

    def __init__(self, n_weights, *, tau, **settings):
        self.tau = tau
        super().__init__(n_weights, **settings)

    def _start_run(self, like):
        self.t = scalar_like(like, 0.0)

    def _step(self, grad_U, grad_H, grad_delta, delta, z):
        self.t = self.t + 1
        alpha = math.exp(self.beta_0) / (1 + self.t / self.tau)
        return alpha * (z * delta + (0 if grad_H is None else self.psi * grad_H))

    def log_step_sizes(self):
        return self.beta_0 - namespace(self.t).log(1 + self.t / self.tau)
'''
ENTRY = """    Method(
        "annealed", "an annealed step-size", "annealed", "#117733", (2.0, 1.0), "h",
        "metatrace.tuning.annealed:Annealed", has_mu=False,
        hyper=(Hyperparameter("tau", "1000", "how many steps halve α"),),
    ),
"""

by_registry = pytest.mark.skipif(
    not (ROOT / "metatrace/domains/registry.py").exists(), reason="runs are not yet made by the registry of domains"
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The package with the new method."""
    root = tmp_path_factory.mktemp("extended")
    shutil.copytree(ROOT / "metatrace", root / "metatrace", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "metatrace/tuning/annealed.py").write_text(MODULE, encoding="utf-8")
    registry = root / "metatrace/methods.py"
    before, end, after = registry.read_text(encoding="utf-8").partition(")  # fmt: skip\nMETHODS")
    assert end, "the registry's entries end elsewhere now"
    registry.write_text(before + ENTRY + end + after, encoding="utf-8")
    return root


def call(copy, *command):
    """Runs Python in the copy."""
    environment = os.environ | {"PYTHONPATH": str(copy), "METATRACE_CACHE": str(copy / "cache")}
    command = [sys.executable, *command]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=300)


def run(copy, environment, *options):
    path = copy / f"{environment}{len(list(copy.iterdir()))}.npz"
    named = ["--environment", environment, "--method", "annealed", "--alpha", "2^-8", "--seed", "0"]
    done = call(copy, "-m", "metatrace", "run", *named, *options, "--output", str(path))
    assert done.returncode == 0, done.stderr
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files if name != "meta"}, json.loads(str(arrays["meta"]))


def test_it_is_a_tuner_of_the_library(copy):
    code = """if True:
        import numpy as np
        from metatrace.tuning import METHODS, TUNED_METHODS, make_tuner
        assert METHODS[-1] == "annealed" and "annealed" not in TUNED_METHODS
        for hyper, factor in ((None, 1000 / 1001), ({"tau": 1}, 0.5), ({"tau": "3"}, 0.75)):
            tuner, z = make_tuner("annealed", 2, alpha=0.5, psi=0.1, hyper=hyper), np.ones(2)
            change = tuner.step(grad_U=z, grad_delta=z, delta=2.0, z=z, grad_H=10 * z)
            np.testing.assert_allclose(change, 0.5 * factor * (2 + 0.1 * 10) * z, rtol=1e-14)
    """
    done = call(copy, "-c", code)
    assert done.returncode == 0, done.stderr


def test_the_help_names_it(copy):
    shown = " ".join(call(copy, "-m", "metatrace", "run", "--help").stdout.split())
    assert "nosid, annealed" in shown


@by_registry
def test_the_help_lists_its_hyper_parameters(copy):
    shown = " ".join(call(copy, "-m", "metatrace", "run", "--help").stdout.split())
    assert "tau of annealed: how many steps halve α (1000)" in shown


@by_registry
def test_it_runs_on_mountain_car(copy):
    arrays, meta = run(copy, "mountain_car", "--episodes", "3")
    assert len(arrays["returns"]) == 3 and meta["hyper"] == {"tau": "1000"}


@by_registry
def test_it_runs_on_drifting_mountain_car_with_its_own_step_sizes(copy):
    options = ("--drift", "6e-6", "--episodes", "3", "--hyper", "tau=100")
    arrays, meta = run(copy, "drifting_mountain_car", *options)
    assert meta["hyper"] == {"tau": "100"}
    expected = np.log(2**-8 / (1 + arrays["lengths"].cumsum() / 100))
    np.testing.assert_allclose(arrays["beta"], np.broadcast_to(expected[:, None], arrays["beta"].shape), rtol=1e-12)


@by_registry
def test_it_runs_on_a_game(copy):
    pytest.importorskip("torch")
    arrays, meta = run(copy, "catch", "--frames", "60", "--device", "cpu")
    assert len(arrays["returns"]) > 0 and meta["hyper"] == {"tau": "1000"}


@by_registry
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--hyper", "kappa=1"), "hyper.kappa: method annealed has no such hyper-parameter; it has tau"),
        (("--hyper", "tau=1e3"), "hyper.tau: '1e3' is spelled '1000' here"),
        (("--mu", "2^-8"), "--mu: method annealed has no meta-step-size; leave --mu out"),
    ],
)
def test_what_it_does_not_have_is_refused_in_one_line(copy, options, words):
    named = ["--environment", "mountain_car", "--method", "annealed", "--alpha", "2^-8", "--seed", "0"]
    done = call(
        copy, "-m", "metatrace", "run", *named, "--episodes", "1", *options, "--output", str(copy / "refused.npz")
    )
    assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (copy / "refused.npz").exists()
