"""h ≈ ∂w/∂β: how the weights would have come out with another step-size (paper, section 3)."""

from metatrace.tuning.arrays import Array, namespace


def advance_h(h: Array, alpha: Array, z: Array, delta: Array, grad_delta: Array, psi_grad_H: Array | float) -> Array:
    """h + α (z (δ + ⟨∂δ/∂w|h⟩) + ψ ∂H/∂w), for one β shared by all weights.

    Line 14 of algorithm 1, and ĥ of algorithm 3 (there α is (n,), element-wise). The dot product
    stands inside: a change of β moves every weight, and each moves δ. Shapes (n,) but α and δ.
    """
    dot = namespace(h).dot
    return h + alpha * (z * (delta + dot(grad_delta, h)) + psi_grad_H)


def advance_h_elementwise(
    h: Array, alpha: Array, z: Array, delta: Array, grad_delta: Array, psi_grad_H: Array | float
) -> Array:
    """h + α ⊙ (z ⊙ (δ + ∂δ/∂w ⊙ h) + ψ ∂H/∂w), for one β_i a weight.

    Line 14 of algorithm 2, and h of algorithm 3. Uses the approximation ∂w_i/∂β_j = 0 for i ≠ j.
    """
    return h + alpha * (z * (delta + grad_delta * h) + psi_grad_H)
