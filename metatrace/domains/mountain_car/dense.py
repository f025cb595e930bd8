"""Runs the compiled agent of rmsprop, adam and obgd, whose record has more fields than that of the other methods."""

import math
from collections.abc import Callable

import numpy as np

from metatrace import numbers
from metatrace.agents.linear import Training
from metatrace.compiled import dense_layout
from metatrace.domains.mountain_car import compiled
from metatrace.domains.mountain_car.features import DENSE_RECORD
from metatrace.domains.mountain_car.settings import Settings
from metatrace.methods import complete_hyper

_NOTHING = 2.0**-64  # of a weight's last change: far below its last digit


def train(
    kernel: Callable[..., None], settings: Settings, progress: Callable[[int], None] = lambda episodes: None
) -> Training:
    """The same training as `plain.train`, by the dense kernel (see `compiled.load`)."""
    tokens = complete_hyper(settings.method, settings.hyper, "hyper")
    hyper = {name: numbers.parse(token, name) for name, token in tokens.items()}
    own = {
        "log_constant": settings.log_constant,
        "dense_method": dense_layout.METHODS.index(settings.method),
        "rate_1": hyper.get("beta_1", 0.0),
        "rate_2": hyper.get("beta_2", hyper.get("rho", 0.0)),
        "epsilon": hyper.get("epsilon", 0.0),
        "kappa": hyper.get("kappa", 0.0),
        "steps_to_settle": settling_time(hyper["beta_1"], hyper["beta_2"]) if settings.method == "adam" else 0,
        "alpha_t": settings.alpha,
    }
    return compiled.train_by_record(kernel, settings, progress, DENSE_RECORD, own)


def settling_time(beta_1: float, beta_2: float) -> int:
    """For how many steps without a gradient adam moves a weight: until (β₁/√β₂)^k ≤ 2⁻⁶⁴.

    For ever if that does not fall.
    """
    ratio = beta_1 / math.sqrt(beta_2)
    return math.ceil(math.log(_NOTHING) / math.log(ratio)) if ratio < 1 else np.iinfo(np.int64).max
