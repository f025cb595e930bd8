"""A task that nobody has thought of yet: one new file and one entry in the registry, and every method runs on it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from metatrace.methods import METHODS
from metatrace.runs.results import load_run

ROOT = Path(__file__).parents[2]
TASK = '''
"""Acrobot: swing a double pendulum above a line."""

from metatrace.domains.gymnasium.domain import Gymnasium, Task

DOMAIN = Gymnasium(
    Task(
        "acrobot",
        "acrobot",
        "Acrobot-v1",
        time_limit=60,
        failed_return=-60.0,
        low=(-1.0, -1.0, -1.0, -1.0, -12.57, -28.28),
        high=(1.0, 1.0, 1.0, 1.0, 12.57, 28.28),
        groups=((0, 1, 4), (2, 3, 5)),
    )
)
'''


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The package with the new task."""
    root = tmp_path_factory.mktemp("extended")
    shutil.copytree(ROOT / "metatrace", root / "metatrace", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "metatrace/domains/acrobot.py").write_text(TASK, encoding="utf-8")
    registry = root / "metatrace/domains/registry.py"
    text = registry.read_text(encoding="utf-8")
    entry = "DOMAINS: tuple[Domain, ...] = (MOUNTAIN_CAR, ATARI"
    assert text.count(entry) == 1
    text = text.replace(entry, f"{entry}, ACROBOT")
    first = "from metatrace.domains.atari.domain"
    registry.write_text(
        text.replace(first, f"from metatrace.domains.acrobot import DOMAIN as ACROBOT\n{first}"), "utf-8"
    )
    return root


def run(copy, output, *options):
    environment = os.environ | {"PYTHONPATH": str(copy), "METATRACE_CACHE": str(copy / "cache")}
    command = [sys.executable, "-m", "metatrace", "run", "--environment", "acrobot", "--seed", "3", "--episodes", "2"]
    command += ["--output", output, *options]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs_on_it(copy, method):
    mu = ["--mu", "2^-12"] if METHODS[method].has_mu else []
    done = run(copy, f"{method}.npz", "--method", method, "--alpha", "2^-9", *mu)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert done.stdout.startswith(f"{method}.npz: final score ") and len(done.stdout.splitlines()) == 1
    made = load_run(copy / f"{method}.npz")
    assert made.key.environment == "acrobot" and made.diverged_episode is None
    assert len(made.returns) == 2 and (made.lengths <= 60).all() and (made.returns >= -60).all()
    assert made.meta["episodes"] == 2 and made.meta["readings"]["time_limit"] == "terminal"


def test_the_same_run_has_the_same_bytes_and_another_seed_has_others(copy):
    for name, more in (("one", []), ("two", []), ("three", ["--seed", "4"])):
        assert run(copy, f"{name}.npz", "--method", "none", "--alpha", "2^-9", *more).returncode == 0
    one, two, three = ((copy / f"{name}.npz").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three


def test_a_run_that_diverges_counts_as_failed(copy):
    done = run(copy, "diverged.npz", "--method", "none", "--alpha", "1e300")
    assert done.returncode == 0 and "diverged in episode 0" in done.stderr
    made = load_run(copy / "diverged.npz")
    assert made.diverged_episode == 0 and np.array_equal(made.returns, [-60, -60])


@pytest.mark.parametrize(
    "options, words",
    [
        (["--frames", "5"], "--frames: acrobot counts in --episodes"),
        (["--drift", "1e-5"], "--drift: acrobot has none"),
        (["--device", "cpu"], "--device: acrobot has no use for it"),
        (["--reading", "tile_width=range/10"], "reading.tile_width: there is no such reading"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_bad_input_is_refused_in_one_line(copy, options, words):
    done = run(copy, "bad.npz", "--method", "none", "--alpha", "2^-9", *options)
    assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (copy / "bad.npz").exists()
