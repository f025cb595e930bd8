"""∂U/∂w, ∂H/∂w and ∂δ/∂w of one step by hand: four backward passes as one.

With U = V + ½ log π(A_t|S_t), H = −Σ π log π, δ = R + γV(S_{t+1}) − V(S_t), all at S_t or S_{t+1} and at the
same weights. U, H and V(S_t) go back through the same activations, V(S_{t+1}) through its own; what they go
back through, the weights, is read once for all four.
"""

import torch
from torch import Tensor
from torch.nn.functional import fold

from metatrace.domains.atari.network import Activations, Layout
from metatrace.domains.atari.shapes import (
    FILTERS_1,
    FILTERS_2,
    FLAT,
    HIDDEN,
    KERNEL_2,
    PATCH_2,
    SIDE_1,
    SIDE_2,
    STRIDE_2,
)

# Rows of what goes back
V, U, H, NEXT_V = range(4)
_NOW = slice(V, NEXT_V)


def policy_gradients(logits: Tensor, action: int) -> tuple[Tensor, Tensor]:
    """∂(½ log π(action))/∂logits and ∂H/∂logits, each (n_actions,).

    ½ (1{a = action} − π_a) and −π_a (log π_a + H).
    """
    log_pi = torch.log_softmax(logits, 0)
    pi = log_pi.exp()
    half_log_pi = -0.5 * pi
    half_log_pi[action] += 0.5
    surprise = pi * log_pi
    return half_log_pi, pi * surprise.sum() - surprise


class Gradients:
    """Where a step's three gradients are written, flat, and by layer.

    Attributes:
      U, H, delta: (n_weights,), ∂U/∂w, ∂H/∂w and ∂δ/∂w.
      went_back: (4, 256), what went back through the dense layer's outputs: rows V, U, H, and γ V(S_{t+1}).
      came_in, came_in_next: (2592,), that layer's inputs at S_t and S_{t+1}. Its gradients are outer products
        of these; without `writes_dense` they are left at that, and their part of U, H and delta is 0.
      needs_delta: whether delta is used at all; what it holds without is not defined.
    """

    def __init__(self, layout: Layout, like: Tensor, *, writes_dense: bool, needs_delta: bool = True) -> None:
        self.U, self.H, self.delta = (torch.zeros_like(like) for _ in range(3))
        self.views = tuple(layout.views(gradient) for gradient in (self.U, self.H, self.delta))
        self.writes_dense, self.needs_delta = writes_dense, needs_delta
        self.went_back = like.new_zeros(4, HIDDEN)
        self.came_in = self.came_in_next = like.new_zeros(FLAT)


def write_gradients(
    weights: dict[str, Tensor],
    now: Activations,
    following: Activations | None,
    action: int,
    gamma: float,
    gradients: Gradients,
) -> None:
    """Writes the three gradients of a step.

    Args:
      weights: views of the weights w_t.
      now, following: passes over S_t and S_{t+1} at w_t; `following` is None where S_t is the last state:
        V(S_{t+1}) and its gradient are zero there (reading R8).
    """
    grad_U, grad_H, grad_delta = gradients.views
    half_log_pi, entropy = policy_gradients(now.logits, action)
    after = now if following is None else following
    next_share = 0.0 if following is None else gamma

    # Output layers; then the dense layer's outputs, a row each for V, U, H and V(S_{t+1})
    torch.outer(half_log_pi, now.hidden, out=grad_U["policy"])
    torch.outer(entropy, now.hidden, out=grad_H["policy"])
    grad_U["policy_bias"].copy_(half_log_pi)
    grad_H["policy_bias"].copy_(entropy)
    grad_U["value"].copy_(now.hidden)
    torch.sub(next_share * after.hidden, now.hidden, out=grad_delta["value"])
    grad_U["value_bias"].fill_(1.0)
    grad_delta["value_bias"].fill_(next_share - 1.0)
    back = weights["value"].repeat(4, 1)
    torch.mm(torch.stack([half_log_pi, entropy]), weights["policy"], out=back[U : H + 1])
    back[U] += weights["value"]
    back[_NOW] *= _dsilu_slope(now)
    back[NEXT_V] *= _dsilu_slope(after)

    # Dense layer
    gradients.went_back.copy_(back)
    gradients.went_back[NEXT_V] *= next_share
    gradients.came_in, gradients.came_in_next = now.flat, after.flat
    if gradients.writes_dense:
        torch.outer(back[U], now.flat, out=grad_U["dense"])
        torch.outer(back[H], now.flat, out=grad_H["dense"])
        pair = torch.stack([-back[V], next_share * back[NEXT_V]], 1)
        torch.mm(pair, torch.stack([now.flat, after.flat]), out=grad_delta["dense"])
    _write(grad_U, grad_H, grad_delta, "dense_bias", back, next_share)
    back = torch.mm(back, weights["dense"]).view(4, FILTERS_2, SIDE_2**2)
    back[_NOW] *= _silu_slope(now.x_2, now.s_2)
    back[NEXT_V] *= _silu_slope(after.x_2, after.s_2)

    # Second convolution
    conv_2 = back.new_empty(4, FILTERS_2, PATCH_2)
    torch.mm(back[_NOW].reshape(-1, SIDE_2**2), now.patches_2.T, out=conv_2[_NOW].view(-1, PATCH_2))
    torch.mm(back[NEXT_V], after.patches_2.T, out=conv_2[NEXT_V])
    _write(grad_U, grad_H, grad_delta, "conv_2", conv_2, next_share)
    _write(grad_U, grad_H, grad_delta, "conv_2_bias", back.sum(2), next_share)
    patches = torch.matmul(weights["conv_2"].T, back)
    back = fold(patches, (SIDE_1, SIDE_1), KERNEL_2, stride=STRIDE_2).view(4, FILTERS_1, SIDE_1**2)
    back[_NOW] *= _silu_slope(now.x_1, now.s_1)
    back[NEXT_V] *= _silu_slope(after.x_1, after.s_1)

    # First convolution
    patch_1 = now.patches_1.shape[0]
    conv_1 = back.new_empty(4, FILTERS_1, patch_1)
    torch.mm(back[_NOW].reshape(-1, SIDE_1**2), now.patches_1.T, out=conv_1[_NOW].view(-1, patch_1))
    torch.mm(back[NEXT_V], after.patches_1.T, out=conv_1[NEXT_V])
    _write(grad_U, grad_H, grad_delta, "conv_1", conv_1, next_share)
    _write(grad_U, grad_H, grad_delta, "conv_1_bias", back.sum(2), next_share)


def _write(
    grad_U: dict[str, Tensor],
    grad_H: dict[str, Tensor],
    grad_delta: dict[str, Tensor],
    name: str,
    rows: Tensor,
    next_share: float,
) -> None:
    grad_U[name].copy_(rows[U])
    grad_H[name].copy_(rows[H])
    torch.sub(next_share * rows[NEXT_V], rows[V], out=grad_delta[name])


def _silu_slope(x: Tensor, s: Tensor) -> Tensor:
    """d(x σ(x))/dx = σ (1 + x (1 − σ)), which is dSiLU."""
    return s * (1 + x * (1 - s))


def _dsilu_slope(state: Activations) -> Tensor:
    """d dSiLU(x)/dx = σ (1 − σ) (2 + x (1 − 2σ))."""
    return state.s_3 * (1 - state.s_3) * (2 + state.x_3 * (1 - 2 * state.s_3))
