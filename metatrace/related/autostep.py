"""Autostep (Mahmood, Sutton, Degris and Pilarski 2012, "Tuning-free step-size adaptation", table 1)."""

from typing import Any

from metatrace.tuning.arrays import Array, namespace
from metatrace.tuning.normalization import divisor, overshoot
from metatrace.tuning.tuner import StepSizeTuner


class Autostep(StepSizeTuner):
    """IDBD whose meta-gradient is normalized, and whose step never overshoots. For each i, in this order:

        v_i ← max(|δ x_i h_i|, v_i + (1/τ) α_i x_i² (|δ x_i h_i| − v_i))
        α_i ← α_i exp(μ δ x_i h_i / v_i) where v_i ≠ 0
        M   ← max(Σ α_i x_i², 1),    α_i ← α_i / M
        w_i ← w_i + α_i δ x_i
        h_i ← h_i (1 − α_i x_i²) + α_i δ x_i

    v has the old α; w and h have the new one. Nothing is clipped after M, for it leaves α_i x_i² ≤ 1.
    Published: μ = 0.01, τ = 10⁴. x is ∂y/∂w (`grad_U`, and `z` as well), δ = y* − y.

    Attributes:
      beta, h: (n,); α = e^β.
      v: (n,), the running maximum of |δ x_i h_i|, 0 at the start.
    """

    uses_grad_delta = False

    def __init__(self, n_weights: int, *, tau: float, **settings: Any) -> None:
        self.tau = tau
        super().__init__(n_weights, **settings)

    def _start_run(self, like: Array) -> None:
        xp = namespace(like)
        self.h, self.v, self.beta = xp.zeros_like(like), xp.zeros_like(like), xp.full_like(like, self.beta_0)

    def _update(self, grad_U: Array, psi_grad_H: Any, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp, x = namespace(z), grad_U
        meta_gradient = delta * x * self.h
        size = xp.abs(meta_gradient)
        self.v = xp.maximum(size, self.v + xp.exp(self.beta) * x**2 * (size - self.v) / self.tau)
        beta = self.beta + self.mu * meta_gradient / divisor(self.v)
        M = overshoot((xp.exp(beta) * x**2).sum())
        self.beta = beta - xp.log(M)
        alpha = xp.exp(self.beta)
        self.h = self.h * (1 - alpha * x**2) + alpha * delta * x
        return alpha
