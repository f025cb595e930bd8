"""The little that numpy and torch spell differently, so that each algorithm is written once."""

from typing import Any

import numpy as np

# numpy float64 arrays and torch tensors alike; the two share no type that says so.
Array = Any


def namespace(array: Array) -> Any:
    """The module (`numpy` or `torch`) whose exp, log, abs, dot, where and maximum fit the array."""
    # A tuple: torch.compile cannot follow a union of types.
    if isinstance(array, (np.ndarray, np.generic)):
        return np
    import torch  # only for callers who already use it: numpy agents never pay for its import

    return torch


def dot(a: Array | float, b: Array) -> Array | float:
    """⟨a|b⟩; 0 where `a` is the number 0."""
    return a if isinstance(a, float) else namespace(b).dot(a, b)


def scalar_like(array: Array, value: float) -> Array:
    """A scalar of the array's kind: numpy float64, or a 0-d tensor of the same dtype and device."""
    if namespace(array) is np:
        return np.float64(value)
    return array.new_tensor(value)
