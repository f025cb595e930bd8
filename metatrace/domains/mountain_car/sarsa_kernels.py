"""The kernels of mountain car for SARSA(λ), for numba. They have a record, and so a signature, of their own."""

from functools import partial

from metatrace.compiled import lazy_kernel, packed_kernel
from metatrace.compiled.linear_agent import signature_of
from metatrace.compiled.sarsa_agent import make_kernel
from metatrace.domains.mountain_car import dynamics
from metatrace.domains.mountain_car.features import SARSA_RECORD
from metatrace.domains.mountain_car.kernels import at_goal, next_state, observe, reward, start

SIGNATURE = signature_of(SARSA_RECORD)
make = partial(
    make_kernel,
    start=start,
    next_state=next_state,
    reward=reward,
    is_over=at_goal,
    observe=observe,
    time_limit=dynamics.TIME_LIMIT,
)
sarsa_lazy = make(lazy_kernel)
sarsa_packed = make(packed_kernel)
