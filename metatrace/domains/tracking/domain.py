"""Linear regression on drifting targets, as the rest of the project knows it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metatrace.domains.protocol import Code, Domain, Environment, Progress, Request, facts_of
from metatrace.domains.tracking.readings import READINGS
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.runs.results import Run

_FOLDER = "metatrace.domains.tracking"
_LABELS = {
    "tracking": "tracking",
    "tracking_scales": "tracking with scaled targets",
    "tracking_2d": "tracking with two inputs",
}


class Tracking(Domain):
    """Sutton's tracking task and its variants; see `metatrace.domains.protocol.Domain`."""

    name = "tracking"
    # A run that has diverged predicts 0 from then on: its losses say so, and no one number does.
    environments: Mapping[str, Environment] = {
        token: Environment(token, _LABELS[token], readings, 0.0) for token, readings in READINGS.items()
    }
    unit = "examples"
    unit_text = "examples"
    length_in_meta = "examples"
    slowest = "tracking"

    def train(self, request: Request, progress: Progress) -> "Run":
        """By the plain learner."""
        from metatrace.domains.tracking import train

        return train.train(request, progress)

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The task, the learner and the method's tuner."""
        entry = METHODS[method]
        return Code((f"{_FOLDER}.train:train", entry.tuner), method, facts_of(entry, self.name))


DOMAIN = Tracking()
