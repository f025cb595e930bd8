"""The compiled passes, compiled once for all tests here."""

import pytest

from metatrace.atari import object_code


@pytest.fixture(scope="session")
def kernel(tmp_path_factory):
    path = tmp_path_factory.mktemp("kernel") / "step_kernel.o"
    path.write_bytes(object_code.compile_object())
    return object_code.load(path)
