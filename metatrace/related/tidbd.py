"""TIDBD (Kearney, Veeriah, Travnik, Sutton and Pilarski 2018, arXiv 1804.03334): IDBD for TD(λ)."""

from typing import Any

from metatrace.related.decay import advance_h_clipped
from metatrace.tuning.arrays import Array, namespace
from metatrace.tuning.tuner import StepSizeTuner


class ScalarTidbd(StepSizeTuner):
    """TIDBD(λ) with one β for all weights, θ = μ and φ = ∂V/∂w:

        β ← β + θ δ ⟨φ|h⟩,    α = e^β,    w ← w + α δ z,    h_i ← h_i [1 − α φ_i z_i]⁺ + α δ z_i

    The paper's own text of this form is not available. It is algorithm 1 (see `Tidbd`) with ⟨φ|h⟩ in place of φ_i h_i.
    """

    uses_grad_delta = False

    def _update(self, grad_U: Array, psi_grad_H: Any, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp = namespace(z)
        self.beta = self.beta + self.mu * delta * self._correlation(grad_U)
        alpha = xp.exp(self.beta)
        self.h = advance_h_clipped(self.h, alpha * grad_U * z, alpha * delta * z)
        return alpha

    def _correlation(self, phi: Array) -> Array:
        """⟨φ|h⟩: how far features now active have been moved of late; a scalar."""
        return namespace(phi).dot(phi, self.h)


class Tidbd(ScalarTidbd):
    """TIDBD(λ) with semi-gradients, algorithm 1: a step-size for each weight. With θ = μ and φ = ∂V/∂w, for every i:

        β_i ← β_i + θ δ φ_i h_i,    α_i = e^{β_i},    z_i ← γλ z_i + φ_i
        w_i ← w_i + α_i δ z_i,      h_i ← h_i [1 − α_i φ_i z_i]⁺ + α_i δ z_i

    In this order: w and h take the new α, and the new z. z is cleared at an episode's start; h and β live on.
    The meta-gradient pairs δ with the features of this step alone, as under TD(0); Metatrace keeps a trace of them
    (Javed, Sharifnassab and Sutton 2024, SwiftTD).

    Attributes:
      beta: (n,), the logarithm of each step-size.
    """

    def _start_run(self, like: Array) -> None:
        super()._start_run(like)
        self.beta = namespace(like).full_like(like, self.beta_0)

    def _correlation(self, phi: Array) -> Array:
        """φ_i h_i: (n,)."""
        return phi * self.h
