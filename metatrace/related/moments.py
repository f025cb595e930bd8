"""Exponential moving averages that start at 0, and the correction of their bias (Kingma and Ba 2014, section 3)."""

import math

from metatrace.tuning.arrays import Array, namespace


def moving_average(average: Array, value: Array, rate: float) -> Array:
    """ρm + (1 − ρ)x, element by element; `rate` is ρ."""
    return rate * average + (1 - rate) * value


def bias_correction(rate: float, t: Array) -> Array:
    """1 − ρ^t: by this an average of t values that started at 0 falls short of one of its values; t is a scalar.

    As −expm1(t log ρ), which keeps its digits in float32, where 1 − 0.999 has lost half of them.
    """
    return -namespace(t).expm1(t * math.log(rate))
