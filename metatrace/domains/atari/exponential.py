"""e^x for compiled kernels: in float32, and on as many numbers at a time as the processor can."""

from typing import Any

import numba
import numpy as np

# Constants of numba's own would make all arithmetic float64.
f32 = np.float32
ONE, HALF = f32(1), f32(0.5)
# Beyond these e^x leaves float32: a step-size of e^−87 is none.
LOWEST, HIGHEST, INFINITE = f32(-87), f32(88), f32(np.inf)
# 1.5 · 2²³: what is added to it is rounded to a whole number, which then stands in its last bits.
ROUNDS = f32(12582912)
LOG2_E, LN2_HIGH, LN2_LOW = f32(1.4426950408889634), f32(0.693359375), f32(-2.12194440e-4)
C_3, C_4, C_5, C_6, C_7 = f32(1 / 6), f32(1 / 24), f32(1 / 120), f32(1 / 720), f32(1 / 5040)

# Without a kernel's own liberties: sums keep their order here. Inlined by LLVM, after numba has given each
# its own rules.
_in_order = numba.njit(error_model="numpy", fastmath={"contract"}, forceinline=True)


@_in_order
def exp(x: Any) -> Any:
    """e^x = 2^k e^r with |r| ≤ ½ log 2, to about a unit of the last digit.

    e^−87 below −87, infinite above 88.
    """
    too_high = x > HIGHEST
    x = LOWEST if x < LOWEST else x
    x = HIGHEST if too_high else x
    shifted = x * LOG2_E + ROUNDS
    k = shifted - ROUNDS
    r = (x - k * LN2_HIGH) - k * LN2_LOW  # k * LN2_HIGH is exact; in another order r loses digits with k
    # C_3 + C_4 r + … + C_7 r⁴, in pairs, which need not wait for one another
    square = r * r
    series = (C_3 + r * C_4) + square * ((C_5 + r * C_6) + square * C_7)
    power = np.int32((np.float32(shifted).view(np.int32) + np.int32(127)) << np.int32(23)).view(np.float32)
    return INFINITE if too_high else power * (ONE + (r + square * (HALF + r * series)))
