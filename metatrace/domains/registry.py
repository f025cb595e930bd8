"""The domains that there are. A new one is a folder here with `domain.py`, and an entry in `DOMAINS`.

Nothing heavy is imported, and no fingerprint covers this module.
"""

from collections.abc import Mapping

from metatrace.domains.atari.domain import DOMAIN as ATARI
from metatrace.domains.geoff.domain import DOMAIN as GEOFF
from metatrace.domains.gymnasium.domain import DOMAIN as GYMNASIUM
from metatrace.domains.gymnasium.domain import ById
from metatrace.domains.minatar.domain import DOMAIN as MINATAR
from metatrace.domains.mountain_car.domain import DOMAIN as MOUNTAIN_CAR
from metatrace.domains.prediction.domain import DOMAIN as PREDICTION
from metatrace.domains.protocol import Domain, Environment
from metatrace.domains.readings import Reading
from metatrace.domains.tracking.domain import DOMAIN as TRACKING
from metatrace.errors import UserError
from metatrace.methods import METHODS

DOMAINS: tuple[Domain, ...] = (MOUNTAIN_CAR, ATARI, MINATAR, TRACKING, GEOFF, PREDICTION, GYMNASIUM)
# By token. Any id of Gymnasium is there; two of them stand for all in lists.
ENVIRONMENTS: Mapping[str, Environment] = ById(
    {token: environment for domain in DOMAINS for token, environment in domain.environments.items()}
)
# What an option or key may name, in words.
NAMES = f"{', '.join(ENVIRONMENTS)}, or gymnasium: and any other id of Gymnasium"
# All of them, each once.
READINGS: tuple[Reading, ...] = tuple(
    dict.fromkeys(reading for environment in ENVIRONMENTS.values() for reading in environment.readings)
)


def environment_of(token: str, where: str) -> Environment:
    """The environment of a name.

    Raises:
      UserError: there is no such environment; `where` tells the user which key or option names it.
    """
    if token not in ENVIRONMENTS:
        raise UserError(f"{where}: there is no {token!r}; it must be one of {NAMES}")
    return ENVIRONMENTS[token]


def methods_of(environment: str) -> list[str]:
    """The methods that run on an environment, by name."""
    domain = domain_of(environment).name
    return [
        token for token, method in METHODS.items() if domain in method.domains and environment not in method.excluded
    ]


def domain_of(environment: str) -> Domain:
    """The domain of an environment (a key of `ENVIRONMENTS`)."""
    return next(domain for domain in DOMAINS if environment in domain.environments)
