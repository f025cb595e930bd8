"""What the linear kernels share: the environment that they take, softmax, gradients, and how they are called.

This module and the kernels need numba; only their compilation and the tests import them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from metatrace.compiled import layout

compiled = numba.njit(error_model="numpy")
inlined = numba.njit(error_model="numpy", inline="always")

_f64, _i64 = types.CPointer(types.float64), types.CPointer(types.int64)
# The number of episodes, and the arrays of `layout`
SIGNATURE = types.void(
    types.int64,
    *(_i64, _f64, _f64),
    *(_f64, _f64, _i64, _i64, _f64),
    *(_f64, _i64, _f64),
    *(_f64, _i64, _f64, _i64),
)


@dataclass(frozen=True)
class Environment:
    """An environment as a kernel takes it: constants, and functions that numba can compile.

    Its state is a tuple of numbers. Features are binary, or ±1: learning takes x² = 1 for granted.

    Attributes:
      start: from a number of `starts` to the first state.
      next_state: from a state and an action to the next state.
      reward: of a step that led to a state.
      is_over: whether a state ends the episode, other than by the time limit.
      observe: (state, flags, numbers, signs, noise word, active, x) → how many features are active; writes their
        indices into `active` and their values into `x`.
      drift: (step of the run, flips, used, signs) → how many flips are used after that step; flips signs.
      n_actions, n_features, time_limit (steps per episode): what they say.
      n_informative: the first so many features count as informative in `layout`'s groups of β.
      first_noise: from here on features count as noisy.
    """

    start: Callable[..., Any]
    next_state: Callable[..., Any]
    reward: Callable[..., float]
    is_over: Callable[..., bool]
    observe: Callable[..., int]
    drift: Callable[..., int]
    n_actions: int
    n_features: int
    time_limit: int
    n_informative: int
    first_noise: int

    @property
    def blocks(self) -> int:
        """Of weights: the value's, then one per action."""
        return 1 + self.n_actions


@intrinsic
def _on_stack(_typing: Any, size: Any) -> Any:
    if not isinstance(size, types.IntegerLiteral):
        return None
    count = size.literal_value

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = cgutils.alloca_once(builder, cgutils.ir.ArrayType(cgutils.ir.DoubleType(), count))
        return builder.bitcast(numbers, context.get_value_type(_f64))

    return _f64(size), make


def array_of(size: int) -> Callable[[], Any]:
    """A function that makes an array of so many numbers, which the compiler keeps in registers where it can."""

    @inlined
    def make() -> Any:
        return numba.carray(_on_stack(size), (size,))  # type: ignore[call-arg]  # numba's intrinsics take one less

    return make


def softmax_over(n_actions: int) -> Callable[..., Any]:
    """A function that writes π over the actions; `totals` holds V and then the logits."""

    @inlined
    def softmax(totals: Any, pi: Any) -> None:
        highest = totals[1]
        for action in range(1, n_actions):
            highest = max(highest, totals[1 + action])
        total = 0.0
        for action in range(n_actions):
            pi[action] = math.exp(totals[1 + action] - highest)
            total += pi[action]
        for action in range(n_actions):
            pi[action] = pi[action] / total

    return softmax


def is_finite_over(n_actions: int) -> Callable[..., bool]:
    """A function that says whether π and the logits are finite."""

    @inlined
    def is_finite(totals: Any, pi: Any) -> bool:
        total = 0.0
        for action in range(n_actions):
            total += pi[action]
        for action in range(n_actions):
            total += totals[1 + action]
        return math.isfinite(total)

    return is_finite


def choose_among(n_actions: int) -> Callable[..., int]:
    """A function that gives the action which a uniform number in [0, 1) picks from π."""

    @inlined
    def choose(uniform: float, pi: Any) -> int:
        action, total = 0, 0.0
        for earlier in range(n_actions - 1):
            total += pi[earlier]
            action += 1 if uniform >= total else 0
        return action

    return choose


def write_grad_U_of(n_actions: int) -> Callable[..., float]:
    """A function that writes ∂U/∂w of a feature with value 1, a number per block.

    It returns the sum of their squares.
    """

    @inlined
    def write_grad_U(action: int, pi: Any, log_constant: float, g: Any) -> float:
        pi_action = pi[n_actions - 1]
        for other in range(n_actions - 1):
            pi_action = pi[other] if action == other else pi_action
        scale = 0.5 * (pi_action / (pi_action + log_constant))
        g[0] = 1.0
        squares = 1.0
        for other in range(n_actions):
            g[1 + other] = scale * ((1.0 if action == other else 0.0) - pi[other])
            squares += g[1 + other] * g[1 + other]
        return squares

    return write_grad_U


def entry_of(
    run_episodes: Callable[..., None], store_shape: tuple[int, int, int], environment: Environment
) -> Callable[..., None]:
    """A kernel's `run_episodes` behind plain C pointers, for `object_code`; `store` has that shape."""
    n_features, time_limit, n_informative = environment.n_features, environment.time_limit, environment.n_informative

    def entry(
        episodes: int,
        flags: Any,
        numbers: Any,
        state: Any,
        starts: Any,
        uniforms: Any,
        flips: Any,
        noise: Any,
        signs: Any,
        store: Any,
        integers: Any,
        scratch: Any,
        returns: Any,
        lengths: Any,
        beta_groups: Any,
        status: Any,
    ) -> None:
        run_episodes(
            episodes,
            numba.carray(flags, layout.N_FLAGS),
            numba.carray(numbers, layout.N_NUMBERS),
            numba.carray(state, layout.N_STATE),
            numba.carray(starts, episodes),
            numba.carray(uniforms, episodes * time_limit),
            # As long as it needs to be; nothing here asks for its length.
            numba.carray(flips, n_features),
            numba.carray(noise, episodes * (time_limit + 1)),
            numba.carray(signs, n_informative),
            numba.carray(store, store_shape),
            numba.carray(integers, (layout.INTEGER_ROWS, n_features)),
            numba.carray(scratch, (layout.SCRATCH_ROWS, n_features)),
            numba.carray(returns, episodes),
            numba.carray(lengths, episodes),
            numba.carray(beta_groups, (episodes, layout.N_GROUPS)),
            numba.carray(status, layout.N_STATUS),
        )

    return entry
