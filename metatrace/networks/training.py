"""Trains one agent on one game, and can be stopped and taken up again at any frame."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metatrace.agents.linear import DivergedError
from metatrace.networks.agent import NetworkAgent
from metatrace.networks.environment import Environment, restore_generator, saved_generator


@dataclass
class Training:
    """What a training has done so far.

    Attributes:
      returns, lengths, frames, entropy: one entry per finished episode (a whole game): its unclipped undiscounted
        return, its observed frames, the run's observed frames at its end, the policy's mean entropy in nats.
      observed: how many observed frames the agent has acted in.
      diverged: whether a weight stopped being finite; there is no policy after that, and the run ended there.
    """

    returns: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    entropy: list[float] = field(default_factory=list)
    observed: int = 0
    diverged: bool = False

    def arrays(self) -> dict[str, np.ndarray]:
        """The episodes as arrays."""
        kinds = {"returns": float, "lengths": int, "frames": int, "entropy": float}
        return {name: np.array(getattr(self, name), kind) for name, kind in kinds.items()}


class Trainer:
    """An agent in its environment; `step` plays and learns from one observed frame.

    `state` and `restore` carry all that decides what happens next, so that a run that was cut short goes on
    as if it had not been.

    Args:
      policy: the random numbers that pick actions.
      frames: how many to observe.
      clips_rewards: whether the agent learns from rewards clipped to [−1, 1].
    """

    def __init__(
        self,
        agent: NetworkAgent,
        environment: Environment,
        policy: np.random.Generator,
        frames: int,
        clips_rewards: bool,
    ) -> None:
        self.agent, self.environment, self.policy = agent, environment, policy
        self.frames, self.clips_rewards = frames, clips_rewards
        self.training = Training()
        self._return, self._length, self._entropy = 0.0, 0, 0.0
        self.observation = environment.reset()
        agent.start_episode()
        agent.see(self.observation)

    @property
    def over(self) -> bool:
        """Whether the run has all its frames, or no policy to go on with."""
        return self.training.diverged or self.training.observed >= self.frames

    def run(self, after_step: Callable[[], None] = lambda: None) -> Training:
        """Trains until the run is over; `after_step` is called after every frame."""
        while not self.over:
            self.step()
            after_step()
        return self.training

    def step(self) -> None:
        """Acts in one observed frame and learns from what comes of it."""
        training = self.training
        try:
            action = self.agent.act(self.policy.random())
        except DivergedError:
            training.diverged = True
            return
        step = self.environment.step(action)
        self.observation = step.observation
        reward = min(max(step.reward, -1.0), 1.0) if self.clips_rewards else step.reward
        self.agent.learn(reward, step.observation, step.terminal)
        training.observed += 1
        self._return += step.reward
        self._length += 1
        self._entropy += self.agent.entropy
        if step.over:
            training.returns.append(self._return)
            training.lengths.append(self._length)
            training.frames.append(training.observed)
            training.entropy.append(self._entropy / self._length)
            self._return, self._length, self._entropy = 0.0, 0, 0.0
            self.observation = self.environment.reset()
            self.agent.see(self.observation)
        if step.terminal or step.over:
            self.agent.start_episode()

    def state(self) -> dict[str, np.ndarray]:
        """All of it as arrays of plain types, by name."""
        environment, agent, training = self.environment.state(), self.agent.state(), self.training.arrays()
        parts = {"environment": environment, "agent": agent, "training": training}
        return {
            **{f"{part}/{name}": array for part, arrays in parts.items() for name, array in arrays.items()},
            "observation": self.observation,
            "policy": saved_generator(self.policy),
            "counters": np.array([self.training.observed, self._length], np.int64),
            "sums": np.array([self._return, self._entropy], np.float64),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from where `state` was taken.

        Raises:
          KeyError, ValueError, TypeError, UserError: it is not what `state` gave for these settings.
        """
        self.environment.restore(_part(state, "environment"))
        self.agent.restore(_part(state, "agent"))
        episodes = {name: values.tolist() for name, values in _part(state, "training").items()}
        self.training = Training(**episodes, observed=int(state["counters"][0]))
        self._length = int(state["counters"][1])
        self._return, self._entropy = (float(value) for value in state["sums"])
        restore_generator(self.policy, state["policy"])
        self.observation = state["observation"]
        self.agent.see(self.observation)


def _part(state: Mapping[str, np.ndarray], name: str) -> dict[str, Any]:
    return {key.partition("/")[2]: value for key, value in state.items() if key.startswith(f"{name}/")}
