"""SARSA(λ), compiled: the episodes, in which the agent acts and one of the actor-critic's kernels learns.

    δ = R + γQ(S_{t+1}, A_{t+1}) − Q(S_t, A_t);   z ← γλz + ∂Q(S_t, A_t)/∂w;   then tuning and learning

The same algorithm as `metatrace.agents.sarsa`. Of n features of a state there are n of state and action for each
action: feature i of a state is feature a·n + i with action a. Over these Q is what the kernels know as V, with one
block of weights, and they need nothing new. `active` are the features of (S_t, A_t), `following` those of
(S_{t+1}, A_{t+1}).
"""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba

from metatrace.compiled.linear_agent import Run, choose, compiled, inlined, new_row


@inlined
def write_epsilon_greedy(q: Any, epsilon: float, pi: Any) -> None:
    """Writes π over the actions; `pi` begins with an unused number. Ties are broken at random."""
    highest, greedy = q[0], 0
    for action in range(1, len(q)):
        highest = max(highest, q[action])
    for action in range(len(q)):
        greedy += 1 if q[action] == highest else 0
    for action in range(len(q)):
        is_greedy = 1.0 if q[action] == highest else 0.0
        pi[1 + action] = epsilon / len(q) + (1.0 - epsilon) / greedy * is_greedy


def make_kernel(
    learner: ModuleType,
    *,
    start: Callable[..., Any],
    next_state: Callable[..., Any],
    reward: Callable[..., float],
    is_over: Callable[..., bool],
    observe: Callable[..., int],
    time_limit: int,
) -> Callable[..., None]:
    """A function for numba, as `linear_agent.make_kernel`, which see; signs do not drift, and there is no noise.

    Args:
      learner: `lazy_kernel` or `packed_kernel`.
      observe: writes the features of a state, which are those of the state and action 0.
    """
    start_call, start_episode, end_episode = learner.start_call, learner.start_episode, learner.end_episode
    evaluate, evaluate_following, learn = learner.evaluate, learner.evaluate_following, learner.learn

    @compiled
    def choose_action(run: Run, state: Any) -> int:
        """The action in a state, or −1 if Q is not finite; `following` are then the features of both."""
        following, q, n_actions = run.following, run.q, len(run.q)
        per_action = run.store.shape[0] // n_actions
        run.n_following = observe(state, run, 0, following, run.next_x)
        total = 0.0
        for action in range(n_actions):
            q[action], run.h_q[action] = evaluate_following(run)
            total += q[action]
            for k in range(run.n_following):
                following[k] += per_action
        if not math.isfinite(total):
            return -1
        write_epsilon_greedy(q, run.epsilon, run.pi)
        chosen = choose(run.uniforms[run.uniforms_used], run.pi)
        run.uniforms_used += 1
        for k in range(run.n_following):
            following[k] -= (n_actions - chosen) * per_action
        return chosen

    @compiled
    def run_episodes(episodes: int, run: Run) -> None:
        run.starts_used, run.uniforms_used, run.noise_used, run.flips_used = episodes, 0, 0, 0
        start_call(run)
        for episode in range(episodes):
            state = start(run.starts[episode])
            episode_return, length, over = 0.0, 0, False
            run.stamp += 1
            run.n_touched = 0
            start_episode(run)
            action = choose_action(run, state)
            while not over and action >= 0:
                run.n_active = run.n_following
                for k in range(run.n_active):
                    run.active[k], run.x[k] = run.following[k], run.next_x[k]
                q, h_q, g = new_row(run), new_row(run), new_row(run)
                evaluate(run, q, h_q)
                g[0] = 1.0

                # act, and choose the next action
                state = next_state(state, action)
                earned, reached = reward(state), is_over(state)
                length += 1
                episode_return += earned
                over = reached or length == time_limit
                terminal = reached or (over and not run.bootstraps_time_limit)
                run.steps += 1
                delta, h_delta = earned - q[0], -h_q[0]
                if not terminal:
                    action = choose_action(run, state)
                    if action < 0:
                        break
                    delta += run.gamma * run.q[action]
                    h_delta += run.gamma * run.h_q[action]

                if not learn(run, g, delta, h_q[0], h_delta, terminal):
                    action = -1
            if action < 0:
                run.diverged = episode
            end_episode(run, episode)
            if run.diverged >= 0:
                break
            run.returns[episode] = episode_return
            run.lengths[episode] = length

    def entry(episodes: int, run: Any, flips: Any) -> None:
        run_episodes(episodes, numba.carray(run, 1)[0])

    return entry
