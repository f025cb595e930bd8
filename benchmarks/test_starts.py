"""Processor time of what starts thousands of times, in units of `python -c "import numpy"` of the same sitting.

    pytest benchmarks/test_starts.py --benchmark-only -s

A mountain car run of one episode, a game's first frame, and the dry run of the whole paper. Nothing here asserts on
time.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The kernels that runs of a workflow are given.
KERNELS = ("lazy_kernel", "packed_kernel", "step_kernel")
RUN = "-m metatrace run --seed 0 --alpha 2^-8 --output run.npz"
COMMANDS = {
    "import numpy": "-c import~numpy",
    "a mountain car run": f"{RUN} --environment mountain_car --method scalar --mu 2^-8 --episodes 1"
    " --kernel lazy_kernel",
    "a drifting run": f"{RUN} --environment drifting_mountain_car --method mixed --mu 2^-8 --drift 1e-5 --episodes 1"
    " --kernel packed_kernel",
    "a game's first frame": f"{RUN} --environment seaquest --method mixed --mu 0.001 --frames 1 --kernel step_kernel",
    "snakemake -n": f"-m snakemake -n --quiet --directory {ROOT} --snakefile {ROOT}/Snakefile",
}
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "SLURM_CONF": os.devnull}


def call(folder: Path, arguments: list[str]) -> None:
    """Runs Python in a folder."""
    subprocess.run([sys.executable, *arguments], cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)


def of_children() -> float:
    """Processor seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.fixture(scope="module")
def table():
    """Collects seconds by command; prints them when the last benchmark is done."""
    rows = {}
    yield rows
    print(f"\n\n{'command':<24}{'seconds':>9}{'imports of numpy':>18}")
    for command, seconds in rows.items():
        print(f"{command:<24}{seconds:>9.3f}{seconds / rows['import numpy']:>18.2f}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the kernels."""
    folder = tmp_path_factory.mktemp("starts")
    for kernel in KERNELS:
        call(folder, ["-m", "metatrace", "compile", "--kernel", kernel, "--output", kernel])
    return folder


@pytest.mark.benchmark(timer=of_children)
@pytest.mark.parametrize("name", COMMANDS)
def test_seconds_of_a_start(benchmark, table, folder, name):
    arguments = [part.replace("~", " ") for part in COMMANDS[name].split()]
    rounds = 3 if "snakemake" in name else 15
    benchmark.pedantic(call, (folder, arguments), rounds=rounds, warmup_rounds=1)
    if benchmark.stats:  # none under --benchmark-disable
        table[name] = benchmark.stats.stats.min
