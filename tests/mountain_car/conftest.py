"""The compiled kernel, made once for all tests of a session."""

import os
import time

import pytest

from metatrace.mountain_car import object_code


@pytest.fixture(scope="session")
def kernel_file(tmp_path_factory, worker_id):
    """The kernel's object file; workers of pytest-xdist share one, the first of them compiles it."""
    folder = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        folder = folder.parent
    path = folder / "mountain_car_kernel.o"
    lock = folder / "mountain_car_kernel.lock"
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
    temporary.write_bytes(object_code.compile_object())
    os.replace(temporary, path)
    return path


@pytest.fixture(scope="session")
def worker_id(request):
    """As pytest-xdist has it, and `master` where that plugin is not installed."""
    return getattr(request.config, "workerinput", {}).get("workerid", "master")


@pytest.fixture(scope="session")
def kernel(kernel_file):
    return object_code.load(kernel_file)
