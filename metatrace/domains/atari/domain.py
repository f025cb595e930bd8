"""The five games of the Arcade Learning Environment, and catch, as the rest of the project knows them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metatrace.domains.atari.readings import READINGS
from metatrace.domains.games import Games
from metatrace.domains.protocol import Environment

if TYPE_CHECKING:
    from metatrace.networks import environment as games

_FOLDER = "metatrace.domains.atari"
# A game without a policy earns nothing; a ball that is missed costs 1.
_FAILED = {"catch": -1.0}


class Atari(Games):
    """Games learned from the screen; see `metatrace.domains.protocol.Domain`."""

    name = "atari"
    sources = (f"{_FOLDER}.emulator", f"{_FOLDER}.catch")
    environments: Mapping[str, Environment] = {
        token: Environment(token, token.replace("_", " "), readings, _FAILED.get(token, 0.0))
        for token, readings in READINGS.items()
    }
    unit_note = "every fourth frame of the emulator"
    slowest = "seaquest"  # it has all 18 actions, the largest policy

    def make(self, environment: str, seed: Any, readings: Mapping[str, str]) -> "games.Environment":
        """Catch, or a game of the emulator, which takes a while to import."""
        if environment == "catch":
            from metatrace.domains.atari.catch import Catch

            return Catch(seed=seed)
        from metatrace.domains.atari.emulator import Emulator

        return Emulator(environment, seed=seed, **readings)


DOMAIN = Atari()
