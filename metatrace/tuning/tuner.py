"""What every tuner is: the interface between an AC(λ) agent and a step-size tuning method."""

import math
from abc import ABC, abstractmethod

import numpy as np

from metatrace.tuning.arrays import Array, namespace
from metatrace.tuning.normalization import OVERSHOOT_DIVISORS

H_LIFETIMES = ("run", "episode")


class Tuner(ABC):
    """A step-size tuner for the AC(λ) update w ← w + α (z δ + ψ ∂H/∂w), over n weights.

    Call `start_episode` when an episode begins and `update` once a step; use the step-size that
    `update` returns in that same step's weight update.

    Arrays are numpy float64 or torch float32/64. The first `update` decides which: from then on all
    state (`beta`, `h`, …) and every step-size is of that kind, dtype and device.

    Attributes:
      beta: β, the logarithm of the step-size: a scalar, or (n,) for vector step-sizes.
      h: (n,), the estimate of ∂w/∂β.
    """

    beta: Array
    h: Array

    def __init__(
        self,
        n_weights: int,
        *,
        alpha: float,
        mu: float,
        gamma: float,
        lam: float,
        psi: float,
        h_lifetime: str = "run",
        overshoot_divisor: str = "decaying_maximum",
    ) -> None:
        if h_lifetime not in H_LIFETIMES:
            raise ValueError(f"h_lifetime is {h_lifetime!r}; it must be one of {', '.join(H_LIFETIMES)}")
        if overshoot_divisor not in OVERSHOOT_DIVISORS:
            raise ValueError(
                f"overshoot_divisor is {overshoot_divisor!r}; it must be one of {', '.join(OVERSHOOT_DIVISORS)}"
            )
        self.n_weights = n_weights
        self.beta_0 = math.log(alpha)
        self.mu = mu
        self.gamma_lambda = gamma * lam
        # At a rate of 1 the running maximum u forgets all but the present step.
        self.u_rate = 1.0 if overshoot_divisor == "present_step" else 1 - self.gamma_lambda
        self.divides_overshoot = overshoot_divisor != "absent"
        self.psi = psi
        self.h_lifetime = h_lifetime
        self._adopted = False
        self._start_run(np.zeros(n_weights))

    def start_episode(self) -> None:
        """Line 3 of the algorithms: forget what belongs to one episode; h, β and v live on.

        With `h_lifetime="episode"` (a reading, not the paper's default) h is forgotten as well.
        """
        self._start_episode()
        if self.h_lifetime == "episode":
            self._forget_h()

    def adopt(self, like: Array) -> None:
        """Starts a run with state of the kind of `like`, an (n,) array, before the first `update` does so."""
        self._start_run(like)
        self._adopted = True

    def update(self, *, grad_U: Array, grad_delta: Array, delta: Array, z: Array, grad_H: Array | None = None) -> Array:
        """One step of tuning; returns the step-size to use in this step's weight update.

        Args (all gradients at the weights before the update):
          grad_U: (n,), ∂U/∂w at S_t, where U = V + ½ log π(A_t|S_t).
          grad_delta: (n,), ∂δ/∂w = γ ∂V(S_{t+1})/∂w − ∂V(S_t)/∂w.
          delta: δ_t, the TD error.
          z: (n,), the eligibility trace, which already holds this step's `grad_U`.
          grad_H: (n,), ∂H/∂w at S_t, the policy's entropy; None where there is no entropy term.

        Returns:
          α = e^β: a scalar, or (n,) for the vector and mixed methods.
        """
        if not self._adopted:
            self.adopt(z)
        entropy = None if grad_H is None or self.psi == 0 else grad_H
        return self._update(grad_U, entropy, grad_delta, delta, z)

    @abstractmethod
    def _start_run(self, like: Array) -> None:
        """Line 1 of the algorithms: fresh state of the kind of `like`, an (n,) array."""

    def _start_episode(self) -> None:  # noqa: B027 — SID and NOSID keep nothing that belongs to an episode
        pass

    def _forget_h(self) -> None:
        self.h = namespace(self.h).zeros_like(self.h)

    @abstractmethod
    def _update(self, grad_U: Array, grad_H: Array | None, grad_delta: Array, delta: Array, z: Array) -> Array: ...
