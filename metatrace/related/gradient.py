"""What an optimiser ascends in AC(λ)."""

from metatrace.tuning.arrays import Array


def ascended_gradient(z: Array, delta: Array, psi: float, grad_H: Array | None) -> Array:
    """g = zδ + ψ ∂H/∂w, (n,), which AC(λ) with a constant step-size multiplies by α; `grad_H` None: g = zδ."""
    return z * delta if grad_H is None else z * delta + psi * grad_H
