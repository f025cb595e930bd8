"""Linear regression on drifting targets, as the rest of the project knows it."""

from collections.abc import Mapping

from metatrace.domains.protocol import Environment
from metatrace.domains.regression import Regression
from metatrace.domains.tracking.readings import READINGS

_LABELS = {
    "tracking": "tracking",
    "tracking_scales": "tracking with scaled targets",
    "tracking_2d": "tracking with two inputs",
}


class Tracking(Regression):
    """Sutton's tracking task and its variants."""

    name = "tracking"
    # A run that has diverged predicts 0 from then on: its losses say so, and no one number does.
    environments: Mapping[str, Environment] = {
        token: Environment(token, _LABELS[token], readings, 0.0) for token, readings in READINGS.items()
    }
    kernels = ("tracking_kernel",)
    slowest = "tracking"


DOMAIN = Tracking()
