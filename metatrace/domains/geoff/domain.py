"""Regression on a random network's targets, as the rest of the project knows it."""

from collections.abc import Mapping

from metatrace.domains.geoff.readings import READINGS
from metatrace.domains.protocol import Environment
from metatrace.domains.regression import Regression


class Geoff(Regression):
    """The generic online feature-finding task."""

    name = "geoff"
    # A run that has diverged predicts 0 from then on: its losses say so, and no one number does.
    environments: Mapping[str, Environment] = {
        token: Environment(token, "GEOFF", readings, 0.0) for token, readings in READINGS.items()
    }
    kernels = ("geoff_kernel",)
    slowest = "geoff"


DOMAIN = Geoff()
