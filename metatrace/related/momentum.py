"""Momentum (Polyak 1964; in this form Sutskever, Martens, Dahl and Hinton 2013, equations 1 and 2)."""

from typing import Any

from metatrace.related.gradient import ascended_gradient
from metatrace.tuning.arrays import Array, namespace
from metatrace.tuning.tuner import Tuner


class Momentum(Tuner):
    """A step along a decaying sum of gradients, with g = zδ + ψ ∂H/∂w:

        m ← ρm + αg,    Δw = m

    ρ = 0.9 is what is most often used. m lives on from step to step.

    Attributes:
      m: the sum, of the shape of the weights.
    """

    uses_grad_delta = False

    def __init__(self, n_weights: int, *, alpha: float, rho: float, **settings: Any) -> None:
        self.alpha, self.rho = alpha, rho
        super().__init__(n_weights, alpha=alpha, **settings)

    def _start_run(self, like: Array) -> None:
        self.m = namespace(like).zeros_like(like)

    def _step(self, grad_U: Array, grad_H: Array | None, grad_delta: Array, delta: Array, z: Array) -> Array:
        self.m = self.rho * self.m + self.alpha * ascended_gradient(z, delta, self.psi, grad_H)
        return self.m

    def is_finite(self) -> bool:
        return bool(namespace(self.m).isfinite(self.m).all())
