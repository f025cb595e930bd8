"""The compiled TD(λ): the episodes, in which a fixed policy acts and a kernel learns its values.

    δ = R + γV(S_{t+1}) − V(S_t);   U = V;   then tuning and learning

The same algorithm as `metatrace.agents.prediction`. `run` is the record of `layout` with one block of weights and the
fields of `prediction_layout`. The kernels are those of the actor-critic (`linear_agent`), and `tidbd_kernel`.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba

from metatrace.agents.prediction import MOST_ERROR
from metatrace.compiled.linear_agent import Run, compiled, new_row


def make_kernel(
    learner: ModuleType,
    *,
    start: Callable[..., Any],
    next_state: Callable[..., Any],
    reward: Callable[..., float],
    is_over: Callable[..., bool],
    choose: Callable[..., int],
    observe: Callable[..., int],
    drift: Callable[..., int],
    time_limit: int,
) -> Callable[..., None]:
    """A function for numba, as `linear_agent.make_kernel` makes it, with the same arguments but for one:

    choose: from a state and a uniform number in [0, 1) to the policy's action.

    Once learning has diverged all values are 0, from the start of that episode on. `run.diverged` is then 0 or more,
    in that call and in all later ones. The mean squared error of each episode's values goes to `run.squared_errors`.
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
            length, over = 0, False
            run.stamp += 1
            run.n_touched = 0
            start_episode(run)
            run.n_active = observe(state, run, run.noise[run.noise_used], active, x)
            run.noise_used += run.drifting
            while not over:
                totals, h_totals, g = new_row(run), new_row(run), new_row(run)
                if run.diverged < 0:
                    evaluate(run, totals, h_totals)

                # act
                action = choose(state, run.uniforms[run.uniforms_used])
                run.uniforms_used += 1
                state = next_state(state, action)
                earned = reward(state)
                run.values[length], run.rewards[length] = totals[0], earned
                length += 1
                over = is_over(state) or length == time_limit
                if run.drifting:
                    run.flips_used = drift(run.steps, flips, run.flips_used, run.signs)
                run.steps += 1
                run.n_following = observe(state, run, run.noise[run.noise_used], following, next_x)
                run.noise_used += run.drifting

                # δ, ∂V/∂w of a feature with value 1, and their products with h
                if run.diverged < 0:
                    delta, h_delta = earned - totals[0], -h_totals[0]
                    if not over:
                        next_value, next_h = evaluate_following(run)
                        delta += run.gamma * next_value
                        h_delta += run.gamma * next_h
                    g[0] = 1.0
                    if not (abs(delta) < MOST_ERROR and learn(run, g, delta, h_totals[0], h_delta, over)):
                        run.diverged = episode
                        for step in range(length):
                            run.values[step] = 0.0
                run.n_active = run.n_following
                for k in range(run.n_active):
                    active[k] = following[k]
                    x[k] = next_x[k]

            if run.diverged < 0:
                end_episode(run, episode)
            squares, discounted, episode_return = 0.0, 0.0, 0.0
            for step in range(length - 1, -1, -1):
                discounted = run.rewards[step] + run.gamma * discounted
                error = run.values[step] - discounted
                squares += error * error
                episode_return += run.rewards[step]
            run.squared_errors[episode] = squares / length
            run.returns[episode] = episode_return
            run.lengths[episode] = length

    def entry(episodes: int, run: Any, flips: Any) -> None:
        run_episodes(episodes, numba.carray(run, 1)[0], numba.carray(flips, 1))

    return entry
