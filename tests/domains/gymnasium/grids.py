"""Small environments that register themselves when they are imported: `gymnasium:grids:Grid-v0`."""

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

SIDE = 4


class Grid(gymnasium.Env):
    """From a corner of 4×4 places to the other, a reward of −1 for each step; actions are numbered from 1."""

    observation_space = Discrete(SIDE**2)
    action_space = Discrete(4, start=1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = [0, int(self.np_random.integers(2))]
        return self._seen(), {}

    def step(self, action):
        axis, towards = divmod(int(action) - 1, 2)
        self.place[axis] = min(max(self.place[axis] + 2 * towards - 1, 0), SIDE - 1)
        return self._seen(), -1.0, self.place == [SIDE - 1, SIDE - 1], False, {}

    def _seen(self):
        return self.place[0] * SIDE + self.place[1]


class Endless(gymnasium.Env):
    """One state, and a reward of 1 for each step; it has no end of its own."""

    observation_space = Box(0, 1, (1,))
    action_space = Discrete(1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action):
        return np.zeros(1, np.float32), 1.0, False, False, {}


class Named(Endless):
    """Its observations have names."""

    observation_space = Dict({"place": Box(0, 1, (1,))})


for made, limit in ((Grid, 100), (Endless, 5), (Named, 5)):
    gymnasium.register(f"{made.__name__}-v0", made, max_episode_steps=limit)
gymnasium.register("Unlimited-v0", Endless)
