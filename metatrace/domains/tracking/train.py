"""Trains a linear learner on a tracking task."""

import numpy as np

from metatrace import numbers
from metatrace.compiled import object_code
from metatrace.domains.protocol import Progress, Request
from metatrace.domains.regression_runs import Record, learn_in_blocks, run_of, tuner_of
from metatrace.domains.tracking.task import TASKS, Examples
from metatrace.runs.results import LossRun
from metatrace.tuning.tuner import Tuner

BLOCK = 1000  # examples


class Learner:
    """Linear regression, an example at a time, written to be read: y = ⟨w|x⟩, δ = y* − y, w ← w + Δw.

    Attributes:
      w: (inputs,), 0 at the start. tuner: what makes Δw of x and δ.
    """

    def __init__(self, n_inputs: int, tuner: Tuner) -> None:
        self.w, self.tuner = np.zeros(n_inputs), tuner

    def learn(self, examples: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Learns from x, (count, inputs), and y*, (count,); returns δ of each before it learned from it, (count,)."""
        deltas = np.empty(len(examples[1]))
        for number, (x, target) in enumerate(zip(*examples, strict=True)):
            delta = target - np.dot(self.w, x)
            self.w = self.w + self.tuner.step(grad_U=x, grad_delta=-x, delta=delta, z=x)
            deltas[number] = delta
        return deltas


def train(request: Request, progress: Progress) -> LossRun:
    """Makes a run, by the method's compiled kernel if the request has one. The loss is δ²."""
    task, record = TASKS[request.key.environment], Record()
    scale = numbers.parse(request.readings.get("target_scale", "1"), "target_scale")
    hidden = request.readings.get("irrelevant_inputs") == "hidden"
    examples = Examples(task, request.key.seed, scale=scale, hidden=hidden)
    tuner = tuner_of(request, task.n_inputs)
    learner = Learner(task.n_inputs, tuner)
    if request.kernel is not None:
        from metatrace.domains.tracking import compiled

        learner = compiled.CompiledLearner(task.n_inputs, request.key.method, tuner, compiled.load(request.kernel))
    log_alpha = np.full(task.n_inputs, np.nan)

    def after_block(count: int) -> None:
        log_alpha[:] = np.nan if record.diverged is not None else tuner.log_step_sizes()
        record.beta.append((log_alpha[: task.n_first].mean(), log_alpha[task.n_first :].mean()))
        progress(count)

    learn_in_blocks(record, request.length, BLOCK, examples.draw, learner.learn, after_block)
    record.step_sizes = np.exp(log_alpha)
    first, second = task.groups
    groups = {first: (0, task.n_first), second: (task.n_first, task.n_inputs)}
    agent, processor = ("plain", object_code.this_processor())
    if request.kernel is not None:
        agent, processor = ("compiled", object_code.processor())
    return run_of(request, record, agent, processor, BLOCK, groups)
