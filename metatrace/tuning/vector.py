"""Vector Metatrace: a step-size for every weight. The paper's algorithm 2."""

from metatrace.tuning.arrays import Array, namespace, scalar_like
from metatrace.tuning.normalization import divisor, overshoot, running_maximum
from metatrace.tuning.sensitivity import advance_h_elementwise
from metatrace.tuning.tuner import StepSizeTuner


class Vector(StepSizeTuner):
    """Vector Metatrace for AC(λ), normalized (algorithm 2) or not (section "Vector Metatrace").

    Without normalization lines 9 and 11–13 fall away and line 10 divides by nothing.

    Attributes:
      z_beta: (n,), the eligibility trace of the meta-gradient of each β_i.
      v: (n,), the running maximum of each |Δ_β|.
      u: the running maximum of the effective step-size ⟨α|(∂U/∂w)²⟩; scalar.
    """

    def _start_run(self, like: Array) -> None:
        xp = namespace(like)
        self.h = xp.zeros_like(like)  # line 1
        self.beta = xp.full_like(like, self.beta_0)
        self.v = xp.zeros_like(like)

    def _start_episode(self) -> None:
        self.z_beta = namespace(self.v).zeros_like(self.v)  # line 3
        self.u = scalar_like(self.v, 0.0)

    def _update(self, grad_U: Array, psi_grad_H: Array | float, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp = namespace(z)
        self.z_beta = self.gamma_lambda * self.z_beta + grad_U * self.h  # line 7
        Delta_beta = self.z_beta * delta + psi_grad_H * self.h  # line 8
        if self.normalized:
            self.v = running_maximum(self.v, xp.abs(Delta_beta), self.mu)  # line 9
            self.beta = self.beta + self.mu * Delta_beta / divisor(self.v)  # line 10
            if self.divides_overshoot:
                effective = xp.dot(xp.exp(self.beta), grad_U**2)
                self.u = running_maximum(self.u, effective, self.u_rate)  # line 11
                M = overshoot(self.u)  # line 12
                self.beta = self.beta - xp.log(M)  # line 13
        else:
            self.beta = self.beta + self.mu * Delta_beta
        alpha = xp.exp(self.beta)
        self.h = advance_h_elementwise(self.h, alpha, z, delta, grad_delta, psi_grad_H)  # line 14
        return alpha  # line 15
