"""The games of MinAtar, as the agent meets them: an action a frame, and an observation of 10×10 cells of n bits.

The rules are those of the package MinAtar. What its own wrapper adds to them is here: sticky actions, and the choice of
actions. The wrapper is not used, because to import it imports matplotlib and seaborn as well, which takes a second and
a half; because it carries the last action over into the next game; and because its `seed` leaves the first game as it
was before.
"""

import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from metatrace.errors import UserError
from metatrace.networks.environment import Step
from metatrace.networks.shape import Convolution, NetworkShape

SIDE = 10  # cells
NOTHING = 0  # MinAtar's number of the action that does nothing
# Of a game's attributes, what never changes, and the random numbers, which are saved by themselves.
_FIXED = {"channels", "action_map", "ramping", "random"}


def network_shape(channels: int, n_actions: int) -> NetworkShape:
    """Of MinAtar's published actor-critic."""
    return NetworkShape(channels, SIDE, (Convolution(16, 3),), 128, n_actions)


class Game:
    """One game, played time after time; see `metatrace.networks.environment.Environment`.

    Args:
      game: MinAtar's name of it.
      seed: Of this environment alone; used once, so that a reset begins another game.
      sticky_actions, difficulty_ramping, minatar_actions: answers to readings, see `readings`; others concern the
        agent.

    Raises:
      UserError: MinAtar is not installed.
    """

    def __init__(
        self,
        game: str,
        *,
        seed: int | np.random.SeedSequence,
        sticky_actions: str = "0.1",
        difficulty_ramping: str = "on",
        minatar_actions: str = "all_six",
        **_others: str,
    ) -> None:
        self._game = _rules(game).Env(ramping=difficulty_ramping == "on")
        self._random = self._game.random = np.random.RandomState(np.random.MT19937(seed))
        self._stickiness = float(sticky_actions)
        everything = range(len(self._game.action_map))
        self._actions = list(everything if minatar_actions == "all_six" else self._game.minimal_action_set())
        self.shape = network_shape(self._game.state_shape()[2], len(self._actions))
        self._carried_out = NOTHING
        self._over = True

    def reset(self) -> np.ndarray:
        """Begins a game; returns its first observation, uint8 (n, 10, 10)."""
        self._game.reset()
        self._carried_out = NOTHING
        self._over = False
        return self._seen()

    def step(self, action: int) -> Step:
        """A frame with one action, or with that of the frame before."""
        if self._over:
            raise RuntimeError("the game is over, and nobody has reset it")
        wanted = self._actions[action]
        if self._random.rand() >= self._stickiness:
            self._carried_out = wanted
        reward, self._over = self._game.act(self._carried_out)
        return Step(self._seen(), float(reward), self._over, self._over)

    def _seen(self) -> np.ndarray:
        """The cells, channels first: a view, for the game makes a new array for every frame."""
        cells: np.ndarray = self._game.state()
        return cells.view(np.uint8).transpose(2, 0, 1)

    def state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the game goes on, as plain arrays: maps of cells, and a text of all else."""
        changing = {name: value for name, value in vars(self._game).items() if name not in _FIXED}
        maps = {name: value.copy() for name, value in changing.items() if isinstance(value, np.ndarray)}
        others = {name: value for name, value in changing.items() if name not in maps}
        words = {"game": others, "carried_out": self._carried_out, "over": self._over}
        random: Any = self._random.get_state()
        return {
            **{f"map/{name}": cells for name, cells in maps.items()},
            "words": np.array(json.dumps(words, default=lambda number: number.item())),  # numbers of numpy
            "random": random[1],
            "random_position": np.array(random[2]),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from `state`, which an environment with the same options gave.

        Raises:
          KeyError, ValueError, TypeError: it did not.
        """
        words = json.loads(str(state["words"]))
        maps = {name.partition("/")[2]: cells.copy() for name, cells in state.items() if name.startswith("map/")}
        saved = words["game"] | maps
        if saved.keys() != vars(self._game).keys() - _FIXED:
            raise ValueError("the saved game is another, or of another version of MinAtar")
        vars(self._game).update(saved)
        self._carried_out, self._over = int(words["carried_out"]), bool(words["over"])
        random: Any = ("MT19937", state["random"], int(state["random_position"]))
        self._random.set_state(random)


def _rules(game: str) -> Any:
    """The package's module of a game, without the package around it.

    Raises:
      UserError: MinAtar is not installed.
    """
    package = importlib.util.find_spec("minatar")
    if package is None or package.origin is None:
        raise UserError(f"minatar_{game}: the package MinAtar is not installed; pip install MinAtar==1.0.15")
    name = f"_minatar_{game}"
    if name not in sys.modules:
        path = Path(package.origin).parent / "environments" / f"{game}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]
