"""Adam (Kingma and Ba 2014, arXiv 1412.6980, algorithm 1)."""

from typing import Any

from metatrace.related.gradient import ascended_gradient
from metatrace.related.moments import bias_correction, moving_average
from metatrace.tuning.arrays import Array, namespace, scalar_like
from metatrace.tuning.tuner import Tuner


class Adam(Tuner):
    """Step t of the run, with g = zδ + ψ ∂H/∂w:

        m₁ ← β₁m₁ + (1 − β₁)g,    m₂ ← β₂m₂ + (1 − β₂)g²
        m̂₁ = m₁/(1 − β₁^t),       m̂₂ = m₂/(1 − β₂^t),       Δw = α m̂₁ / (√m̂₂ + ε)

    Published: β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸ outside the root. Moments and t live on from episode to episode, so m₁ of
    one episode still moves weights in the next.

    Attributes:
      m_1, m_2: (n,), the means of g and g².
      t: how many steps the run has had; scalar. correction_2: 1 − β₂^t, or 1 before the first step; scalar.
    """

    uses_grad_delta = False

    def __init__(
        self, n_weights: int, *, alpha: float, beta_1: float, beta_2: float, epsilon: float, **settings: Any
    ) -> None:
        self.alpha, self.beta_1, self.beta_2, self.epsilon = alpha, beta_1, beta_2, epsilon
        super().__init__(n_weights, alpha=alpha, **settings)

    def _start_run(self, like: Array) -> None:
        self.m_1, self.m_2 = namespace(like).zeros_like(like), namespace(like).zeros_like(like)
        self.t, self.correction_2 = scalar_like(like, 0.0), scalar_like(like, 1.0)

    def _step(self, grad_U: Array, grad_H: Array | None, grad_delta: Array, delta: Array, z: Array) -> Array:
        g = ascended_gradient(z, delta, self.psi, grad_H)
        self.t = self.t + 1
        self.correction_2 = bias_correction(self.beta_2, self.t)
        self.m_1 = moving_average(self.m_1, g, self.beta_1)
        self.m_2 = moving_average(self.m_2, g**2, self.beta_2)
        m_1_hat = self.m_1 / bias_correction(self.beta_1, self.t)
        return self.alpha * m_1_hat / self._divisor()

    def log_step_sizes(self) -> Array:
        """log(α/(√m̂₂ + ε)), (n,): of what m̂₁, the mean of g, is multiplied by."""
        return self.beta_0 - namespace(self.m_2).log(self._divisor())

    def is_finite(self) -> bool:
        return bool(namespace(self.m_2).isfinite(self.m_2).all())

    def _divisor(self) -> Array:
        return namespace(self.m_2).sqrt(self.m_2 / self.correction_2) + self.epsilon
