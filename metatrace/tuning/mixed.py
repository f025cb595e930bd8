"""Mixed Metatrace: a global step-size and a correction for every weight. The paper's algorithm 3."""

from metatrace.tuning.arrays import Array, dot, namespace, scalar_like
from metatrace.tuning.normalization import divisor, overshoot, running_maximum
from metatrace.tuning.sensitivity import advance_h, advance_h_elementwise
from metatrace.tuning.tuner import StepSizeTuner


class Mixed(StepSizeTuner):
    """Mixed Metatrace for AC(λ): α_i = exp(β̂ + β_i), normalized (algorithm 3) or not.

    The names with `_hat` are the global part (β̂, ĥ, …: scalars but ĥ), those without are the vector
    part (β⃗, h⃗, …: (n,)). β̂ starts at log α₀ and β⃗ at zero; M is taken from β̂ alone.
    """

    def _start_run(self, like: Array) -> None:
        xp = namespace(like)
        self.h, self.h_hat = xp.zeros_like(like), xp.zeros_like(like)  # line 1
        self.beta_hat, self.beta = scalar_like(like, self.beta_0), xp.zeros_like(like)
        self.v_hat, self.v = scalar_like(like, 0.0), xp.zeros_like(like)

    def _start_episode(self) -> None:
        self.z_beta = namespace(self.v).zeros_like(self.v)  # line 3
        self.z_beta_hat = scalar_like(self.v_hat, 0.0)
        self.u = scalar_like(self.v_hat, 0.0)

    def log_step_sizes(self) -> Array:
        return self.beta + self.beta_hat

    def _forget_h(self) -> None:
        super()._forget_h()
        self.h_hat = namespace(self.h).zeros_like(self.h)

    def _update(self, grad_U: Array, psi_grad_H: Array | float, grad_delta: Array, delta: Array, z: Array) -> Array:
        xp = namespace(z)
        self.z_beta = self.gamma_lambda * self.z_beta + grad_U * self.h
        self.z_beta_hat = self.gamma_lambda * self.z_beta_hat + xp.dot(grad_U, self.h_hat)
        Delta_beta = self.z_beta * delta + psi_grad_H * self.h
        Delta_beta_hat = self.z_beta_hat * delta + dot(psi_grad_H, self.h_hat)
        if self.normalized:
            self.v = running_maximum(self.v, xp.abs(Delta_beta), self.mu)
            self.v_hat = running_maximum(self.v_hat, xp.abs(Delta_beta_hat), self.mu)
            self.beta = self.beta + self.mu * Delta_beta / divisor(self.v)
            self.beta_hat = self.beta_hat + self.mu * Delta_beta_hat / divisor(self.v_hat)
            if self.divides_overshoot:
                effective = xp.dot(xp.exp(self.beta_hat + self.beta), grad_U**2)
                self.u = running_maximum(self.u, effective, self.u_rate)
                M = overshoot(self.u)
                self.beta_hat = self.beta_hat - xp.log(M)
        else:
            self.beta = self.beta + self.mu * Delta_beta
            self.beta_hat = self.beta_hat + self.mu * Delta_beta_hat
        alpha = xp.exp(self.beta_hat + self.beta)
        self.h = advance_h_elementwise(self.h, alpha, z, delta, grad_delta, psi_grad_H)
        self.h_hat = advance_h(self.h_hat, alpha, z, delta, grad_delta, psi_grad_H)
        return alpha
