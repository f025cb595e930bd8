"""What the network does between its matrix products, compiled.

The lines are those of `network` and `gradients`, which tests hold them to: there some sixty operations of
torch, each of which takes longer to start than to do; here seven. Matrix products stay with torch.
"""

import math
from typing import Any

import numba
import numpy as np

from metatrace.domains.atari.exponential import exp
from metatrace.domains.atari.shapes import (
    FILTERS_1,
    FILTERS_2,
    FLAT,
    FRAMES,
    HIDDEN,
    KERNEL_1,
    KERNEL_2,
    PATCH_1,
    PATCH_2,
    SIDE_1,
    SIDE_2,
    SIZE,
    STRIDE_1,
    STRIDE_2,
)
from metatrace.domains.atari.step_kernel_layout import (
    ACTIVATE_1,
    ACTIVATE_2,
    ACTIVATE_3,
    BACK_1,
    BACK_2,
    BACK_3,
    E_H,
    E_N,
    E_U,
    E_V,
    NEXT_SHARE,
    PATCHES,
)

f32 = np.float32
ONE, TWO, HALF = f32(1), f32(2), f32(0.5)
PLACES_1, PLACES_2 = SIDE_1**2, SIDE_2**2

_compiled = numba.njit(error_model="numpy", inline="always")


@_compiled
def sigmoid(x: Any) -> Any:
    """σ(x) = 1 / (1 + e^−x)."""
    return ONE / (ONE + exp(-x))


@_compiled
def patches(frames: Any, patches_1: Any) -> None:
    """`network.patches_of`: frames (4, 84, 84) in [0, 1] to (256, 400)."""
    for frame in range(FRAMES):
        for ky in range(KERNEL_1):
            for kx in range(KERNEL_1):
                row = (frame * KERNEL_1 + ky) * KERNEL_1 + kx
                for y in range(SIDE_1):
                    first = (frame * SIZE + STRIDE_1 * y + ky) * SIZE + kx
                    for x in range(SIDE_1):
                        patches_1[row * PLACES_1 + y * SIDE_1 + x] = frames[first + STRIDE_1 * x]


@_compiled
def silu(n: int, x: Any, y: Any, slope: Any) -> None:
    """SiLU and its slope: y = x σ, σ (1 + x (1 − σ)); each (n,)."""
    for i in range(n):
        s = sigmoid(x[i])
        y[i] = x[i] * s
        slope[i] = s * (ONE + x[i] * (ONE - s))


@_compiled
def dsilu(n: int, x: Any, y: Any, slope: Any) -> None:
    """dSiLU and its slope: y = σ (1 + x (1 − σ)), σ (1 − σ) (2 + x (1 − 2σ)); each (n,)."""
    for i in range(n):
        s = sigmoid(x[i])
        y[i] = s * (ONE + x[i] * (ONE - s))
        slope[i] = s * (ONE - s) * (TWO + x[i] * (ONE - TWO * s))


@_compiled
def second_patches(images: Any, patches_2: Any) -> None:
    """The second convolution's input: images (16, 20, 20) to (256, 81)."""
    for image in range(FILTERS_1):
        for ky in range(KERNEL_2):
            for kx in range(KERNEL_2):
                row = (image * KERNEL_2 + ky) * KERNEL_2 + kx
                for y in range(SIDE_2):
                    first = (image * SIDE_1 + STRIDE_2 * y + ky) * SIDE_1 + kx
                    for x in range(SIDE_2):
                        patches_2[row * PLACES_2 + y * SIDE_2 + x] = images[first + STRIDE_2 * x]


@_compiled
def back_through_outputs(
    n_actions: int,
    action: int,
    next_share: Any,
    logits: Any,
    policy: Any,
    value: Any,
    hidden: Any,
    slope: Any,
    next_hidden: Any,
    next_slope: Any,
    back: Any,
    grad_U: Any,
    grad_H: Any,
    grad_delta: Any,
) -> None:
    """Through policy and value to the dense layer's outputs.

    Args:
      logits: (n_actions,), at S_t.
      policy, value: (n_actions, 256) and (256,), weights.
      hidden, slope: (256,) at S_t, and at S_{t+1} the next two.
      back: (4, 256), written: rows V, U, H, γV(S_{t+1}).
      grad_U, grad_H, grad_delta: written: the gradients by dense_bias, value, value_bias, policy and
        policy_bias, one after the other as in `Layout`.
    """
    # As `gradients.policy_gradients`, in float64: ½ (1{a = action} − π_a) and −π_a (log π_a + H)
    largest = float(logits[0])
    for a in range(n_actions):
        largest = max(largest, float(logits[a]))
    total = 0.0
    for a in range(n_actions):
        total += math.exp(float(logits[a]) - largest)
    log_total = largest + math.log(total)
    entropy = 0.0
    for a in range(n_actions):
        log_pi = float(logits[a]) - log_total
        entropy -= math.exp(log_pi) * log_pi

    at_value, at_policy = HIDDEN, 2 * HIDDEN + 1
    at_policy_bias = at_policy + n_actions * HIDDEN
    for j in range(HIDDEN):
        back[E_V * HIDDEN + j] = value[j]
        back[E_U * HIDDEN + j] = value[j]
        back[E_H * HIDDEN + j] = f32(0)
        back[E_N * HIDDEN + j] = next_share * value[j] * next_slope[j]
        grad_U[at_value + j] = hidden[j]
        grad_delta[at_value + j] = next_share * next_hidden[j] - hidden[j]
    grad_U[at_value + HIDDEN] = ONE
    grad_delta[at_value + HIDDEN] = next_share - ONE
    for a in range(n_actions):
        log_pi = float(logits[a]) - log_total
        pi = math.exp(log_pi)
        by_U = f32(0.5 * ((1.0 if a == action else 0.0) - pi))
        by_H = f32(-pi * (log_pi + entropy))
        grad_U[at_policy_bias + a] = by_U
        grad_H[at_policy_bias + a] = by_H
        row = a * HIDDEN
        for j in range(HIDDEN):
            grad_U[at_policy + row + j] = by_U * hidden[j]
            grad_H[at_policy + row + j] = by_H * hidden[j]
            back[E_U * HIDDEN + j] += by_U * policy[row + j]
            back[E_H * HIDDEN + j] += by_H * policy[row + j]
    for j in range(HIDDEN):
        back[E_V * HIDDEN + j] *= slope[j]
        back[E_U * HIDDEN + j] *= slope[j]
        back[E_H * HIDDEN + j] *= slope[j]
        grad_U[j] = back[E_U * HIDDEN + j]
        grad_H[j] = back[E_H * HIDDEN + j]
        grad_delta[j] = back[E_N * HIDDEN + j] - back[E_V * HIDDEN + j]


