"""The compiled passes; and each test leaves the processor as it was."""

import pytest
import torch

from metatrace.networks import compiled, related, related_layout


@pytest.fixture(scope="session")
def compiled_agent(kernel_files):
    """Makes the compiled agent of a method."""
    step_kernel = compiled.load(kernel_files("step_kernel"))
    related_kernel = related.load(kernel_files("related_kernel"))

    def make(shape, weights, method, tuner):
        if method in related_layout.METHOD_CODES:
            return related.OptimiserAgent(shape, weights, method, tuner, related_kernel, gamma=0.99)
        return compiled.CompiledAgent(shape, weights, method, tuner, step_kernel, gamma=0.99)

    return make


@pytest.fixture(autouse=True)
def small_numbers_count_again():
    """A run counts numbers too small for full precision as 0; later tests need them again."""
    yield
    torch.set_flush_denormal(False)
