"""The step of every weight: trace, tuner and update.

    z ← γλz + ∂U/∂w        α ← the tuner's        w ← w + α (z δ + ψ ∂H/∂w)

`TorchUpdate` takes the tuner as it stands, on any device. `CompiledUpdate` is the same on one processor core,
in one or two passes over memory instead of some forty; tests hold it to the first.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from metatrace.compiled import object_code
from metatrace.domains.atari import memory
from metatrace.domains.atari import step_kernel_layout as kernel_layout
from metatrace.domains.atari.gradients import Gradients
from metatrace.domains.atari.network import Layout
from metatrace.domains.atari.shapes import FLAT, HIDDEN
from metatrace.tuning import Tuner
from metatrace.tuning.constant import Constant
from metatrace.tuning.mixed import Mixed
from metatrace.tuning.scalar import Scalar
from metatrace.tuning.vector import Vector

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "CompiledUpdate._constant": ("none",),
    "CompiledUpdate._scalar": ("scalar", "scalar-unnormalized"),
    "CompiledUpdate._vector": ("vector", "vector-unnormalized"),
    "CompiledUpdate._mixed": ("mixed", "mixed-unnormalized"),
    "CompiledUpdate._tuned": ("scalar", "scalar-unnormalized", "mixed", "mixed-unnormalized"),
    "CompiledUpdate._overshoot": ("scalar", "vector", "mixed"),
}
_BIG = ("z_beta", "v", "beta", "h", "h_hat")  # the tuner's arrays in the order of the kernel's arguments


class TorchUpdate:
    """The weights w, the eligibility trace z and a tuner, moved on by one step at a time.

    Attributes:
      w, z: (n,) float32, on one device.
      needs_delta: whether the tuner uses ∂δ/∂w.
      state: the tuner's arrays by name, each of which is also the tuner's attribute of that name.
    """

    writes_dense = True  # what it needs of `Gradients`
    kernel: Callable[..., None] | None = None  # the compiled passes, which also serve the network

    def __init__(self, tuner: Tuner, w: Tensor) -> None:
        self.tuner, self.w, self.z = tuner, w, torch.zeros_like(w)
        self.needs_delta = tuner.uses_grad_delta
        tuner.adopt(w)
        self.state = {name: value for name, value in vars(tuner).items() if isinstance(value, Tensor)}

    def start_episode(self) -> None:
        """Forgets what belongs to one episode: z, and what the tuner forgets."""
        self.z.zero_()
        self.tuner.start_episode()
        self._keep()

    @torch.no_grad()
    def __call__(self, gradients: Gradients, delta: Tensor) -> None:
        """One step; `delta` is a 0-d tensor."""
        tuner = self.tuner
        self.z.mul_(tuner.gamma_lambda).add_(gradients.U)
        self.w.add_(
            tuner.step(grad_U=gradients.U, grad_H=gradients.H, grad_delta=gradients.delta, delta=delta, z=self.z)
        )
        self._keep()

    def _keep(self) -> None:
        """Copies the tuner's new arrays into those that stay."""
        for name, kept in self.state.items():
            made = getattr(self.tuner, name)
            if made is not kept:
                kept.copy_(made)
                setattr(self.tuner, name, kept)


