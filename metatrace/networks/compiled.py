"""The agent by the compiled passes of `step_kernel`, on one processor core: `plain`'s, which tests hold it to.

A convolution is a matrix product over patches, by numpy. All arrays are made once, so that what a step does is a list
of calls which is made once as well.
"""

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from metatrace.compiled import object_code
from metatrace.networks import kernel_layout as layout
from metatrace.networks.agent import NetworkAgent
from metatrace.networks.kernel_layout import N
from metatrace.networks.shape import NetworkShape
from metatrace.tuning import Tuner

Kernel = Callable[..., None]
Call = Callable[[], object]
# Of each weight, in the order of the kernel's arguments; α stands for the tuner's β
_ARRAYS = ("w", "z", "h", "h_hat", "z_beta", "v", "alpha")


def load(path: Path) -> Kernel:
    """Loads the compiled passes: a function of `step_kernel.entry`'s integers and addresses.

    Raises:
      UserError: the file is missing, damaged or another kernel's.
    """
    return object_code.load(path, "step_kernel", integers=layout.N_INTEGERS, pointers=layout.N_POINTERS)


class _Pass:
    """What a pass over one state leaves, as `step_kernel` names it: of each convolution, and of the layers above."""

    def __init__(self, shape: NetworkShape) -> None:
        self.images = [zeros(side, side, channels) for channels, side in shape.images[1:]]
        self.slopes = [np.zeros_like(image) for image in self.images]
        self.patches = [
            zeros(*image.shape[:2], size, size, channels)
            for image, (_, size, _), (channels, _) in zip(self.images, shape.convolutions, shape.images, strict=False)
        ]
        self.hidden, self.slope, self.outputs = zeros(shape.hidden), zeros(shape.hidden), zeros(1 + shape.n_actions)


