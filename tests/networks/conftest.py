"""The compiled passes; and each test leaves the processor as it was."""

import pytest

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
def processor_as_it_was(small_numbers_count_again):
    """After each test."""
