"""Scalar Metatrace: one step-size for all weights. The paper's algorithm 1."""

from metatrace.tuning.arrays import Array, dot, namespace, scalar_like
from metatrace.tuning.normalization import divisor, overshoot, running_maximum
from metatrace.tuning.sensitivity import advance_h
from metatrace.tuning.tuner import StepSizeTuner


class Scalar(StepSizeTuner):
    """Scalar Metatrace for AC(λ), normalized (algorithm 1) or not (end of "Entropy Regularization").

    Without normalization lines 9 and 11–13 fall away and line 10 divides by nothing.

    Attributes:
      z_beta: z_β, the eligibility trace of the meta-gradient; scalar.
      v: the running maximum of |Δ_β|; scalar.
      u: the running maximum of the effective step-size α |∂U/∂w|²; scalar.
    """

    def _start_run(self, like: Array) -> None:
        super()._start_run(like)  # line 1
        self.v = scalar_like(like, 0.0)

    def _start_episode(self) -> None:
        self.z_beta = scalar_like(self.v, 0.0)  # line 3
        self.u = scalar_like(self.v, 0.0)

    def _update(self, grad_U: Array, psi_grad_H: Array | float, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp = namespace(z)
        self.z_beta = self.gamma_lambda * self.z_beta + xp.dot(grad_U, self.h)  # line 7
        Delta_beta = self.z_beta * delta + dot(psi_grad_H, self.h)  # line 8
        if self.normalized:
            self.v = running_maximum(self.v, xp.abs(Delta_beta), self.mu)  # line 9
            self.beta = self.beta + self.mu * Delta_beta / divisor(self.v)  # line 10
            if self.divides_overshoot:
                effective = xp.exp(self.beta) * xp.dot(grad_U, grad_U)
                self.u = running_maximum(self.u, effective, self.u_rate)  # line 11
                M = overshoot(self.u)  # line 12
                self.beta = self.beta - xp.log(M)  # line 13
        else:
            self.beta = self.beta + self.mu * Delta_beta
        alpha = xp.exp(self.beta)
        self.h = advance_h(self.h, alpha, z, delta, grad_delta, psi_grad_H)  # line 14
        return alpha  # line 15
