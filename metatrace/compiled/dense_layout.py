"""What the dense kernel adds to the record of `layout`, for both sides of a call."""

from typing import Any

import numpy as np

# The methods of the kernel: a record holds their places.
METHODS = ("rmsprop", "adam", "obgd")
MOVING = -1  # of `settled`


def fields(n_features: int) -> list[tuple[str, Any]]:
    """The fields: see `layout.record`."""
    real, whole = np.float64, np.int64
    return [
        # The run's constants; rmsprop's ρ is `rate_2`. So many steps after the episode in which a feature was last
        # active its weights stand still.
        *((name, real) for name in ("rate_1", "rate_2", "epsilon", "kappa")),
        *((name, whole) for name in ("dense_method", "steps_to_settle")),
        # What lives on: 1 − ρ^t of both rates; αₜ of the last step; features whose weights move, and for each feature
        # the step up to which its means are up to date, or MOVING if it is one of these.
        *((name, real) for name in ("correction_1", "correction_2", "alpha_t")),
        ("n_moving", whole),
        ("moving", (whole, (n_features,))),
        ("settled", (whole, (n_features,))),
    ]
