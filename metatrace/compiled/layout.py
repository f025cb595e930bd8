"""What a compiled linear agent works on: one record, described here for both sides of a call.

A block is the value's weights, or those of one action. Features that a run does not use have their places all the same.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

# The methods that have kernels, and the normalisers of NOSID: a record holds their places.
METHODS = (
    *("none", "scalar", "scalar-unnormalized", "sid", "nosid"),
    *("vector", "vector-unnormalized", "mixed", "mixed-unnormalized"),
)
NORMALISERS = ("td_error", "trace_product", "meta_gradient")
EPISODES = 50  # the most of a call: progress shows, and its random numbers stay in cache
STORE_ROWS = 8  # of `store`; each kernel names its own, the weights are row 0
# Columns of `beta_groups`: value/informative, value/noisy, policy/informative, policy/noisy, and the first and the
# third over the features that were ever active.
N_GROUPS = 6


def record(
    n_features: int, blocks: int, time_limit: int, n_informative: int, own: Sequence[tuple[str, Any]] = ()
) -> np.dtype[np.void]:
    """The type of the record.

    Args:
      blocks: of weights, 1 + actions.
      time_limit: the most steps of an episode.
      n_informative: the first so many features count as informative, and have signs that drift.
      own: further fields, which the environment alone reads.
    """
    real, whole, per_feature = np.float64, np.int64, (n_features,)

    def scalars(kind: Any, names: str) -> list[tuple[str, Any]]:
        return [(name, kind) for name in names.split()]

    fields: list[Any] = [
        ("store", real, (n_features, STORE_ROWS, blocks)),  # what is learned; begins where a cache line does
        # The run's constants; what is a yes or no is 1 or 0. Features from `first_noise` on count as noisy; `u_rate` is
        # how fast u falls to a smaller effective step-size, 1 − γλ in the paper.
        *scalars(whole, "method normaliser drifting bootstraps_time_limit first_noise"),
        *scalars(whole, "uses_previous_alpha cuts_terminal_trace forgets_h divides_overshoot"),
        *scalars(real, "gamma gamma_lambda mu log_constant u_rate"),
        *own,
        # What lives on from call to call: β and v of the step-size that all weights share, and its α; steps and
        # episodes of the run so far; −1, or the episode of this call in which a number stopped being finite.
        *scalars(real, "beta v alpha"),
        *scalars(whole, "steps stamp diverged visited"),
        ("group_sums", real, (4,)),
        ("stamps", whole, per_feature),  # the episode in which each feature was last active
        ("last_step", whole, per_feature),
        ("signs", real, (n_informative,)),  # ±1
        # Random numbers, and how many of them a call has used: what the environment makes each starting state of;
        # uniform ones in [0, 1), one per step, which pick the actions; a word per observation, whose bit k is noise
        # feature k. Flips of signs are an argument of their own.
        ("starts", real, (EPISODES,)),
        ("uniforms", real, (EPISODES * time_limit,)),
        ("noise", whole, (EPISODES * (time_limit + 1),)),
        *scalars(whole, "starts_used uniforms_used noise_used flips_used"),
        # What lives for an episode: the trace is c times that in `store`, and the touched features have been active.
        *scalars(real, "c u z_beta z_h z_z sum_w sum_h log_v_decay"),
        ("n_touched", whole),
        ("touched", whole, per_feature),
        # What lives for a step: the features that are active now and in the next state, their values, h of theirs
        *scalars(whole, "n_active n_following"),
        *((name, whole, per_feature) for name in ("active", "following")),
        *((name, real, per_feature) for name in ("x", "next_x", "h_before", "next_h_before")),
        # Written, an entry per episode: undiscounted returns, steps, and the mean β of groups of weights at its end
        ("returns", real, (EPISODES,)),
        ("lengths", whole, (EPISODES,)),
        ("beta_groups", real, (EPISODES, N_GROUPS)),
    ]
    return np.dtype(fields, align=True)
