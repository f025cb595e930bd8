"""The compiled passes, compiled once for all tests here; and each test leaves the processor as it was."""

import pytest
import torch

from metatrace.atari import object_code


@pytest.fixture(scope="session")
def kernel(tmp_path_factory):
    path = tmp_path_factory.mktemp("kernel") / "step_kernel.o"
    path.write_bytes(object_code.compile_object())
    return object_code.load(path)


@pytest.fixture(autouse=True)
def small_numbers_count_again():
    """A run counts numbers too small for full precision as 0; later tests need them again."""
    yield
    torch.set_flush_denormal(False)
