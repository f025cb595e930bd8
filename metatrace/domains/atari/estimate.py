"""How long a run takes on this machine, from a short trial of it."""

import time
from collections.abc import Callable

from metatrace.domains import readings
from metatrace.domains.atari.readings import QUESTIONS
from metatrace.domains.atari.settings import Settings
from metatrace.domains.atari.train import Trainer, one_thread

_WARM_UP, _FRAMES = 20, 80  # the first frames make buffers and fill caches
_GAME = "seaquest"  # with all 18 actions, the largest policy


def frame_time(method: str, kernel: Callable[..., None] | None, device: str) -> float:
    """Seconds an observed frame of a game takes with a method: the mean over a few, all of it included.

    Of processor time, where that is what it takes: other work on the machine now is not there for the months
    of a run.

    Args:
      kernel: the compiled passes, as `Trainer` takes them.
      device: auto, cpu or cuda.
    """
    one_thread()
    answers = readings.complete(QUESTIONS[_GAME], {}, "readings")
    settings = Settings(_GAME, method, 2.0**-10, 0.001, 0, _WARM_UP + _FRAMES, answers, device)
    trainer = Trainer(settings, kernel)
    clock = time.perf_counter if trainer.agent.update.w.is_cuda else time.process_time
    for _ in range(_WARM_UP):
        trainer.step()
    start = clock()
    for _ in range(_FRAMES):
        trainer.step()
    return (clock() - start) / _FRAMES
