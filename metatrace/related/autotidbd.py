"""AutoStep for TIDBD, "AutoTIDBD" (Kearney, Koop, Günther and Pilarski 2019, arXiv 1903.03252)."""

from typing import Any, ClassVar

from metatrace.related.decay import advance_h_clipped
from metatrace.tuning.arrays import Array, namespace
from metatrace.tuning.tuner import StepSizeTuner


class AutoTidbd(StepSizeTuner):
    """AutoStep-TIDBD, algorithm 6. With θ = μ, φ = ∂V/∂w and d = ∂δ/∂w = γφ' − φ, for every i:

        η_i ← max(|δ d_i h_i|, η_i − (1/τ) α_i d_i z_i (|δ φ_i h_i| − η_i))
        β_i ← β_i − θ δ d_i h_i / η_i
        M ← max(−Σ e^{β_i} d_i z_i, 1),    β_i ← β_i − log M,    α_i = e^{β_i}
        z_i ← γλ z_i + φ_i
        w_i ← w_i + α_i δ z_i,    h_i ← h_i [1 + α_i d_i z_i]⁺ + α_i δ z_i

    In this order: η and M take z as it was before this step, w and h the new one. One arm of η's maximum has d and the
    other φ; the paper has it so. Nothing is clipped after M. Published: τ = 10⁴. The paper does not say what η is at
    first: 1, or 0 (the reading `autotidbd_eta`); β_i stays where η_i = 0. z is cleared at an episode's start; h, β and
    η live on.

    Attributes:
      beta: (n,), the logarithm of each step-size. eta: (n,), the running maximum of each |δ d_i h_i|.
      z: (n,), the trace after the last step.
    """

    readings: ClassVar = {**StepSizeTuner.readings, "autotidbd_eta": ("eta_0", ("one", "zero"))}

    def __init__(self, n_weights: int, *, tau: float, eta_0: str = "one", **settings: Any) -> None:
        self.tau, self.eta_0 = tau, 1.0 if eta_0 == "one" else 0.0
        super().__init__(n_weights, **settings)

    def _start_run(self, like: Array) -> None:
        super()._start_run(like)
        xp = namespace(like)
        self.beta, self.eta = xp.full_like(like, self.beta_0), xp.full_like(like, self.eta_0)

    def _start_episode(self) -> None:
        self.z = namespace(self.h).zeros_like(self.h)

    def _update(self, grad_U: Array, psi_grad_H: Any, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp, phi, d = namespace(z), grad_U, grad_delta
        new = xp.abs(delta * phi * self.h)
        self.eta = xp.maximum(
            xp.abs(delta * d * self.h), self.eta - xp.exp(self.beta) * d * self.z * (new - self.eta) / self.tau
        )
        self.beta = self.beta - self.mu * delta * d * self.h / xp.where(self.eta > 0, self.eta, xp.ones_like(self.eta))
        M = -xp.dot(xp.exp(self.beta), d * self.z)
        self.beta = self.beta - xp.log(xp.maximum(M, xp.ones_like(M)))
        alpha = xp.exp(self.beta)
        self.z = z * 1  # a copy: the agent may go on to work in its own
        self.h = advance_h_clipped(self.h, -alpha * d * z, alpha * delta * z)
        return alpha
