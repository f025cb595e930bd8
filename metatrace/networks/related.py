"""The methods of others by the compiled passes of `related_kernel`, on one processor core.

AC(λ) with RMSProp, Adam or ObGD, and SARSA(λ): the lines of `plain` and `plain_sarsa`, which tests hold them to.
"""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from metatrace.compiled import object_code
from metatrace.networks import kernel_layout as layout
from metatrace.networks import related_layout as own
from metatrace.networks.compiled import _ARRAYS as STATE
from metatrace.networks.compiled import CompiledAgent, Kernel, _run, apart
from metatrace.networks.sarsa import SarsaAgent
from metatrace.networks.shape import NetworkShape
from metatrace.tuning import Tuner

UNTUNED = "none"  # to `CompiledAgent`, whose tuners are none of these
# The number of an optimiser -> its attribute in `metatrace.related`
_NUMBERS = {
    "rmsprop": {own.ALPHA: "alpha", own.RATE_2: "rho", own.EPSILON: "epsilon"},
    "adam": {own.ALPHA: "alpha", own.RATE_1: "beta_1", own.RATE_2: "beta_2", own.EPSILON: "epsilon"},
    "obgd": {own.ALPHA: "alpha", own.KAPPA: "kappa"},
}
# Its array -> the array of it that the kernel has at that place of `State`
_MEANS = {"rmsprop": {"m": "v"}, "adam": {"m_1": "h", "m_2": "v"}, "obgd": {}}


def load(path: Path) -> Kernel:
    """Loads the compiled passes: a function of `related_kernel.entry`'s integers and addresses.

    Raises:
      UserError: the file is missing, damaged or another kernel's.
    """
    return object_code.load(path, "related_kernel", integers=layout.N_INTEGERS, pointers=layout.N_POINTERS)


class OptimiserAgent(CompiledAgent):
    """The agent with an optimiser in the place of a tuner; arguments as those of `CompiledAgent`.

    Args:
      method: a key of `related_layout.METHOD_CODES`; tuner: one of that method, for its settings alone.

    Attributes:
      arrays: by name: w, z, and the optimiser's means, as `metatrace.related` names them.
    """

    def __init__(
        self, shape: NetworkShape, weights: np.ndarray, method: str, tuner: Tuner, kernel: Kernel, *, gamma: float
    ) -> None:
        super().__init__(shape, weights, UNTUNED, tuner, kernel, gamma=gamma)
        for place, name in _NUMBERS[method].items():
            self._numbers[place] = getattr(tuner, name)
        means = _MEANS[method]
        self.arrays |= dict(zip(means, apart(len(means), shape.n_weights), strict=True))
        places = {"w": "w", "z": "z"} | {place: name for name, place in means.items()}
        state = [self.arrays[places[place]] if place in places else self._numbers for place in STATE]
        for now, after in (self._passes, [*self._passes][::-1]):
            self._learning[now][-1] = self._call(
                own.METHOD_CODES[method],
                (shape.hidden, shape.flat, len(self._blocks) - 1),
                *(self._e, now.images[-1], after.images[-1], self._gradients, *state),
            )


class CompiledSarsa(SarsaAgent, CompiledAgent):
    """SARSA(λ) with a constant step-size at a network's shape; arguments as those of `CompiledAgent`.

    Args:
      tuner: `metatrace.tuning.constant`'s. tau_0, tau_k: see `SarsaAgent`.
    """

    def __init__(
        self,
        shape: NetworkShape,
        weights: np.ndarray,
        tuner: Tuner,
        kernel: Kernel,
        *,
        gamma: float,
        tau_0: float,
        tau_k: float,
    ) -> None:
        super().__init__(shape, weights, UNTUNED, tuner, kernel, gamma=gamma)
        self.set_temperature(tau_0, tau_k)
        self._numbers[own.ALPHA] = math.exp(tuner.beta_0)
        w, z, now, sizes = self.arrays["w"], self.arrays["z"], self._passes[0], (shape.hidden, shape.flat)
        above, dense = 4 * self._blocks[-2, 0], self._blocks[-1, 0]
        self._to_trace = [
            self._call(
                own.BACKWARD_Q,
                (*sizes, shape.n_actions),
                *(w[dense:], now.hidden, now.slope, self._by_logits[0]),
                *(self._e, self._arrived[-1], self._gradients[above:]),
            ),
            *self._convolve_back(now, now),
            self._call(
                own.ADD_TO_TRACE,
                (*sizes, len(self._blocks) - 1),
                *(self._e, now.images[-1], now.images[-1], self._gradients, w, z, *[self._numbers] * len(STATE[2:])),
            ),
        ]
        self._moving = self._call(own.MOVE, (shape.n_weights,), w, z)

    def _forget_trace(self) -> None:
        CompiledAgent.start_episode(self)

    def _action_values(self) -> np.ndarray:
        return CompiledAgent._outputs(self)[1:]

    def _add_to_trace(self) -> float:
        values = self._action_values()  # at other weights than those that chose the action
        self._by_logits[0] = 0.0
        self._by_logits[0, self.action] = 1.0
        _run(self._to_trace)
        return float(values[self.action])

    def _move(self, delta: float, following: int | None) -> None:
        self._numbers[layout.DELTA] = delta
        self._moving()

    def state(self) -> dict[str, np.ndarray]:
        return {**super().state(), **self._saved()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        self._take_back(state)