@_compiled
def back_through_silu(
    first_row: int,
    last_row: int,
    filters: int,
    places: int,
    back: Any,
    slope: Any,
    next_slope: Any,
    bias_U: Any,
    bias_H: Any,
    bias_delta: Any,
) -> None:
    """Rows of back (4, filters, places) times the slopes; their sums over places: the biases' gradients."""
    for row in range(first_row, last_row):
        slopes = next_slope if row == E_N else slope
        for filter_ in range(filters):
            within = filter_ * places
            start = row * filters * places + within
            total = f32(0)
            for i in range(places):
                through = back[start + i] * slopes[within + i]
                back[start + i] = through
                total += through
            if row == E_U:
                bias_U[filter_] = total
            elif row == E_H:
                bias_H[filter_] = total
            elif row == E_V:  # the row before that of S_{t+1}
                bias_delta[filter_] = -total
            else:
                bias_delta[filter_] += total


@_compiled
def fold(first_row: int, last_row: int, patches_2: Any, images: Any) -> None:
    """Adds up what went back to each pixel: rows of patches (4, 256, 81), of images (4, 16, 20, 20)."""
    for image in range(first_row * FILTERS_1, last_row * FILTERS_1):
        for i in range(image * PLACES_1, (image + 1) * PLACES_1):
            images[i] = f32(0)
        for ky in range(KERNEL_2):
            for kx in range(KERNEL_2):
                row = (image * KERNEL_2 + ky) * KERNEL_2 + kx
                for y in range(SIDE_2):
                    first = (image * SIDE_1 + STRIDE_2 * y + ky) * SIDE_1 + kx
                    for x in range(SIDE_2):
                        images[first + STRIDE_2 * x] += patches_2[row * PLACES_2 + y * SIDE_2 + x]


@_compiled
def run(what: int, m: int, n: int, numbers: Any, arrays: Any) -> None:
    """One of the layout's codes from PATCHES on; `arrays` are 11 pointers, the last of which may be idle."""
    a, b, c, d, e, f, g, h, i, j, k = arrays
    if what == PATCHES:
        patches(numba.carray(a, FRAMES * SIZE**2), numba.carray(b, PATCH_1 * PLACES_1))
    elif what == ACTIVATE_1:  # x_1, slope_1, the images, patches_2
        size = FILTERS_1 * PLACES_1
        images = numba.carray(c, size)
        silu(size, numba.carray(a, size), images, numba.carray(b, size))
        second_patches(images, numba.carray(d, PATCH_2 * PLACES_2))
    elif what == ACTIVATE_2:  # x_2, slope_2, flat
        silu(FLAT, numba.carray(a, FLAT), numba.carray(c, FLAT), numba.carray(b, FLAT))
    elif what == ACTIVATE_3:  # x_3, slope_3, hidden
        dsilu(HIDDEN, numba.carray(a, HIDDEN), numba.carray(c, HIDDEN), numba.carray(b, HIDDEN))
    elif what == BACK_3:  # m actions, of which n was taken
        size = 2 * HIDDEN + 1 + m * (HIDDEN + 1)
        back_through_outputs(
            m,
            n,
            f32(numba.carray(numbers, 1)[NEXT_SHARE]),
            numba.carray(a, m),
            numba.carray(b, m * HIDDEN),
            numba.carray(c, HIDDEN),
            numba.carray(d, HIDDEN),
            numba.carray(e, HIDDEN),
            numba.carray(f, HIDDEN),
            numba.carray(g, HIDDEN),
            numba.carray(h, 4 * HIDDEN),
            numba.carray(i, size),
            numba.carray(j, size),
            numba.carray(k, size),
        )
    elif what == BACK_2:  # rows m to n; back, slope_2 now and next, the gradients by conv_2_bias
        back_through_silu(
            m,
            n,
            FILTERS_2,
            PLACES_2,
            numba.carray(a, 4 * FLAT),
            numba.carray(b, FLAT),
            numba.carray(c, FLAT),
            numba.carray(d, FILTERS_2),
            numba.carray(e, FILTERS_2),
            numba.carray(f, FILTERS_2),
        )
    elif what == BACK_1:  # back by patches and by images; the rest as for BACK_2
        size = FILTERS_1 * PLACES_1
        images = numba.carray(b, 4 * size)
        fold(m, n, numba.carray(a, 4 * PATCH_2 * PLACES_2), images)
        back_through_silu(
            m,
            n,
            FILTERS_1,
            PLACES_1,
            images,
            numba.carray(c, size),
            numba.carray(d, size),
            numba.carray(e, FILTERS_1),
            numba.carray(f, FILTERS_1),
            numba.carray(g, FILTERS_1),
        )
