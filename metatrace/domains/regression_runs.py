"""What runs of regression share: how losses are kept block by block, and what a run file holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metatrace import numbers
from metatrace.domains.protocol import Request
from metatrace.runs.results import LossRun
from metatrace.tuning import make_tuner, readings_of
from metatrace.tuning.tuner import Tuner

# A squared error above this overflows soon, if it has not: the learner has diverged.
MOST_SQUARED = 1e100


@dataclass
class Record:
    """What a run keeps of its training, a row per block of examples.

    Once a learner has diverged it predicts 0, from the start of that block on, and its step-sizes are NaN.

    Attributes:
      losses: the mean loss of each block. beta: the mean log step-size of each group of weights at each block's end.
      changes: ‖Δw‖² of each layer over each of some larger blocks, where the domain keeps it.
      step_sizes: of each weight at the end. diverged: the index of the block in which the learner diverged.
    """

    losses: list[float] = field(default_factory=list)
    beta: list[Sequence[float]] = field(default_factory=list)
    changes: list[Sequence[float]] = field(default_factory=list)
    step_sizes: np.ndarray | None = None
    diverged: int | None = None


def tuner_of(request: Request, n_weights: int) -> Tuner:
    """The method's tuner for supervised learning: γ = λ = 0, and z is the gradient itself."""
    key = request.key
    return make_tuner(
        key.method,
        n_weights,
        alpha=numbers.parse(key.alpha, "alpha"),
        mu=numbers.parse(key.mu, "mu", zero=True),
        gamma=0.0,
        lam=0.0,
        hyper=request.hyper,
        **readings_of(key.method, request.readings),
    )


def blocks(length: int, block: int) -> list[int]:
    """How many examples each block has; the last may have fewer."""
    return [min(block, length - first) for first in range(0, length, block)]


def learn_in_blocks(
    record: Record,
    length: int,
    block: int,
    draw: Callable[[int], Any],
    learn: Callable[[Any], np.ndarray],
    after_block: Callable[[int], None],
    *,
    factor: float = 1.0,
) -> None:
    """Learns block by block, and keeps the losses, `factor` · δ².

    Args:
      draw: of a number of examples to these, the targets last: (…, (count,)).
      learn: learns from examples one by one, and returns δ of each before it did, (count,).
      after_block: is told after each block how many examples it had.
    """
    for number, count in enumerate(blocks(length, block)):
        examples = draw(count)
        squared = np.full(count, np.inf)
        if record.diverged is None:
            with np.errstate(all="ignore"):
                squared = learn(examples) ** 2
        if not (squared < MOST_SQUARED).all():
            record.diverged = number if record.diverged is None else record.diverged
            squared = examples[-1] ** 2
        record.losses.append(factor * float(squared.mean()))
        after_block(count)


def run_of(
    request: Request,
    record: Record,
    agent: str,
    processor: str,
    block: int,
    groups: Mapping[str, tuple[int, int]],
    **meta: Any,
) -> LossRun:
    """What the run file of a training holds. Nothing in it depends on when it ran.

    Args:
      groups: those of `record.beta`, and the places of each in `record.step_sizes`: first, and one after the last.
    """
    return LossRun(
        request.key,
        returns=np.empty(0),
        lengths=np.empty(0, np.int64),
        beta=np.array(record.beta),
        losses=np.array(record.losses),
        step_sizes=record.step_sizes,
        changes=np.array(record.changes) if record.changes else None,
        diverged_episode=record.diverged,
        meta={
            "agent": agent,
            "processor": processor,
            "examples": request.length,
            "block": block,
            "beta_groups": list(groups),
            "step_size_groups": {name: list(places) for name, places in groups.items()},
            "readings": dict(request.readings),
            **({"hyper": dict(request.hyper)} if request.hyper else {}),
            **meta,
        },
    )
