"""The compiled network of one hidden layer."""

from collections.abc import Callable
from functools import partial

import numpy as np

from metatrace.compiled.regression_layout import GEOFF
from metatrace.domains import regression_compiled
from metatrace.domains.geoff.train import Learner
from metatrace.tuning.tuner import Tuner

load = partial(regression_compiled.load, kernel="geoff_kernel", integers=4, pointers=7)


class CompiledLearner(Learner):
    """`Learner`, by the GEOFF kernel (see `load`)."""

    def __init__(self, w: np.ndarray, method: str, tuner: Tuner, kernel: Callable[..., None]) -> None:
        super().__init__(w, method, tuner)
        self._shared, self._kernel = regression_compiled.SharedState(w, method, tuner, GEOFF), kernel
        self.w = self._shared.w
        self._g, self._phi = np.empty(w.shape[1]), np.empty(len(w))

    def learn(self, examples: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """As `Learner.learn`."""
        (x, target), shared, deltas = examples, self._shared, np.empty(len(examples[1]))
        sizes = len(target), len(self.w), x.shape[1], shared.number
        self._kernel(*sizes, x, target, deltas, shared.state, self._g, self._phi, shared.numbers)
        shared.after_block()
        return deltas
