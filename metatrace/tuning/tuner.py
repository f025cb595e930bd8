"""What every tuner is: the interface between an agent with eligibility traces and a method."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from metatrace.tuning.arrays import Array, namespace, scalar_like


class Tuner(ABC):
    """A method for updating n weights from a TD error and an eligibility trace.

    Call `start_episode` when an episode begins and `step` once a step; add what `step` returns to the weights.
    A subclass writes `_start_run`, which makes all its arrays (what checkpoints keep), and `_step`; `StepSizeTuner`
    is for those that tune a step-size.

    Arrays are numpy float64 or torch float32/64. The first step decides which: from then on all state and
    every Δw is of that kind, dtype and device.

    Attributes:
      readings: the readings of the paper that concern the method: the key in configs -> the keyword argument here, and
        the answers, the default first.
      uses_grad_delta: whether the method uses ∂δ/∂w; if not, agents may pass anything for it.
    """

    readings: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {}
    uses_grad_delta: ClassVar[bool] = True

    def __init__(self, n_weights: int, *, alpha: float, mu: float, gamma: float, lam: float, psi: float) -> None:
        self.n_weights = n_weights
        self.beta_0 = math.log(alpha)
        self.mu = mu
        self.gamma_lambda = gamma * lam
        self.psi = psi
        self.adopt(np.zeros(n_weights))
        self._adopted = False

    def start_episode(self) -> None:
        """Line 3 of the algorithms: forget what belongs to one episode."""
        self._start_episode()

    def adopt(self, like: Array) -> None:
        """Starts a run with state of the kind of `like`, an (n,) array, before the first step does so."""
        self._start_run(like)
        self._start_episode()
        self._adopted = True

    def step(self, *, grad_U: Array, grad_delta: Array, delta: Array, z: Array, grad_H: Array | None = None) -> Array:
        """One step of the method; returns Δw, (n,): the whole change of the weights.

        Args (all gradients at the weights before the change):
          grad_U: (n,), ∂U/∂w at S_t, where U = V + ½ log π(A_t|S_t).
          grad_delta: (n,), ∂δ/∂w = γ ∂V(S_{t+1})/∂w − ∂V(S_t)/∂w.
          delta: δ_t, the TD error.
          z: (n,), the eligibility trace, which already holds this step's `grad_U`.
          grad_H: (n,), ∂H/∂w at S_t, the policy's entropy; None where there is no entropy term.
        """
        if not self._adopted:
            self.adopt(z)
        return self._step(grad_U, grad_H, grad_delta, delta, z)

    def log_step_sizes(self) -> Array:
        """log α for each weight: a scalar, or (n,). A method without step-sizes of its own keeps log α₀."""
        return self.beta_0

    def is_finite(self) -> bool:
        """Whether the method's own numbers are finite, so that learning can go on."""
        return True

    @abstractmethod
    def _start_run(self, like: Array) -> None:
        """Line 1 of the algorithms: fresh state of the kind of `like`, an (n,) array."""

    def _start_episode(self) -> None:  # noqa: B027 — some methods keep nothing that belongs to an episode
        pass

    @abstractmethod
    def _step(self, grad_U: Array, grad_H: Array | None, grad_delta: Array, delta: Array, z: Array) -> Array: ...


class StepSizeTuner(Tuner):
    """A step-size tuner for the AC(λ) update w ← w + α (z δ + ψ ∂H/∂w).

    Use `step`; or `update`, and the step-size that it returns in that same step's weight update.

    Attributes:
      beta: β, the logarithm of the step-size: a scalar, or (n,) for vector step-sizes.
      h: (n,), the estimate of ∂w/∂β.
    """

    # Only normalized Metatrace has the divisor M.
    readings: ClassVar = {
        "h_lifetime": ("h_lifetime", ("run", "episode")),
        "overshoot_divisor": ("overshoot_divisor", ("decaying_maximum", "present_step", "absent")),
        "weight_update": ("weight_update", ("tuned_step_size", "previous_step_size")),
    }

    beta: Array
    h: Array

    def __init__(
        self,
        n_weights: int,
        *,
        alpha: float,
        h_lifetime: str = "run",
        overshoot_divisor: str = "decaying_maximum",
        weight_update: str = "tuned_step_size",
        normalized: bool = True,
        **settings: Any,
    ) -> None:
        super().__init__(n_weights, alpha=alpha, **settings)
        # At a rate of 1 the running maximum u forgets all but the present step.
        self.u_rate = 1.0 if overshoot_divisor == "present_step" else 1 - self.gamma_lambda
        self.divides_overshoot = overshoot_divisor != "absent"
        self.h_lifetime, self.weight_update, self.normalized = h_lifetime, weight_update, normalized
        self._alpha: Array = alpha

    def start_episode(self) -> None:
        """Line 3 of the algorithms: forget what belongs to one episode; h, β and v live on.

        With `h_lifetime="episode"` (a reading, not the paper's default) h is forgotten as well.
        """
        self._start_episode()
        if self.h_lifetime == "episode":
            self._forget_h()

    def update(self, *, grad_U: Array, grad_delta: Array, delta: Array, z: Array, grad_H: Array | None = None) -> Array:
        """One step of tuning, with the arguments of `step`; returns the step-size for this step's weight update.

        Returns:
          α = e^β: a scalar, or (n,) for the vector and mixed methods. With `weight_update="previous_step_size"`
          (a reading, not the paper's default) it is the α of the step before.
        """
        if not self._adopted:
            self.adopt(z)
        psi_grad_H = 0.0 if grad_H is None or self.psi == 0 else self.psi * grad_H
        previous, self._alpha = self._alpha, self._update(grad_U, psi_grad_H, grad_delta, delta, z)
        return previous if self.weight_update == "previous_step_size" else self._alpha

    def _start_run(self, like: Array) -> None:
        self.h = namespace(like).zeros_like(like)
        self.beta = scalar_like(like, self.beta_0)

    def log_step_sizes(self) -> Array:
        return self.beta

    def is_finite(self) -> bool:
        xp = namespace(self.beta)
        return all(bool(xp.isfinite(values).all()) for values in (self.beta, xp.exp(self.log_step_sizes())))

    def _forget_h(self) -> None:
        self.h = namespace(self.h).zeros_like(self.h)

    def _step(self, grad_U: Array, grad_H: Array | None, grad_delta: Array, delta: Array, z: Array) -> Array:
        alpha = self.update(grad_U=grad_U, grad_H=grad_H, grad_delta=grad_delta, delta=delta, z=z)
        if grad_H is None:
            return alpha * z * delta
        return alpha * (z * delta + self.psi * grad_H)

    @abstractmethod
    def _update(self, grad_U: Array, psi_grad_H: Array | float, grad_delta: Array, delta: Array, z: Array) -> Array:
        """Lines 7 to 15 of the algorithms; `psi_grad_H` is ψ ∂H/∂w, or the number 0."""
