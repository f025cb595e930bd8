"""h ≈ ∂w/∂β as IDBD and its kin have it: with a decay that never turns h around."""

from metatrace.tuning.arrays import Array, namespace


def advance_h_clipped(h: Array, decay: Array, step: Array) -> Array:
    """h_i [1 − decay_i]⁺ + step_i, where [x]⁺ = max(x, 0) (Sutton 1992, figure 2); all (n,)."""
    kept = 1 - decay
    return h * namespace(kept).maximum(kept, namespace(kept).zeros_like(kept)) + step
