"""What the kernels of TD(λ) add to the record of `layout`, for both sides of a call."""

from typing import Any

import numpy as np

from metatrace.compiled import layout

# The methods of `tidbd_kernel`: a record holds their places.
TIDBD_METHODS = ("tidbd", "tidbd-scalar", "autotidbd")


def fields(n_features: int, time_limit: int) -> list[tuple[str, Any]]:
    """The fields: see `layout.record`."""
    real, whole = np.float64, np.int64
    own: list[Any] = [
        # The run's constants, of `tidbd_kernel` alone
        ("tidbd_method", whole),
        ("tau", real),
        ("eta_0", real),
        # What lives for a step: the features whose d_i is not 0
        ("changing", whole, (n_features,)),
        # What lives for an episode: the value of each state before the step from it, and that step's reward
        ("values", real, (time_limit,)),
        ("rewards", real, (time_limit,)),
        # Written, an entry per episode
        ("squared_errors", real, (layout.EPISODES,)),
    ]
    return own
