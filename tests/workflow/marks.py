"""Marks of parametrised tests."""

from typing import Any

import pytest


def slow(*values: Any) -> Any:
    """Values that are tried among the slow tests alone."""
    return pytest.param(*values, marks=pytest.mark.slow)
