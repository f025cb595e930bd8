"""Linear targets whose signs flip now and then, as Sutton (1992) and Degris and others (2024) have them.

Examples come in blocks. What is drawn does not depend on the learner, so methods with the same seed see the same.
"""

from dataclasses import dataclass

import numpy as np

HOLD = 20  # examples from one chance to flip to the next


@dataclass(frozen=True)
class Task:
    """A target y* = ⟨s|x⟩ without noise, x ~ N(0, 1) afresh.

    Attributes:
      n_inputs: how many inputs there are.
      n_flipping: the first so many of s are ±scale and flip; n_constant: the next so many are +scale for ever; the
        others are 0.
      chance: every `HOLD` examples a sign is chosen at random and flips with this probability.
      groups: the names of two groups of inputs, for their step-sizes; `n_first`: how many are in the first.
    """

    n_inputs: int
    n_flipping: int
    n_constant: int
    chance: float
    groups: tuple[str, str]
    n_first: int


# Sutton 1992, section "Experiments": 20 inputs, 5 of them relevant; one of the five signs flips every 20 examples.
TWENTY = Task(20, 5, 0, 1.0, ("relevant", "irrelevant"), 5)
# Degris and others 2024, arXiv 2401.17401: one weight's sign flips with probability 0.5 every 20 steps.
TWO = Task(2, 1, 1, 0.5, ("flipping", "constant"), 1)
TASKS = {"tracking": TWENTY, "tracking_scales": TWENTY, "tracking_2d": TWO}


class Examples:
    """The examples of a run.

    Args:
      seed: from 0 up. Of its stream for the environment one stream draws inputs and one draws signs.
      scale: what the target's weights are multiplied by.
      hidden: whether inputs that the target does not depend on are 0.
    """

    def __init__(self, task: Task, seed: int, *, scale: float = 1.0, hidden: bool = False) -> None:
        environment, _ = np.random.SeedSequence(seed).spawn(2)
        self._inputs, self._signs = map(np.random.default_rng, environment.spawn(2))
        self.task, self.seen, self._hidden = task, 0, hidden
        self.s = np.zeros(task.n_inputs)
        self.s[: task.n_flipping] = np.where(self._signs.random(task.n_flipping) < 0.5, -scale, scale)
        self.s[task.n_flipping :][: task.n_constant] = scale

    def draw(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The next examples: x, (count, inputs); y*, (count,). The first flip is due after `HOLD` examples."""
        x, y = self._inputs.standard_normal((count, self.task.n_inputs)), np.empty(count)
        first = 0
        while first < count:
            if self.seen and self.seen % HOLD == 0:
                which, chance = self._signs.random(2)
                if chance < self.task.chance:
                    self.s[int(which * self.task.n_flipping)] *= -1
            end = min(count, first + HOLD - self.seen % HOLD)
            y[first:end] = (x[first:end] * self.s).sum(axis=1)
            self.seen += end - first
            first = end
        if self._hidden:
            x[:, self.s == 0] = 0
        return x, y
