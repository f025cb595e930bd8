"""Feeds the compiled learners of regression: one stretch of memory that a method's tuner and its kernel share."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from metatrace.compiled import object_code
from metatrace.compiled.regression_layout import NUMBERS, STATE
from metatrace.tuning.tuner import Tuner


class SharedState:
    """What a method keeps for each weight, and its constants, where a kernel finds them.

    Args:
      w: the weights at the start. tuner: of the method, whose arrays become views of `state`.
      methods: those of the kernel, in its order.

    Attributes:
      state: (1 + arrays, …), the weights first. numbers: (`NUMBERS`,). number: which method it is, to the kernel.
    """

    def __init__(self, w: np.ndarray, method: str, tuner: Tuner, methods: Sequence[str]) -> None:
        self.tuner, self.number = tuner, methods.index(method)
        tuner.adopt(w)
        self.state = np.zeros((1 + len(STATE[method]), *w.shape))
        self.state[0] = w
        for name, row in zip(STATE[method], self.state[1:], strict=True):
            kept = getattr(tuner, name)
            view = row[..., : kept.shape[-1]]  # crossprop has no h for the weights out of a unit
            view[...] = kept
            setattr(tuner, name, view)
        self.numbers = np.zeros(len(NUMBERS))
        hyper: dict[str, Any] = vars(tuner)
        rates = {"rate_1": hyper.get("beta_1", 0.0), "rate_2": hyper.get("beta_2", hyper.get("rho", 0.0))}
        constants = {"alpha": math.exp(tuner.beta_0), "mu": tuner.mu, **rates}
        constants |= {name: hyper.get(name, 0.0) for name in ("tau", "epsilon")}
        for name, value in constants.items():
            self.numbers[NUMBERS.index(name)] = value

    @property
    def w(self) -> np.ndarray:
        """The weights."""
        weights: np.ndarray = self.state[0]
        return weights

    def after_block(self) -> None:
        """Tells the tuner how far its corrections are, 1 − ρ^t; else it would take its means for those of no steps."""
        for name in ("correction", "correction_2"):
            if hasattr(self.tuner, name):
                setattr(self.tuner, name, self.numbers[NUMBERS.index("correction_2")])


def load(path: Path, kernel: str, *, integers: int, pointers: int) -> Callable[..., None]:
    """Loads a kernel: a function of integers and of the addresses of arrays, all float64 and contiguous.

    Raises:
      UserError: the file is missing, damaged or another kernel's.
    """
    call = object_code.load(path, kernel, integers=integers, pointers=pointers)

    def with_arrays(*arguments: int | np.ndarray) -> None:
        call(*(value.ctypes.data if isinstance(value, np.ndarray) else value for value in arguments))

    return with_arrays
