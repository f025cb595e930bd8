"""The paper's two normalizations of a step-size update (section 3.1, "Normalization")."""

from metatrace.tuning.arrays import Array, namespace


def running_maximum(maximum: Array, value: Array, rate: float) -> Array:
    """max(x, v + rate (x − v)): rises at once to a larger x, decays slowly towards a smaller one.

    Lines 9 (v, rate μ) and 11 (u, rate 1 − γλ) of algorithms 1 and 2. Scalars or (n,) element-wise.
    """
    xp = namespace(value)
    return xp.maximum(value, maximum + rate * (value - maximum))


def divisor(v: Array) -> Array:
    """v where v > 0, elsewhere 1: what line 10 divides Δ_β by."""
    xp = namespace(v)
    return xp.where(v > 0, v, xp.ones_like(v))


def overshoot(u: Array) -> Array:
    """M = max(u, 1), line 12: by how much the effective step-size exceeds a full step to the target."""
    xp = namespace(u)
    return xp.maximum(u, xp.ones_like(u))
