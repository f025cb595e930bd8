"""Gymnasium's environments, as the rest of the project knows them."""

import re
from typing import TYPE_CHECKING

from metatrace.domains.gymnasium.readings import READINGS
from metatrace.domains.protocol import Code, Domain, Environment, Progress, Request, facts_of
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.runs.results import Run

_FOLDER = "metatrace.domains.gymnasium"
PREFIX = "gymnasium:"
# As Gymnasium has ids: [module:][namespace/]name[-vN]
PATTERN = rf"^{PREFIX}(?:[\w.]+:)?(?:[\w-]+/)?[\w.-]+$"


class ById(dict[str, Environment]):
    """Environments by token, and any that Gymnasium may have, by `gymnasium:` and its id. Lists show the former alone.

    Whether an id is registered shows when it is made: Gymnasium takes long to import.
    """

    def __contains__(self, token: object) -> bool:
        return super().__contains__(token) or (
            isinstance(token, str) and re.fullmatch(PATTERN, token, re.ASCII) is not None
        )

    def __missing__(self, token: str) -> Environment:
        if token not in self:
            raise KeyError(token)
        return _environment(token.removeprefix(PREFIX))


def _environment(id: str) -> Environment:
    # Without a policy the first action counts, step after step; `train` plays that episode where it needs one.
    return Environment(PREFIX + id, id, READINGS, failed_return=0.0)


class Gymnasium(Domain):
    """Environments by their ids; see `metatrace.domains.protocol.Domain`."""

    name = "gymnasium"
    environments = ById({PREFIX + id: _environment(id) for id in ("CartPole-v1", "Acrobot-v1")})
    slowest = f"{PREFIX}Acrobot-v1"

    def check(self, environment: str) -> None:
        """Makes it."""
        from metatrace.domains.gymnasium.environment import make

        make(environment.removeprefix(PREFIX)).close()

    def train(self, request: Request, progress: Progress) -> "Run":
        """By a plain agent."""
        from metatrace.domains.gymnasium import train

        return train.train(request.key.environment.removeprefix(PREFIX), request, progress)

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The agents, the features and the method's tuner.

        An environment of another package is known by its id, which has a new version when the environment changes.
        """
        entry = METHODS[method]
        return Code((f"{_FOLDER}.train:train", entry.tuner), method, facts_of(entry, self.name))


DOMAIN = Gymnasium()
