"""IDBD, incremental delta-bar-delta (Sutton 1992, "Adapting bias by gradient descent", figure 2)."""

from typing import Any

from metatrace.tuning.arrays import Array, namespace
from metatrace.tuning.tuner import StepSizeTuner


class Idbd(StepSizeTuner):
    """A step-size for each input of a linear learner y = ⟨w|x⟩. For each i, in this order:

        β_i ← β_i + θ δ x_i h_i
        α_i ← e^{β_i}
        w_i ← w_i + α_i δ x_i
        h_i ← h_i [1 − α_i x_i²]⁺ + α_i δ x_i

    The new α_i is in w and in h. θ is the meta-step-size μ, x is ∂y/∂w (`grad_U`, and `z` as well), δ = y* − y.

    Attributes:
      beta, h: (n,).
    """

    uses_grad_delta = False

    def _start_run(self, like: Array) -> None:
        xp = namespace(like)
        self.h, self.beta = xp.zeros_like(like), xp.full_like(like, self.beta_0)

    def _update(self, grad_U: Array, psi_grad_H: Any, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp, x = namespace(z), grad_U
        self.beta = self.beta + self.mu * delta * x * self.h
        alpha = xp.exp(self.beta)
        kept = 1 - alpha * x**2
        self.h = self.h * xp.where(kept > 0, kept, xp.zeros_like(kept)) + alpha * delta * x
        return alpha