class CompiledUpdate(TorchUpdate):
    """The same by the passes of `step_kernel`, on the CPU; for none, scalar, vector and mixed Metatrace."""

    writes_dense = False

    def __init__(self, tuner: Tuner, w: Tensor, layout: Layout, kernel: Callable[..., None]) -> None:
        super().__init__(tuner, w)
        # By the tuner's name, so that a method's fingerprint has no other tuners in it.
        kind = type(tuner).__name__
        self._step: Callable[[Any, Gradients, float], None] | None = getattr(self, f"_{kind.lower()}", None)
        if self._step is None or w.device.type != "cpu" or w.dtype != torch.float32:
            raise ValueError(f"there are no compiled passes for {kind} on {w.device} in {w.dtype}")
        self._move()
        self.kernel = self._kernel = kernel
        self._numbers = np.zeros(kernel_layout.N_NUMBERS)
        self._numbers[kernel_layout.GAMMA_LAMBDA] = tuner.gamma_lambda
        self._numbers[kernel_layout.MU] = tuner.mu
        self._numbers[kernel_layout.PSI] = tuner.psi
        self._sums = np.zeros(kernel_layout.N_SUMS)
        # Of the weights outside the dense layer: a single row whose gradients are written out.
        self._alone = torch.tensor([[0.0], [1.0], [1.0], [1.0]])
        before = sum(math.prod(layout.shapes[name]) for name in list(layout.shapes)[:4])
        self._blocks = (
            (0, 1, before),
            (before, HIDDEN, FLAT),
            (before + HIDDEN * FLAT, 1, layout.n_weights - before - HIDDEN * FLAT),
        )

    def _move(self) -> None:
        """Moves what a step goes through to memory made for it; `w` as given is left alone from here on."""
        big = {name: value for name, value in self.state.items() if value.ndim}
        self.w, self.z, *moved = (
            place.copy_(value)
            for place, value in zip(
                memory.zeros(2 + len(big), len(self.w)), (self.w, self.z, *big.values()), strict=True
            )
        )
        for name, value in zip(big, moved, strict=True):
            self.state[name] = value
            setattr(self.tuner, name, value)

    @torch.no_grad()
    def __call__(self, gradients: Gradients, delta: Tensor) -> None:
        assert self._step is not None
        self._numbers[kernel_layout.DELTA] = float(delta)
        self._step(self.tuner, gradients, float(delta))

    def _constant(self, tuner: Constant, gradients: Gradients, delta: float) -> None:
        self._learn(kernel_layout.LEARN, gradients, _exp(float(tuner.log_step_sizes())))

    def _scalar(self, tuner: Scalar, gradients: Gradients, delta: float) -> None:
        self._pass(kernel_layout.DOTS, gradients)
        dot_U, dot_H, dot_delta, squares = self._sums.tolist()
        z_beta = tuner.gamma_lambda * float(tuner.z_beta) + dot_U  # line 7
        Delta_beta = z_beta * delta + tuner.psi * dot_H  # line 8
        beta = self._tuned(tuner.v, float(tuner.beta), Delta_beta)
        if tuner.normalized and tuner.divides_overshoot:
            beta -= self._overshoot(_exp(beta) * squares)
        _set(tuner.z_beta, z_beta)
        _set(tuner.beta, beta)
        self._learn(kernel_layout.LEARN_SCALAR, gradients, _exp(beta), delta + dot_delta)

    def _vector(self, tuner: Vector, gradients: Gradients, delta: float) -> None:
        normalized = tuner.normalized
        self._pass(kernel_layout.TUNE_VECTOR if normalized else kernel_layout.TUNE_VECTOR_UNNORMALIZED, gradients)
        if tuner.normalized and tuner.divides_overshoot:
            log_M = self._overshoot(self._sums[kernel_layout.EFFECTIVE])
            if log_M:
                tuner.beta.sub_(log_M)
        self._learn(kernel_layout.LEARN_VECTOR, gradients, 1.0)

    def _mixed(self, tuner: Mixed, gradients: Gradients, delta: float) -> None:
        normalized = tuner.normalized
        self._pass(kernel_layout.TUNE_MIXED if normalized else kernel_layout.TUNE_MIXED_UNNORMALIZED, gradients)
        dot_U, dot_H, dot_delta, effective = self._sums.tolist()
        z_beta_hat = tuner.gamma_lambda * float(tuner.z_beta_hat) + dot_U
        Delta_beta_hat = z_beta_hat * delta + tuner.psi * dot_H
        beta_hat = self._tuned(tuner.v_hat, float(tuner.beta_hat), Delta_beta_hat)
        if tuner.normalized and tuner.divides_overshoot:
            beta_hat -= self._overshoot(_exp(beta_hat) * effective)
        _set(tuner.z_beta_hat, z_beta_hat)
        _set(tuner.beta_hat, beta_hat)
        self._learn(kernel_layout.LEARN_MIXED, gradients, _exp(beta_hat), delta + dot_delta)

    def _tuned(self, v: Tensor, beta: float, Delta_beta: float) -> float:
        """Lines 9 and 10 for a β that all weights share."""
        mu = self.tuner.mu
        if not self.tuner.normalized:  # type: ignore[attr-defined]  # those that share a β have it
            return beta + mu * Delta_beta
        size, old = abs(Delta_beta), float(v)
        _set(v, max(size, old + mu * (size - old)))
        return beta + mu * Delta_beta / (float(v) or 1.0)

    def _overshoot(self, effective: float) -> float:
        """Lines 11 and 12: log M."""
        tuner: Any = self.tuner  # all normalized ones have u
        _set(tuner.u, max(effective, float(tuner.u) + tuner.u_rate * (effective - float(tuner.u))))
        return math.log(max(float(tuner.u), 1.0))

    def _learn(self, what: int, gradients: Gradients, scale: float, delta_hat: float = 0.0) -> None:
        self._numbers[kernel_layout.SCALE] = scale
        self._numbers[kernel_layout.DELTA_HAT] = delta_hat
        self._pass(what, gradients)

    def _pass(self, what: int, gradients: Gradients) -> None:
        """One pass over all weights."""
        self._sums[:] = 0.0
        numbers_and_sums = self._numbers.ctypes.data, self._sums.ctypes.data
        # A pass that does not use an array gets another in its place.
        arrays = [array.data_ptr() for array in (self.z, *(self.state.get(name, self.z) for name in _BIG), self.w)]
        for first, rows, columns in self._blocks:
            offset = first * self.w.element_size()
            if rows > 1:
                e, p, r = (part.data_ptr() for part in (gradients.went_back, gradients.came_in, gradients.came_in_next))
                q = p
            else:
                e = self._alone.data_ptr()
                p, q, r = (part.data_ptr() + offset for part in (gradients.U, gradients.H, gradients.delta))
            places = (array + offset for array in arrays)
            self._kernel(what, rows, columns, *numbers_and_sums, e, p, q, r, *places)


def _exp(x: float) -> float:
    """e^x; infinite where `math.exp` would raise: `Agent.act` then finds that learning diverged."""
    return math.inf if x > 709 else math.exp(x)


def _set(kept: Tensor, value: float) -> None:
    """kept ← value; infinite where float32 ends, where `fill_` would raise."""
    kept.copy_(torch.tensor(value, dtype=torch.float64))


def load(path: Path) -> Callable[..., None]:
    """Loads the compiled passes: a function of `step_kernel.entry`'s integers and addresses.

    Raises:
      UserError: the file is missing, damaged or another kernel's.
    """
    return object_code.load(path, "step_kernel", integers=kernel_layout.N_INTEGERS, pointers=kernel_layout.N_POINTERS)
