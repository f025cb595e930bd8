"""From a method's name to its tuner."""

import math
from collections.abc import Callable
from functools import partial

from metatrace.tuning.constant import Constant
from metatrace.tuning.methods import METHODS, UNTUNED
from metatrace.tuning.mixed import Mixed
from metatrace.tuning.nosid import Nosid
from metatrace.tuning.scalar import Scalar
from metatrace.tuning.sid import Sid
from metatrace.tuning.tuner import Tuner
from metatrace.tuning.vector import Vector

_TUNERS: dict[str, Callable[..., Tuner]] = {
    UNTUNED: Constant,
    "scalar": Scalar,
    "scalar-unnormalized": partial(Scalar, normalized=False),
    "vector": Vector,
    "vector-unnormalized": partial(Vector, normalized=False),
    "mixed": Mixed,
    "mixed-unnormalized": partial(Mixed, normalized=False),
    "sid": Sid,
    "nosid": Nosid,
}
assert tuple(_TUNERS) == METHODS


def make_tuner(
    method: str,
    n_weights: int,
    *,
    alpha: float,
    mu: float | None = None,
    gamma: float = 0.99,
    lam: float = 0.8,
    psi: float = 0.0,
    **readings: str,
) -> Tuner:
    """A fresh tuner.

    Args:
      method: one of `METHODS`.
      n_weights: how many weights the agent has.
      alpha: α₀ > 0, the initial step-size.
      mu: μ ≥ 0, the meta-step-size; needed by every method but `none`.
      gamma, lam: γ and λ of AC(λ), each in [0, 1].
      psi: ψ ≥ 0, the weight of the entropy term; 0 for none.
      readings: `h_lifetime="run"` or `"episode"` and `overshoot_divisor="decaying_maximum"`,
        `"present_step"` or `"absent"` (every method; only normalized Metatrace has that divisor, M), and
        `normaliser="td_error"`, `"trace_product"` or `"meta_gradient"` (nosid).

    Raises:
      ValueError: an unknown method or a setting out of range; the message names it.
    """
    if method not in _TUNERS:
        raise ValueError(f"unknown tuning method {method!r}; it must be one of {', '.join(METHODS)}")
    if method == UNTUNED:
        mu = 0.0
    if mu is None:
        raise ValueError(f"tuning method {method!r} needs mu, its meta-step-size")
    if n_weights < 1:
        raise ValueError(f"n_weights is {n_weights}; it must be at least 1")
    if not (math.isfinite(alpha) and alpha > 0):
        raise ValueError(f"alpha is {alpha}; it must be finite and above 0")
    for name, value, most in (
        ("mu", mu, math.inf),
        ("psi", psi, math.inf),
        ("gamma", gamma, 1),
        ("lam", lam, 1),
    ):
        if not (math.isfinite(value) and 0 <= value <= most):
            raise ValueError(f"{name} is {value}; it must be finite and from 0 {'up' if most > 1 else 'to 1'}")
    return _TUNERS[method](n_weights, alpha=alpha, mu=mu, gamma=gamma, lam=lam, psi=psi, **readings)
