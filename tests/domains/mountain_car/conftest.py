"""The compiled kernels of mountain car."""

import pytest

from metatrace.domains.mountain_car import compiled


@pytest.fixture(scope="session")
def kernel_file(kernel_files):
    return kernel_files("lazy_kernel")


@pytest.fixture(scope="session")
def kernel(kernel_file):
    """The kernel of none, scalar, SID and NOSID."""
    return compiled.load(kernel_file, "lazy_kernel")


@pytest.fixture(scope="session")
def packed_kernel(kernel_files):
    """The kernel of vector and mixed."""
    return compiled.load(kernel_files("packed_kernel"), "packed_kernel")
