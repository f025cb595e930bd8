"""Runs the compiled SARSA(λ)."""

from collections.abc import Callable

from metatrace.agents.linear import Training
from metatrace.compiled import layout, sarsa_layout
from metatrace.domains.mountain_car import compiled
from metatrace.domains.mountain_car.features import SARSA_RECORD
from metatrace.domains.mountain_car.settings import Settings


def train(
    kernel: Callable[..., None], settings: Settings, progress: Callable[[int], None] = lambda episodes: None
) -> Training:
    """The same training as `sarsa_plain.train`, by the method's compiled kernel (see `compiled.load`)."""
    own = {"method": layout.METHODS.index(sarsa_layout.TUNERS[settings.method]), "epsilon": settings.epsilon}
    return compiled.train_by_record(kernel, settings, progress, SARSA_RECORD, own)
