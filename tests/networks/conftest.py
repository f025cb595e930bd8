"""The compiled passes; and each test leaves the processor as it was."""

import pytest
import torch

from metatrace.networks import compiled


@pytest.fixture(scope="session")
def kernel(kernel_files):
    return compiled.load(kernel_files("step_kernel"))


@pytest.fixture(autouse=True)
def small_numbers_count_again():
    """A run counts numbers too small for full precision as 0; later tests need them again."""
    yield
    torch.set_flush_denormal(False)
