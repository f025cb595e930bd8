"""What a prediction needs to know, and where its training begins."""

import dataclasses

from metatrace import numbers
from metatrace.agents.prediction import Training
from metatrace.domains import linear_runs, readings
from metatrace.domains.mountain_car.readings import MOUNTAIN_CAR
from metatrace.domains.mountain_car.settings import Settings
from metatrace.domains.protocol import Request
from metatrace.runs.results import LossRun

# What `Training.step_sizes` holds the mean α of. "Visited" tiles have been active at least once.
_TILES, _NOISE = "tiles/visited", "noise"


def groups(settings: Settings) -> tuple[str, ...]:
    """The groups of weights that there are."""
    return (_TILES, _NOISE) if settings.drifting else (_TILES,)


def settings_of(request: Request) -> Settings:
    """The settings of a request. Mountain car's readings that a prediction does not ask have their defaults."""
    answers = readings.complete(MOUNTAIN_CAR, {}, "readings") | dict(request.readings)
    settings: Settings = linear_runs.settings_of(
        dataclasses.replace(request, readings=answers),
        Settings,
        drifting=request.key.environment == "drifting_prediction",
        drift=numbers.parse(request.key.drift, "drift", zero=True),
    )
    return settings


def empty_training(settings: Settings) -> Training:
    """Where a training begins."""
    return Training.empty(settings.episodes, settings.n_features, len(groups(settings)))


def run_of(request: Request, training: Training, agent: str, processor: str) -> LossRun:
    """What the run file of a training holds. Nothing in it depends on when it ran."""
    return LossRun(
        request.key,
        returns=training.returns,
        lengths=training.lengths,
        losses=training.losses,
        step_sizes=training.step_sizes,
        diverged_episode=training.diverged_episode,
        meta={
            "agent": agent,
            "processor": processor,
            "episodes": request.length,
            "step_size_groups": list(groups(settings_of(request))),
            "gamma": linear_runs.GAMMA,
            "lam": linear_runs.LAM,
            "readings": dict(request.readings),
            **({"hyper": dict(request.hyper)} if request.hyper else {}),
        },
    )
