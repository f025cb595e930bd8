"""No tuning: α stays what it was. The paper's baseline."""

from typing import Any

from metatrace.tuning.arrays import Array, namespace
from metatrace.tuning.tuner import StepSizeTuner


class Constant(StepSizeTuner):
    """α = e^{β₀} at every step; h stays zero."""

    uses_grad_delta = False

    def _update(self, grad_U: Array, psi_grad_H: Any, grad_delta: Array, delta: Array, z: Array) -> Array:
        return namespace(z).exp(self.beta)
