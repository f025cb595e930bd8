"""What the compiled linear agents share: the episodes, in which the agent acts and a kernel learns.

    δ = R + γV(S_{t+1}) − V(S_t);   ∂U/∂w, U = V + ½ log π(A|S);   then tuning and learning

`run` is the record of `layout`, and h what one step-size for all weights is tuned by (ĥ of algorithm 3). This module
and the kernels need numba; only their compilation and the tests import them.
"""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "tune_shared": ("scalar", "mixed", "sarsa-scalar", "sarsa-mixed"),
    "tune_shared_unnormalized": ("scalar-unnormalized", "mixed-unnormalized"),
    "divide_overshoot": ("scalar", "vector", "mixed", "sarsa-scalar", "sarsa-mixed"),
}
Run = Any
compiled = numba.njit(error_model="numpy")
inlined = numba.njit(error_model="numpy", inline="always")


@intrinsic
def _on_stack(_typing: Any, run: Any) -> Any:
    count = run.typeof("store").shape[2]

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = cgutils.alloca_once(builder, cgutils.ir.ArrayType(cgutils.ir.DoubleType(), count))
        return builder.bitcast(numbers, context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(run), make


@inlined
def new_row(run: Run) -> Any:
    """Zeros, a number per block, which the compiler keeps in registers where it can."""
    row = numba.carray(_on_stack(run), run.store.shape[2])  # type: ignore[call-arg]  # intrinsics take one less
    for block in range(len(row)):
        row[block] = 0.0
    return row


@inlined
def softmax(totals: Any, pi: Any) -> None:
    """Writes π over the actions; `totals` holds V and then the logits, `pi` begins with an unused number."""
    highest = totals[1]
    for block in range(2, len(totals)):
        highest = max(highest, totals[block])
    total = 0.0
    for block in range(1, len(totals)):
        pi[block] = math.exp(totals[block] - highest)
        total += pi[block]
    for block in range(1, len(totals)):
        pi[block] = pi[block] / total


@inlined
def is_finite(totals: Any, pi: Any) -> bool:
    """Whether π and the logits are finite."""
    total = 0.0
    for block in range(1, len(totals)):
        total += pi[block] + totals[block]
    return math.isfinite(total)


@inlined
def choose(uniform: float, pi: Any) -> int:
    """The action that a uniform number in [0, 1) picks from π."""
    action, total = 0, 0.0
    for block in range(1, len(pi) - 1):
        total += pi[block]
        action += 1 if uniform >= total else 0
    return action


@inlined
def write_grad_U(action: int, pi: Any, log_constant: float, g: Any) -> None:
    """Writes ∂U/∂w of a feature with value 1, a number per block."""
    pi_action = pi[len(pi) - 1]
    for block in range(1, len(pi) - 1):
        pi_action = pi[block] if action == block - 1 else pi_action
    scale = 0.5 * (pi_action / (pi_action + log_constant))
    g[0] = 1.0
    for block in range(1, len(pi)):
        g[block] = scale * ((1.0 if action == block - 1 else 0.0) - pi[block])


@inlined
def touch(run: Run, i: int) -> bool:
    """Whether a feature is active for the first time in this episode; it then counts as touched."""
    is_new = run.stamps[i] != run.stamp
    if is_new:
        run.stamps[i] = run.stamp
        run.touched[run.n_touched] = i
        run.n_touched += 1
    return is_new


@inlined
def fill(run: Run, row: int, value: float) -> None:
    """Sets a row of every feature to a value."""
    store = run.store
    for i in range(store.shape[0]):
        for block in range(store.shape[2]):
            store[i, row, block] = value


@inlined
def tune_shared(run: Run, delta: float, h_U: float) -> None:
    """Algorithm 1, lines 7 to 10, and the global part of algorithm 3: z_β, v and β; `h_U` is ⟨∂U/∂w|h⟩."""
    run.z_beta = run.gamma_lambda * run.z_beta + h_U  # line 7
    Delta_beta = run.z_beta * delta  # line 8
    size = abs(Delta_beta)
    run.v = max(size, run.v + run.mu * (size - run.v))  # line 9
    run.beta += run.mu * Delta_beta / (run.v if run.v > 0.0 else 1.0)  # line 10


@inlined
def tune_shared_unnormalized(run: Run, delta: float, h_U: float) -> None:
    """As `tune_shared`, without normalization."""
    run.z_beta = run.gamma_lambda * run.z_beta + h_U
    Delta_beta = run.z_beta * delta
    run.beta += run.mu * Delta_beta


@inlined
def divide_overshoot(run: Run, effective: float) -> None:
    """Lines 11 to 13: divides α by M = max(u, 1); `effective` is the effective step-size."""
    run.u = max(effective, run.u + run.u_rate * (effective - run.u))  # line 11
    if run.u > 1.0:
        run.beta -= math.log(run.u)  # lines 12 and 13
        run.alpha /= run.u


def signature_of(record: np.dtype[np.void]) -> Any:
    """The types of a kernel's arguments: the number of episodes, the addresses of a record and of its flips."""
    return types.void(types.int64, types.CPointer(numba.from_dtype(record)), types.CPointer(types.int64))


def make_kernel(
    learner: ModuleType,
    *,
    start: Callable[..., Any],
    next_state: Callable[..., Any],
    reward: Callable[..., float],
    is_over: Callable[..., bool],
    observe: Callable[..., int],
    drift: Callable[..., int],
    time_limit: int,
) -> Callable[..., None]:
    """A function for numba, of `signature_of`: runs some episodes in an environment and stops where the run diverges.

    It allocates nothing, so that its machine code stands alone. `flips` holds for every flip of a sign in the run, from
    the first unused on, its place in the row of all draws, step · signs + sign; the last is beyond what the call can
    reach. An environment's state is a tuple of numbers. Features are binary, or ±1: learning takes x² = 1 for granted.
    numba can compile all the functions.

    Args:
      learner: the module of a kernel, with
        start_call(run), start_episode(run)
        evaluate(run, totals, h_totals): adds up x·w and x·h over the active features, block by block; `touch`es them.
        evaluate_following(run) → V and the same with h in place of w, in the next state.
        learn(run, g, δ, ⟨∂U/∂w|h⟩, ⟨∂δ/∂w|h⟩, terminal) → whether all is finite; `g` is ∂U/∂w of a feature with value
        1, a number per block.
        end_episode(run, episode of this call): writes `beta_groups`.
      start: from a number of `starts` to the first state.
      next_state: from a state and an action to the next state.
      reward: of a step that led to a state.
      is_over: whether a state ends the episode, other than by the time limit.
      observe: (state, run, noise word, active, x) → how many features are active; writes their indices into `active`
        and their values into `x`.
      drift: (step of the run, flips, used, signs) → how many flips are used after that step; flips signs.
      time_limit: steps per episode.
    """
    start_call, start_episode, end_episode = learner.start_call, learner.start_episode, learner.end_episode
    evaluate, evaluate_following, learn = learner.evaluate, learner.evaluate_following, learner.learn

    @compiled
    def run_episodes(episodes: int, run: Run, flips: Any) -> None:
        active, following, x, next_x = run.active, run.following, run.x, run.next_x
        run.starts_used, run.uniforms_used, run.noise_used, run.flips_used = episodes, 0, 0, 0
        start_call(run)
        for episode in range(episodes):
            state = start(run.starts[episode])
            episode_return, length, over = 0.0, 0, False
            run.stamp += 1
            run.n_touched = 0
            start_episode(run)
            run.n_active = observe(state, run, run.noise[run.noise_used], active, x)
            run.noise_used += run.drifting
            while not over:
                # V and π
                totals, h_totals, pi, g = new_row(run), new_row(run), new_row(run), new_row(run)
                evaluate(run, totals, h_totals)
                softmax(totals, pi)
                if not is_finite(totals, pi):
                    run.diverged = episode
                    break

                # act
                action = choose(run.uniforms[run.uniforms_used], pi)
                run.uniforms_used += 1
                state = next_state(state, action)
                earned, reached = reward(state), is_over(state)
                length += 1
                episode_return += earned
                over = reached or length == time_limit
                terminal = reached or (over and not run.bootstraps_time_limit)
                if run.drifting:
                    run.flips_used = drift(run.steps, flips, run.flips_used, run.signs)
                run.steps += 1
                run.n_following = observe(state, run, run.noise[run.noise_used], following, next_x)
                run.noise_used += run.drifting

                # δ, ∂U/∂w, and their products with h
                delta, h_delta = earned - totals[0], -h_totals[0]
                if not terminal:
                    next_value, next_h = evaluate_following(run)
                    delta += run.gamma * next_value
                    h_delta += run.gamma * next_h
                write_grad_U(action, pi, run.log_constant, g)
                h_U = h_totals[0]
                for block in range(1, len(g)):
                    h_U += g[block] * h_totals[block]

                if not learn(run, g, delta, h_U, h_delta, terminal):
                    run.diverged = episode
                    break
                run.n_active = run.n_following
                for k in range(run.n_active):
                    active[k] = following[k]
                    x[k] = next_x[k]

            end_episode(run, episode)
            if run.diverged >= 0:
                break
            run.returns[episode] = episode_return
            run.lengths[episode] = length

    def entry(episodes: int, run: Any, flips: Any) -> None:
        run_episodes(episodes, numba.carray(run, 1)[0], numba.carray(flips, 1))

    return entry
