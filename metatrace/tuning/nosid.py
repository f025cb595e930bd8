"""NOSID (Dabney, 2014), for AC(λ): SID with a normalized update and a bound on α."""

from typing import Any, ClassVar

from metatrace.tuning.arrays import Array, dot, namespace, scalar_like
from metatrace.tuning.normalization import divisor
from metatrace.tuning.sensitivity import advance_h
from metatrace.tuning.tuner import StepSizeTuner


class Nosid(StepSizeTuner):
    """SID's update over a hard maximum v, then α bounded so that δ cannot change its sign.

        v ← max(v, |x|)                 never decayed, never reset
        β ← β + μ (δ ⟨z|h⟩ + ψ ⟨∂H/∂w|h⟩) / v
        α ← min(α, −1 / ⟨z|∂δ/∂w⟩)      where ⟨z|∂δ/∂w⟩ < 0

    The thesis text is not available; the paper only says that the maximum is a hard one. What x is
    is therefore a reading: |δ| (`td_error`, the default), |⟨z|h⟩| (`trace_product`) or the whole
    meta-gradient |δ ⟨z|h⟩ + ψ ⟨∂H/∂w|h⟩| (`meta_gradient`).

    Attributes:
      v: the hard maximum; scalar.
    """

    readings: ClassVar = {
        **StepSizeTuner.readings,
        "nosid_normaliser": ("normaliser", ("td_error", "trace_product", "meta_gradient")),
    }

    def __init__(self, n_weights: int, *, normaliser: str = "td_error", **settings: Any) -> None:
        self.normaliser = normaliser
        super().__init__(n_weights, **settings)

    def _start_run(self, like: Array) -> None:
        super()._start_run(like)
        self.v = scalar_like(like, 0.0)

    def _update(self, grad_U: Array, psi_grad_H: Array | float, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp = namespace(z)
        z_h = xp.dot(z, self.h)
        Delta_beta = delta * z_h + dot(psi_grad_H, self.h)
        if self.normaliser == "td_error":
            self.v = xp.maximum(self.v, abs(delta) + 0 * self.v)
        elif self.normaliser == "trace_product":
            self.v = xp.maximum(self.v, xp.abs(z_h))
        else:
            self.v = xp.maximum(self.v, xp.abs(Delta_beta))
        self.beta = self.beta + self.mu * Delta_beta / divisor(self.v)
        # The update changes δ by α δ ⟨z|∂δ⟩: the bound keeps that change from exceeding −δ.
        z_grad_delta = xp.dot(z, grad_delta)
        if z_grad_delta < 0:
            self.beta = xp.minimum(self.beta, -xp.log(-z_grad_delta))
        alpha = xp.exp(self.beta)
        self.h = advance_h(self.h, alpha, z, delta, grad_delta, psi_grad_H)
        return alpha
