"""SID (Dabney, 2014), for AC(λ): the method that Scalar Metatrace is closest to."""

from metatrace.tuning.arrays import Array, dot, namespace
from metatrace.tuning.sensitivity import advance_h
from metatrace.tuning.tuner import StepSizeTuner


class Sid(StepSizeTuner):
    """β ← β + μ (δ ⟨z|h⟩ + ψ ⟨∂H/∂w|h⟩), with h as in Scalar Metatrace.

    The paper quotes SID's gradient (section 3.1, from equation 4.18 of Dabney's thesis): the trace z
    of past gradients against today's h, where Metatrace pairs each gradient with the h of its own
    time. SID was made for SARSA(λ); this is its form for AC(λ).
    """

    def _update(self, grad_U: Array, psi_grad_H: Array | float, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp = namespace(z)
        Delta_beta = delta * xp.dot(z, self.h) + dot(psi_grad_H, self.h)
        self.beta = self.beta + self.mu * Delta_beta
        alpha = xp.exp(self.beta)
        self.h = advance_h(self.h, alpha, z, delta, grad_delta, psi_grad_H)
        return alpha
