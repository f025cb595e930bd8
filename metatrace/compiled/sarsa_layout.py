"""What SARSA(λ) adds to the record of `layout`, for both sides of a call."""

from typing import Any

import numpy as np

# Method -> the kernels' own name of its tuner
TUNERS = {
    "sarsa-none": "none",
    "sarsa-scalar": "scalar",
    "sarsa-sid": "sid",
    "sarsa-nosid": "nosid",
    "sarsa-mixed": "mixed",
}


def fields(n_actions: int) -> list[tuple[str, Any]]:
    """The fields: see `layout.record`."""
    real = np.float64
    return [
        # ε; Q(s, ·) of the state whose action was chosen last, and the same with h in place of w; an unused number and
        # π(·|s).
        ("epsilon", real),
        ("q", (real, (n_actions,))),
        ("h_q", (real, (n_actions,))),
        ("pi", (real, (1 + n_actions,))),
    ]