class CompiledAgent(NetworkAgent):
    """The agent at a network's shape.

    Args:
      weights: (n,), float32, at the start.
      method: a key of `METHOD_CODES`; tuner: one of that method, for its settings alone, so of any number of weights.
      kernel: of `load`.

    Attributes:
      arrays: what is kept of each weight, by name: w, z, and those of the tuner's arrays that are as long, α for β.
    """

    def __init__(
        self, shape: NetworkShape, weights: np.ndarray, method: str, tuner: Tuner, kernel: Kernel, *, gamma: float
    ) -> None:
        self.shape, self.tuner, self.gamma, self._kernel = shape, tuner, gamma, kernel
        made = dict(zip(_ARRAYS, apart(len(_ARRAYS), shape.n_weights), strict=True))
        made["w"][:] = weights
        made["alpha"][:] = np.exp(getattr(tuner, "beta", 0.0))
        long = {name for name, value in vars(tuner).items() if np.ndim(value)}
        kept = {"w", "z", *long, *(["alpha"] if "beta" in long else [])}
        self.arrays = {name: array for name, array in made.items() if name in kept}
        self._weights = shape.views(made["w"])

        self._alive: list[np.ndarray] = []
        self._numbers = np.zeros(layout.N_NUMBERS)
        self._numbers[: layout.DIVIDES_OVERSHOOT + 1] = (
            *(tuner.gamma_lambda, tuner.mu, tuner.psi),
            *(getattr(tuner, name, 0.0) for name in ("u_rate", "divides_overshoot")),
        )
        self._numbers[layout.BETA] = tuner.beta_0
        # The layers but for the dense one, where they begin and how many weights they have, those above it as one.
        above = shape.first["dense_bias"]
        blocks = [(first, self._weights[name].size) for name, first in shape.first.items() if first < above]
        dense = blocks.pop()
        self._blocks = np.array([*blocks, (above, shape.n_weights - above), dense])
        # A block's gradients are (4, its size) from four times its beginning on; the dense layer's place is not used.
        self._gradients = zeros(4 * shape.n_weights)
        self._e, self._by_logits = zeros(4, shape.hidden), zeros(2, shape.n_actions)
        self._frames, *self._x = (zeros(side, side, channels) for channels, side in shape.images)
        rows = 4 if tuner.uses_grad_delta else 2
        # What went back to each layer's output, and, through its slopes, to what comes out of its kernels
        self._arrived = [zeros(4, side, side, channels) for channels, side in shape.images]
        self._back = [zeros(side, side, rows, channels) for channels, side in shape.images]

        passes = _Pass(shape), _Pass(shape)
        self._passes = deque(passes)  # over S_t, and over S_{t+1}
        self._looking = {one: partial(np.copyto, one.patches[0], self._windows(0, self._frames)) for one in passes}
        self._convolving = {one: self._convolve(one) for one in passes}
        top = made["w"][dense[0] :]
        sizes = shape.hidden, shape.flat, shape.n_actions
        self._acting = {
            one: self._call(layout.FORWARD, sizes, top, one.images[-1], one.hidden, one.slope, one.outputs)
            for one in passes
        }
        self._learning = {
            now: [
                self._call(
                    layout.BACKWARD,
                    (*sizes, tuner.uses_grad_delta),
                    *(top, after.images[-1], now.hidden, now.slope, now.outputs),
                    *(after.hidden, self._by_logits, self._e, self._arrived[-1], self._gradients[4 * above :]),
                ),
                *self._convolve_back(now, after),
                self._call(
                    layout.METHOD_CODES[method],
                    (shape.hidden, shape.flat, len(blocks) + 1),
                    *(self._e, now.images[-1], after.images[-1], self._gradients, *made.values()),
                ),
            ]
            for now, after in (passes, passes[::-1])
        }
        self._call(layout.FLUSH, ())()

    def start_episode(self) -> None:
        lives_on = getattr(self.tuner, "h_lifetime", "run") == "run"
        forgotten = ("z", "z_beta") if lives_on else ("z", "z_beta", "h", "h_hat")
        for name in self.arrays.keys() & forgotten:
            self.arrays[name][:] = 0.0
        self._numbers[[layout.Z_BETA, layout.U_MAXIMUM]] = 0.0

    def see(self, observation: np.ndarray) -> None:
        self._look(self._passes[0], observation)

    def _outputs(self) -> np.ndarray:
        now = self._passes[0]
        _run(self._convolving[now])
        self._acting[now]()
        return now.outputs

    def learn(self, reward: float, next_observation: np.ndarray, terminal: bool) -> float:
        now, after = self._passes
        self._look(after, next_observation)
        if not terminal:
            _run(self._convolving[after])
        self._numbers[[layout.REWARD, layout.GAMMA]] = reward, 0.0 if terminal else self.gamma
        # ½ (1{a = action} − π_a) and −π_a (log π_a + H); less one log π, that is exactly 0 for a uniform policy
        pi, log_pi = np.array((self.pi, self.log_pi))
        above_first = log_pi - log_pi[0]
        self._by_logits[:] = -0.5 * pi, pi * (pi @ above_first - above_first)
        self._by_logits[0, self.action] = 0.5 * (1 - pi[self.action])
        _run(self._learning[now])
        self._passes.rotate()
        return float(self._numbers[layout.DELTA])

    def state(self) -> dict[str, np.ndarray]:
        return {**self.arrays, "numbers": self._numbers}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        for name, array in self.state().items():
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has another shape")
            array[:] = state[name]

    def _look(self, into: _Pass, observation: np.ndarray) -> None:
        np.multiply(np.moveaxis(observation, 0, 2), np.float32(self.shape.scale), out=self._frames)
        self._looking[into]()

    def _call(self, what: int, sizes: tuple[int, ...], *arrays: np.ndarray) -> Call:
        """A call of the kernel. It gets addresses: the agent keeps the arrays alive."""
        self._alive += arrays
        idle = self._numbers.ctypes.data  # in the place of what the operation has no use for
        numbers = [*sizes, *[0] * (layout.N_INTEGERS - 1 - len(sizes)), self._blocks.ctypes.data, idle]
        addresses = [array.ctypes.data for array in arrays]
        return partial(self._kernel, what, *numbers, *addresses, *[idle] * (layout.N_POINTERS - 2 - len(addresses)))

    def _windows(self, number: int, image: np.ndarray) -> np.ndarray:
        """The patches of an image that a convolution looks at, (across, across, size, size, channels); no copy."""
        _, size, stride = self.shape.convolutions[number]
        windows = np.lib.stride_tricks.sliding_window_view(image, (size, size), axis=(0, 1))
        return np.moveaxis(windows[::stride, ::stride], 2, 4)

    def _convolve(self, one: _Pass) -> list[Call]:
        """Through the convolutions, from the patches of the first."""
        calls: list[Call] = []
        for number, (x, image, slope) in enumerate(zip(self._x, one.images, one.slopes, strict=True)):
            weights, bias = (self._weights[f"conv_{number + 1}{part}"] for part in ("", "_bias"))
            patches, places = one.patches[number], image[..., 0].size
            if number > 0:
                calls.append(partial(np.copyto, patches, self._windows(number, one.images[number - 1])))
            calls.append(
                partial(np.matmul, patches.reshape(places, -1), weights.T, out=x.reshape(places, -1)),
            )
            calls.append(self._call(layout.SILU, (places, len(bias)), x, bias, image, slope))
        return calls

    def _convolve_back(self, now: _Pass, after: _Pass) -> list[Call]:
        """Back through the convolutions; all rows of S_t are one matrix, that of S_{t+1} another."""
        calls: list[Call] = []
        for number in reversed(range(len(now.patches))):
            arrived, back = self._arrived[number + 1], self._back[number + 1]
            weights, first = self._weights[f"conv_{number + 1}"], self.shape.first[f"conv_{number + 1}"]
            across, _, rows, filters = back.shape
            places = across**2
            of_bias = self._gradients[4 * self.shape.first[f"conv_{number + 1}_bias"] :]
            slopes = now.slopes[number], after.slopes[number]
            calls.append(self._call(layout.BACK_SILU, (places, filters, rows), arrived, *slopes, back, of_bias))
            flat, of_now = back.reshape(places, -1).T, min(rows, N) * filters
            gradients = self._gradients[4 * first : 4 * (first + weights.size)].reshape(4 * filters, -1)
            patches, next_patches = (one.patches[number].reshape(places, -1) for one in (now, after))
            calls.append(partial(np.matmul, flat[:of_now], patches, out=gradients[:of_now]))
            if rows > N:
                calls.append(partial(np.matmul, flat[of_now:], next_patches, out=gradients[of_now:]))
            if number > 0:
                channels, side = self.shape.images[number]
                _, size, stride = self.shape.convolutions[number]
                made = zeros(places * rows, weights.shape[1])
                calls.append(partial(np.matmul, back.reshape(places * rows, filters), weights, out=made))
                calls.append(self._call(layout.FOLD, (channels, side, size, stride, rows), made, self._arrived[number]))
        return calls


def _run(calls: list[Call]) -> None:
    for call in calls:
        call()


def zeros(*shape: int) -> np.ndarray:
    """Zeros in float32."""
    return np.zeros(shape, np.float32)


def apart(count: int, n: int) -> list[np.ndarray]:
    """`count` arrays of n zeros, float32, in one piece of memory, for which numpy asks the system for huge pages.

    Each starts at another place within its page of 4 KiB than the one before: a processor takes a read for one that
    waits for an earlier write, to another array, if both are at the same place.
    """
    stride = -(-n // 1024) * 1024 + 128
    return list(zeros(count, stride)[:, :n])
