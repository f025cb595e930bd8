"""ObGD, overshooting-bounded gradient descent (Elsayed, Vasan and Mahmood 2024, arXiv 2410.14606)."""

from typing import Any

from metatrace.related.gradient import ascended_gradient
from metatrace.tuning.arrays import Array, namespace, scalar_like
from metatrace.tuning.tuner import Tuner


class ObGD(Tuner):
    """A step-size that the trace and the TD error bound, for all weights:

        αₜ = α / max(1, α κ max(|δ|, 1) ‖z‖₁),    Δw = αₜ (zδ + ψ ∂H/∂w)

    So αₜ κ max(|δ|, 1) ‖z‖₁ ≤ 1 at every step. Published: κ = 2 and α = 1. Nothing lives on from step to step.

    Attributes:
      alpha_t: αₜ of the last step, or α before the first; scalar.
    """

    uses_grad_delta = False

    def __init__(self, n_weights: int, *, alpha: float, kappa: float, **settings: Any) -> None:
        self.alpha, self.kappa = alpha, kappa
        super().__init__(n_weights, alpha=alpha, **settings)

    def _start_run(self, like: Array) -> None:
        self.alpha_t = scalar_like(like, self.alpha)

    def _step(self, grad_U: Array, grad_H: Array | None, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp, one = namespace(z), scalar_like(z, 1.0)
        overshoot = self.alpha * self.kappa * xp.maximum(xp.abs(delta * one), one) * xp.abs(z).sum()
        self.alpha_t = self.alpha / xp.maximum(overshoot, one)
        return self.alpha_t * ascended_gradient(z, delta, self.psi, grad_H)

    def log_step_sizes(self) -> Array:
        """log αₜ of the last step, one for all weights: a scalar."""
        return namespace(self.alpha_t).log(self.alpha_t)

    def is_finite(self) -> bool:
        return bool(namespace(self.alpha_t).isfinite(self.log_step_sizes()))
