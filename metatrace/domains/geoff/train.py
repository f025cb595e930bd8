"""Trains a network of one hidden layer on GEOFF."""

import numpy as np

from metatrace.compiled import object_code
from metatrace.domains.geoff.task import EXAMPLES_PER_TASK, N_INPUTS, Examples
from metatrace.domains.protocol import Progress, Request
from metatrace.domains.regression_runs import Record, learn_in_blocks, run_of, tuner_of
from metatrace.runs.results import LossRun
from metatrace.tuning.tuner import Tuner

BLOCK = 250  # examples; whole blocks make a task
N_UNITS = 500  # without the constant one
LAYERS = {"U": (0, 1), "W": (1, 2)}  # and the place of its mean step-size


def first_weights(seed: int, n_units: int = N_UNITS, n_inputs: int = N_INPUTS) -> np.ndarray:
    """The weights at the start, (units + 1, inputs + 1): N(0, 1), by the seed's stream for the learner."""
    _, learner = np.random.SeedSequence(seed).spawn(2)
    return np.random.default_rng(learner).standard_normal((n_units + 1, n_inputs + 1))


class Learner:
    """A network of one hidden layer, written to be read: φ_j = tanh(Σ_i U_ij x_i), y = Σ_j W_j φ_j, δ = y* − y.

    Attributes:
      w: (units + 1, inputs + 1): all U_ij in row j, and last W_j. The last unit is always 1, and its U without use.
      tuner: what makes Δw of δ and of what each weight does to y (`grad_U`); or, crossprop, to its own unit (`z`).
    """

    def __init__(self, w: np.ndarray, method: str, tuner: Tuner) -> None:
        self.w, self.tuner, self._crosses = w, tuner, method == "crossprop"

    def learn(self, examples: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Learns from x, (count, inputs), and y*, (count,); returns δ of each before it learned from it, (count,)."""
        deltas = np.empty(len(examples[1]))
        for number, (x, target) in enumerate(zip(*examples, strict=True)):
            U, W = self.w[:, :-1], self.w[:, -1]
            phi = np.tanh(U @ x)
            phi[-1] = 1
            delta = target - W @ phi
            on_unit = np.outer(1 - phi**2, x)
            grad_y = np.column_stack([W[:, None] * on_unit, phi])
            z = np.column_stack([on_unit, phi]) if self._crosses else grad_y
            self.w = self.w + self.tuner.step(grad_U=grad_y, grad_delta=-grad_y, delta=delta, z=z)
            deltas[number] = delta
        return deltas


def train(request: Request, progress: Progress) -> LossRun:
    """Makes a run, by the method's compiled kernel if the request has one. The loss is ½δ²."""
    record, examples, w = Record(), Examples(request.key.seed), first_weights(request.key.seed)
    tuner = tuner_of(request, w.size)
    learner = Learner(w, request.key.method, tuner)
    if request.kernel is not None:
        from metatrace.domains.geoff import compiled

        learner = compiled.CompiledLearner(w, request.key.method, tuner, compiled.load(request.kernel))
    before, log_alpha = w.copy(), np.full(2, np.nan)

    def after_block(count: int) -> None:
        nonlocal before
        sizes = np.broadcast_to(np.nan if record.diverged is not None else tuner.log_step_sizes(), w.shape)
        log_alpha[:] = sizes[:-1, :-1].mean(), sizes[:, -1].mean()
        record.beta.append(tuple(log_alpha))
        if examples.seen % EXAMPLES_PER_TASK == 0 or examples.seen == request.length:
            change = (learner.w - before) ** 2
            record.changes.append((change[:, :-1].sum(), change[:, -1].sum()))
            before = learner.w.copy()
        progress(count)

    learn_in_blocks(record, request.length, BLOCK, examples.draw, learner.learn, after_block, factor=0.5)
    record.step_sizes = np.exp(log_alpha)
    agent, processor = ("plain", object_code.this_processor())
    if request.kernel is not None:
        agent, processor = ("compiled", object_code.processor())
    more = {"layers": list(LAYERS), "changes_block": EXAMPLES_PER_TASK}
    return run_of(request, record, agent, processor, BLOCK, LAYERS, **more)
