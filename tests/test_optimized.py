"""Python without assertions and docstrings (`-OO`) does the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metatrace.runs.results import load_run

ROOT = Path(__file__).parents[1]
RUN = ["run", "--environment", "mountain_car", "--alpha", "2^-6", "--seed", "0", "--episodes", "2", "--agent", "plain"]


def optimized(*arguments, cwd=ROOT):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONOPTIMIZE": "2"}
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True)


@pytest.mark.slow  # Python compiles all packages again
def test_every_module_can_be_imported():
    files = (ROOT / "metatrace").rglob("*.py")
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files}
    names -= {"metatrace.__main__"}
    done = optimized("-c", f"import importlib\nfor name in {sorted(names)}: importlib.import_module(name)")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("method", ["none", "mixed"])
def test_a_run_gives_the_same_bytes(tmp_path, method):
    mu = [] if method == "none" else ["--mu", "2^-8"]
    for name, optimize in (("one.npz", "0"), ("two.npz", "2")):
        command = [sys.executable, "-m", "metatrace", *RUN, "--method", method, *mu, "--output", name]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONOPTIMIZE": optimize}
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert len(load_run(tmp_path / "one.npz").returns) == 2


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["config", "config/paper.yaml"], ["status", "config/quick.yaml"], ["provenance", "why", "claims"]],
    ids=lambda arguments: arguments[0],
)
def test_a_verb_says_the_same(arguments):
    asserting = subprocess.run(
        [sys.executable, "-m", "metatrace", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    done = optimized("-m", "metatrace", *arguments)
    assert done.returncode == 0 and done.stdout == asserting.stdout and done.stderr == asserting.stderr


def test_bad_input_is_still_one_line(tmp_path):
    done = optimized("-m", "metatrace", *RUN, "--method", "none", "--output", str(tmp_path), "--mu", "3")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and done.stdout == ""
