"""The environments and their domains, as far as configs need them."""

from dataclasses import dataclass

from metatrace.domains.atari import readings as atari
from metatrace.domains.mountain_car import readings as mountain_car
from metatrace.domains.protocol import Environment
from metatrace.domains.readings import Reading


@dataclass(frozen=True)
class _Domain:
    name: str
    environments: dict[str, Environment]
    unit: str
    unit_text: str
    length_in_meta: str


_CARS = {
    token: Environment(token, token.replace("_", " "), readings, -200.0, token.startswith("drifting"))
    for token, readings in mountain_car.QUESTIONS.items()
}
_GAMES = {
    token: Environment(token, token.replace("_", " "), readings, 0.0) for token, readings in atari.QUESTIONS.items()
}
DOMAINS = (
    _Domain("mountain_car", _CARS, "episodes", "episodes", "episodes"),
    _Domain("atari", _GAMES, "frames", "observed frames", "observed_frames"),
)
ENVIRONMENTS: dict[str, Environment] = {**_CARS, **_GAMES}
READINGS: tuple[Reading, ...] = tuple(
    dict.fromkeys(reading for environment in ENVIRONMENTS.values() for reading in environment.readings)
)


def domain_of(environment: str) -> _Domain:
    """The domain that an environment belongs to."""
    return next(domain for domain in DOMAINS if environment in domain.environments)
