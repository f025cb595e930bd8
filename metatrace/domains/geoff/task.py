"""GEOFF, the generic online feature-finding task, with tasks that change: Veeriah, Zhang and Sutton (2017).

As in the public code of one of its authors: a target network of random threshold units, of whose output weights half
are drawn again from each task to the next.
"""

import numpy as np

N_BITS, N_INPUTS = 20, 21  # the last input is always 1
N_TARGET_UNITS = 1000
EXAMPLES_PER_TASK, N_TASKS = 5000, 3  # A, B, C, and then A again
_BETA = 0.6  # of the thresholds
_CHANGED = 0.5  # the share of output weights that differ from one task to the next


class Examples:
    """The examples of a run: y* = Σ_k s_k θ(Σ_i V_ki x_i − t_k) + s_0 + noise, noise ~ N(0, 1).

    V is ±1, t_k = 0.6·21 less the number of V's negative weights into unit k, s in {−1, 0, 1}.

    Args:
      seed: from 0 up. Of its stream for the environment one stream draws the target and one draws examples.

    Attributes:
      V: (inputs, units). thresholds: (units,). s: (tasks, units + 1), that of the constant unit last.
      seen: how many examples there have been.
    """

    def __init__(self, seed: int) -> None:
        environment, _ = np.random.SeedSequence(seed).spawn(2)
        target, self._examples = map(np.random.default_rng, environment.spawn(2))
        self.V = np.where(target.random((N_INPUTS, N_TARGET_UNITS)) < 0.5, -1.0, 1.0)
        self.thresholds = _BETA * N_INPUTS - (self.V < 0).sum(axis=0)
        s = target.integers(-1, 2, N_TARGET_UNITS + 1)
        tasks = [s]
        for _ in range(N_TASKS - 1):
            changed = target.permutation(len(s))[: int(_CHANGED * len(s))]
            s = s.copy()
            s[changed] = target.integers(-1, 2, len(changed))
            tasks.append(s)
        self.s = np.array(tasks, float)
        self.seen = 0

    def draw(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The next examples, no more than are left of the task: x, (count, inputs); y*, (count,)."""
        x = np.ones((count, N_INPUTS))
        x[:, :N_BITS] = self._examples.random((count, N_BITS)) < 0.5
        s = self.s[self.seen // EXAMPLES_PER_TASK % N_TASKS]
        on = x @ self.V > self.thresholds
        self.seen += count
        return x, on @ s[:-1] + s[-1] + self._examples.standard_normal(count)
