"""The compiled kernels, each made once for all tests of a session."""

import os
import time

import pytest

from metatrace.mountain_car import object_code


def compile_once(name, tmp_path_factory, worker_id):
    """A kernel's object file; workers of pytest-xdist share one, the first of them compiles it."""
    folder = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        folder = folder.parent
    path = folder / f"{name}.o"
    lock = folder / f"{name}.lock"
    try:
        lock.mkdir()
    except FileExistsError:
        waited_since = time.monotonic()
        while not path.exists():
            assert time.monotonic() - waited_since < 300, (
                "the worker that compiles the kernel does not finish"
            )
            time.sleep(0.1)
        return path
    temporary = path.with_suffix(f".{os.getpid()}")
    temporary.write_bytes(object_code.compile_object(name))
    os.replace(temporary, path)
    return path


@pytest.fixture(scope="session")
def worker_id(request):
    """As pytest-xdist has it, and `master` where that plugin is not installed."""
    return getattr(request.config, "workerinput", {}).get("workerid", "master")


@pytest.fixture(scope="session")
def kernel_file(tmp_path_factory, worker_id):
    return compile_once("lazy_kernel", tmp_path_factory, worker_id)


@pytest.fixture(scope="session")
def kernel(kernel_file):
    """The kernel of none, scalar, SID and NOSID."""
    return object_code.load(kernel_file)


@pytest.fixture(scope="session")
def packed_kernel(tmp_path_factory, worker_id):
    """The kernel of vector and mixed."""
    return object_code.load(compile_once("packed_kernel", tmp_path_factory, worker_id))
