"""Settings of all tests, and the compiled kernels, made once for all workers of a session."""

import fcntl
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# As `metatrace` does, before numpy is imported: threads that wait for one another make a run of a game slow.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest

from metatrace.compiled import object_code
from metatrace.domains.registry import DOMAINS
from metatrace.pipeline import provenance

# Where Slurm is installed and does not run, Snakemake's plugin waits for it for ten seconds at every start.
os.environ.setdefault("SLURM_CONF", os.devnull)

# No test asserts on time, and hypothesis' deadline would.
hypothesis.settings.register_profile("metatrace", deadline=None)
hypothesis.settings.load_profile("metatrace")

# What is collected stays to the end, so the garbage collector need not look through it again and again.
gc.disable()

DOMAIN_OF = {kernel: domain for domain in DOMAINS for kernel in domain.kernels}


def pytest_xdist_auto_num_workers():
    """One more than there are cores: tests wait, for a browser, for a process, for a kernel that another compiles."""
    return min(8, 1 + (os.cpu_count() or 1))


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items):
    """The files that take longest first, so that no worker of pytest-xdist ends with one of them alone."""
    items.sort(key=lambda item: not {"workflow", "faults"} & set(item.path.parts))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Waits until no other worker of pytest-xdist holds it; let go also where a worker is killed."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def made_once(tmp_path_factory, request):
    """Makes a folder of a name, or waits until another worker of pytest-xdist has made it; where it is."""
    base = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        base = base.parent

    def folder_of(name: str, make: Callable[[Path], None]) -> Path:
        folder, done = base / name, base / f"{name}.done"
        with locked(base / f"{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                make(folder)
                done.touch()
        return folder

    return folder_of


@pytest.fixture(scope="session")
def kernel_cache(request):
    """A folder for compiled kernels, as the command keeps them, that outlives a session."""
    return request.config.cache.mkdir("kernels")


@pytest.fixture(scope="session")
def kernel_files(kernel_cache):
    """Where a kernel lies, by its name; who first asks for it compiles it, as a user does."""

    def file(kernel: str) -> Path:
        code = provenance.fingerprint(DOMAIN_OF[kernel].kernel_code(kernel)).digest
        path = kernel_cache / code / object_code.file_name(kernel)
        command = [sys.executable, "-m", "metatrace", "compile", "--kernel", kernel, "--output", str(path)]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        with locked(kernel_cache / f"{kernel}.lock"):
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                subprocess.run(command, env=environment, check=True)
        return path

    return file


@pytest.fixture
def small_numbers_count_again():
    """A run counts numbers too small for full precision as 0; later tests need them again."""
    yield
    import torch  # a second, which tests without networks do not pay

    torch.set_flush_denormal(False)


@pytest.fixture(scope="session")
def all_kernels(kernel_files):
    """The files of all kernels; each worker begins with others, so that none waits for one that another compiles."""
    kernels = list(DOMAIN_OF)
    begin = 4 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % len(kernels)
    return list(map(kernel_files, kernels[begin:] + kernels[:begin]))
