"""The games of MinAtar, as the rest of the project knows them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metatrace.domains.games import Games
from metatrace.domains.minatar.readings import READINGS
from metatrace.domains.protocol import Code, Environment

if TYPE_CHECKING:
    from metatrace.networks import environment as games

_FOLDER = "metatrace.domains.minatar"
_PREFIX = "minatar_"


class MinAtar(Games):
    """Games learned from their cells; see `metatrace.domains.protocol.Domain`."""

    name = "minatar"
    sources = (f"{_FOLDER}.game",)
    # A game without a policy earns nothing.
    environments: Mapping[str, Environment] = {
        f"{_PREFIX}{game}": Environment(f"{_PREFIX}{game}", f"MinAtar {game.replace('_', ' ')}", readings, 0.0)
        for game, readings in READINGS.items()
    }
    reward_reading = "minatar_reward"
    auto_device = "cpu"  # one core is faster than a graphics card, for so small a network
    unit_note = "every frame of the game"
    slowest = f"{_PREFIX}space_invaders"

    def make(self, environment: str, seed: Any, readings: Mapping[str, str]) -> "games.Environment":
        """A game of the package."""
        from metatrace.domains.minatar.game import Game

        return Game(environment.removeprefix(_PREFIX), seed=seed, **readings)

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """With the version of MinAtar."""
        return replace(super().code(environment, method, agent), packages=("minatar",))


DOMAIN = MinAtar()
