"""The compiled linear learner."""

from collections.abc import Callable
from functools import partial

import numpy as np

from metatrace.compiled.regression_layout import TRACKING
from metatrace.domains import regression_compiled
from metatrace.domains.tracking.train import Learner
from metatrace.tuning.tuner import Tuner

load = partial(regression_compiled.load, kernel="tracking_kernel", integers=3, pointers=5)


class CompiledLearner(Learner):
    """`Learner`, by the tracking kernel (see `load`)."""

    def __init__(self, n_inputs: int, method: str, tuner: Tuner, kernel: Callable[..., None]) -> None:
        super().__init__(n_inputs, tuner)
        self._shared, self._kernel = regression_compiled.SharedState(self.w, method, tuner, TRACKING), kernel
        self.w = self._shared.w

    def learn(self, examples: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """As `Learner.learn`."""
        x, target = examples
        deltas, shared = np.empty(len(target)), self._shared
        self._kernel(*x.shape, shared.number, x, target, deltas, shared.state, shared.numbers)
        shared.after_block()
        return deltas
