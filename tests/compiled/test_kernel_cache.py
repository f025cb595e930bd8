"""The kernels that the command line keeps: never stale, and whole where several processes make one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import metatrace
from metatrace.runs.results import load_run

PACKAGE = Path(metatrace.__file__).parent
# Runs on drifting mountain car keep β, which tells another agent by its first episode.
RUN = ["run", "--environment", "drifting_mountain_car", "--drift", "1e-5"]
RUN += ["--method", "scalar", "--alpha", "2^-6", "--mu", "2^-8"]
AT_ONCE = 2


def start(folder, output, *more):
    """`metatrace run` of the package in `folder`, with a cache beside it, as a process."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "METATRACE_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "metatrace", *RUN, "--seed", "0", "--episodes", "3", "--output", output]
    return subprocess.Popen(
        [*command, *more], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def run(folder, output, *more):
    process = start(folder, output, *more)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    return load_run(folder / output), errors


@pytest.fixture(scope="module")
def raced(tmp_path_factory):
    """A copy of the package, and what several processes said that found no kernel and began at once."""
    folder = tmp_path_factory.mktemp("raced")
    shutil.copytree(PACKAGE, folder / "metatrace", ignore=shutil.ignore_patterns("__pycache__"))
    processes = [start(folder, f"{number}.npz") for number in range(AT_ONCE)]
    said = [process.communicate()[1] for process in processes]
    return folder, [(process.returncode, text) for process, text in zip(processes, said, strict=True)]


def test_processes_that_begin_at_once_all_succeed_with_the_same_bytes(raced):
    folder, ended = raced
    assert [code for code, _ in ended] == [0] * AT_ONCE, ended
    assert "compiling the kernel" in ended[0][1]
    contents = {(folder / f"{number}.npz").read_bytes() for number in range(AT_ONCE)}
    assert len(contents) == 1
    # One kernel, whole, and nothing half-written next to it.
    assert len([path for path in (folder / "cache").rglob("*") if path.is_file()]) == 1


def test_a_callee_in_another_module_is_never_stale(raced):
    folder, _ = raced
    before = load_run(folder / "0.npz")
    tiles = folder / "metatrace/domains/mountain_car/tiles.py"
    text = tiles.read_text()
    assert text.count("offset = tiling / N_TILINGS") == 1
    tiles.write_text(text.replace("offset = tiling / N_TILINGS", "offset = tiling / (2 * N_TILINGS)"))
    edited, said = run(folder, "edited.npz")
    assert "compiling the kernel" in said
    assert not np.allclose(edited.beta, before.beta, rtol=1e-6)
    # The new code and nothing else: the plain agent, which calls the same module, has the same β.
    plain, _ = run(folder, "plain.npz", "--agent", "plain")
    np.testing.assert_allclose(edited.beta, plain.beta, rtol=1e-9)

    tiles.write_text(text)
    _, said = run(folder, "again.npz")
    assert said == ""  # the first kernel is still there
    assert (folder / "again.npz").read_bytes() == (folder / "0.npz").read_bytes()
    # numba keeps no cache of its own, which knows nothing of callees in other modules.
    assert not [path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc")]
