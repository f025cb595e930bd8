"""RMSProp, as in the AC(λ) of MinAtar (Young and Tian 2019, arXiv 1903.03176; its example agent `AC_lambda`)."""

from typing import Any

from metatrace.related.gradient import ascended_gradient
from metatrace.related.moments import bias_correction, moving_average
from metatrace.tuning.arrays import Array, namespace, scalar_like
from metatrace.tuning.tuner import Tuner


class RMSProp(Tuner):
    """Step t of the run, with g = zδ + ψ ∂H/∂w:

        m ← ρm + (1 − ρ)g²,    Δw = α g / √(m/(1 − ρ^t) + ε)

    Published: ρ = 0.999, ε = 0.0001 inside the root. m and t live on from episode to episode.

    Attributes:
      m: (n,), the mean of g².
      t: how many steps the run has had; scalar. correction: 1 − ρ^t, or 1 before the first step; scalar.
    """

    uses_grad_delta = False

    def __init__(self, n_weights: int, *, alpha: float, rho: float, epsilon: float, **settings: Any) -> None:
        self.alpha, self.rho, self.epsilon = alpha, rho, epsilon
        super().__init__(n_weights, alpha=alpha, **settings)

    def _start_run(self, like: Array) -> None:
        self.m = namespace(like).zeros_like(like)
        self.t, self.correction = scalar_like(like, 0.0), scalar_like(like, 1.0)

    def _step(self, grad_U: Array, grad_H: Array | None, grad_delta: Array, delta: Array, z: Array) -> Array:
        g = ascended_gradient(z, delta, self.psi, grad_H)
        self.t = self.t + 1
        self.correction = bias_correction(self.rho, self.t)
        self.m = moving_average(self.m, g**2, self.rho)
        return self.alpha * g / namespace(z).sqrt(self.m / self.correction + self.epsilon)

    def log_step_sizes(self) -> Array:
        """log(α/√(m/(1 − ρ^t) + ε)), (n,): of what g is multiplied by."""
        return self.beta_0 - 0.5 * namespace(self.m).log(self.m / self.correction + self.epsilon)

    def is_finite(self) -> bool:
        return bool(namespace(self.m).isfinite(self.m).all())
