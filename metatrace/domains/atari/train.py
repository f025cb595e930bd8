"""Trains one agent on one game, and can be stopped and taken up again at any frame."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from metatrace.domains.atari.agent import Agent, DivergedError
from metatrace.domains.atari.catch import Catch
from metatrace.domains.atari.environment import Environment, generator_of, generator_words
from metatrace.domains.atari.network import Layout, initial_weights
from metatrace.domains.atari.settings import Settings, Training
from metatrace.domains.atari.update import CompiledUpdate, TorchUpdate
from metatrace.errors import UserError
from metatrace.tuning import make_tuner, readings_of

_EMULATOR_READINGS = ("action_set", "episode_end", "observed_frame")


class Trainer:
    """An agent in its environment; `step` plays and learns from one observed frame.

    `state` and `restore` carry all that decides what happens next, so that a run that was cut short goes on
    as if it had not been.

    Args:
      kernel: the compiled passes (`update.load`), for a method that has them and on a processor. Without them the
        tuner is taken as it stands: several times slower.
    """

    def __init__(self, settings: Settings, kernel: Callable[..., None] | None = None) -> None:
        self.settings = settings
        environment, policy, network = np.random.SeedSequence(settings.seed).spawn(3)
        self.environment: Environment | Catch
        if settings.environment == "catch":
            self.environment = Catch(seed=environment)
        else:
            options = {key: settings.readings[key] for key in _EMULATOR_READINGS}
            self.environment = Environment(settings.environment, seed=environment, **options)
        self.policy = np.random.Generator(np.random.PCG64(policy))
        layout = Layout(self.environment.n_actions)
        start = torch.Generator().manual_seed(int(network.generate_state(1, np.uint64)[0] >> 1))
        weights = initial_weights(layout, start, settings.readings["output_layers"]).to(device(settings.device))
        tuner = make_tuner(
            settings.method,
            layout.n_weights,
            alpha=settings.alpha,
            mu=settings.mu,
            gamma=settings.gamma,
            lam=settings.lam,
            psi=settings.psi,
            **readings_of(settings.method, settings.readings),
        )
        update = TorchUpdate(tuner, weights) if kernel is None else CompiledUpdate(tuner, weights, layout, kernel)
        self.agent = Agent(layout, update, gamma=settings.gamma)
        self.training = Training()
        self._return, self._length, self._entropy = 0.0, 0, 0.0
        self.observation = self.environment.reset()
        self.agent.start_episode()
        self.agent.see(self.observation)

    @property
    def over(self) -> bool:
        """Whether the run has all its frames, or no policy to go on with."""
        return self.training.diverged or self.training.frames >= self.settings.frames

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
        reward = step.reward
        if self.settings.readings["learned_reward"] == "clipped":
            reward = min(max(reward, -1.0), 1.0)
        self.agent.learn(reward, step.observation, step.terminal)
        training.frames += 1
        self._return += step.reward
        self._length += 1
        self._entropy += self.agent.entropy
        if step.over:
            training.returns.append(self._return)
            training.lengths.append(self._length)
            training.ends.append(training.frames)
            training.entropies.append(self._entropy / self._length)
            self._return, self._length, self._entropy = 0.0, 0, 0.0
            self.observation = self.environment.reset()
            self.agent.see(self.observation)
        if step.terminal or step.over:
            self.agent.start_episode()

    def state(self) -> dict[str, np.ndarray]:
        """All of it as arrays of plain types, by name."""
        state = {f"environment/{name}": value for name, value in self.environment.state().items()}
        state |= {f"agent/{name}": value for name, value in self.agent.state().items()}
        state |= {f"training/{name}": value for name, value in self.training.arrays().items()}
        state["observation"] = self.observation
        state["policy"] = generator_words(self.policy)
        state["counters"] = np.array([self.training.frames, self._length], np.int64)
        state["sums"] = np.array([self._return, self._entropy], np.float64)
        return state

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from where `state` was taken.

        Raises:
          KeyError, ValueError, TypeError, UserError: it is not what `state` gave for these settings.
        """
        self.environment.restore(_part(state, "environment"))
        self.agent.restore(_part(state, "agent"))
        episodes = {name: values.tolist() for name, values in _part(state, "training").items()}
        self.training = Training(**episodes, frames=int(state["counters"][0]))
        self._length = int(state["counters"][1])
        self._return, self._entropy = (float(value) for value in state["sums"])
        self.policy = generator_of(state["policy"])
        self.observation = state["observation"]
        self.agent.see(self.observation)


def device(chosen: str) -> torch.device:
    """`auto` is the graphics card where there is one.

    Raises:
      UserError: there is no such device.
    """
    if chosen == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError):
        raise UserError(f"--device: there is no {chosen!r} here; it must be auto, cpu or cuda") from None
    return torch.device(chosen)


def card(device: torch.device) -> str:
    """The name of a graphics card."""
    return torch.cuda.get_device_name(device)


def one_thread() -> None:
    """One thread a run; numbers too small for full precision count as 0, for traces decay into those."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)


def train(trainer: Trainer, after_step: Callable[[Trainer], None] = lambda trainer: None) -> Training:
    """Trains until the run is over; `after_step` is called after every frame."""
    while not trainer.over:
        trainer.step()
        after_step(trainer)
    return trainer.training


def _part(state: Mapping[str, np.ndarray], name: str) -> dict[str, Any]:
    return {key.partition("/")[2]: value for key, value in state.items() if key.startswith(f"{name}/")}
