"""Crossprop (Veeriah, Zhang and Sutton 2017, "Crossprop: learning representations by stochastic meta-gradient descent
in neural networks", arXiv 1612.02879, algorithm 1)."""

from typing import Any

from metatrace.tuning.arrays import Array, namespace
from metatrace.tuning.tuner import Tuner


class Crossprop(Tuner):
    """Learns a hidden layer by what it does to the weights after it. With u_j = Σ_i U_ij x_i, φ_j = φ(u_j),
    y = Σ_j W_j φ_j and δ = y* − y:

        W_j  ← W_j + α δ φ_j
        U_ij ← U_ij + α δ φ_j h_ij
        h_ij ← h_ij (1 − α φ_j²) + α δ (∂φ_j/∂u_j) x_i

    h_ij is the trace of ∂W_j/∂U_ij; U has its old value. Backpropagation has W_j (∂φ_j/∂u_j) x_i in place of φ_j h_ij.

    Weights are (units, inputs + 1): in row j all U_ij, and last W_j; (n,) is a single unit. `z` is what each weight
    does to its own unit, (∂φ_j/∂u_j) x_i, and φ_j last; `grad_U` is not used.

    Attributes:
      h: (units, inputs), 0 at the start.
    """

    uses_grad_delta = False

    def __init__(self, n_weights: int, *, alpha: float, **settings: Any) -> None:
        self.alpha = alpha
        super().__init__(n_weights, alpha=alpha, **settings)

    def _start_run(self, like: Array) -> None:
        self.h = namespace(like).zeros_like(like[..., :-1])

    def _step(self, grad_U: Array, grad_H: Array | None, grad_delta: Array, delta: Array, z: Array) -> Array:
        on_unit, phi = z[..., :-1], z[..., -1:]
        step = self.alpha * delta
        change = namespace(z).concatenate([step * phi * self.h, step * phi], -1)
        self.h = self.h * (1 - self.alpha * phi**2) + step * on_unit
        return change

    def is_finite(self) -> bool:
        return bool(namespace(self.h).isfinite(self.h).all())
