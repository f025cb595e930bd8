"""Predictions as the compiled kernels take them, and the kernels themselves, for numba."""

from functools import partial

import numpy as np

from metatrace.compiled import lazy_kernel, packed_kernel, tidbd_kernel
from metatrace.compiled.linear_agent import compiled, signature_of
from metatrace.compiled.linear_prediction import make_kernel
from metatrace.domains.mountain_car import dynamics, kernels
from metatrace.domains.prediction import policy
from metatrace.domains.prediction.layout import RECORD

_choose = compiled(policy.choose)


@compiled
def choose(state: tuple[float, float], uniform: float) -> int:
    """The policy's action; Gymnasium's observation is float32."""
    return _choose(float(np.float32(state[1])), uniform)


SIGNATURE = signature_of(RECORD)
make = partial(
    make_kernel,
    start=kernels.start,
    next_state=kernels.next_state,
    reward=kernels.reward,
    is_over=kernels.at_goal,
    choose=choose,
    observe=kernels.observe,
    drift=kernels.drift_one_step,
    time_limit=dynamics.TIME_LIMIT,
)
lazy = make(lazy_kernel)
packed = make(packed_kernel)
tidbd = make(tidbd_kernel)
