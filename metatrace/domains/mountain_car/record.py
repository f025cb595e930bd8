"""From a training to a run file's contents."""

from dataclasses import dataclass

from metatrace import numbers
from metatrace.domains import readings
from metatrace.domains.mountain_car.readings import QUESTIONS
from metatrace.domains.mountain_car.settings import BETA_GROUPS, Settings, Training
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run


@dataclass(frozen=True)
class Code:
    """The code that trains: which agent, its fingerprint, and the modules and versions that entered it."""

    agent: str
    fingerprint: str
    modules: dict[str, str]
    packages: dict[str, str]


def settings_of(identity: RunKey, episodes: int, chosen_readings: dict[str, str]) -> Settings:
    """The settings of a run tuple, its number tokens read."""
    return Settings(
        method=identity.method,
        alpha=numbers.parse(identity.alpha, "alpha"),
        mu=numbers.parse(identity.mu, "mu", zero=True),
        drifting=identity.environment == "drifting_mountain_car",
        drift=numbers.parse(identity.drift, "drift", zero=True),
        seed=identity.seed,
        episodes=episodes,
        readings=readings.complete(QUESTIONS[identity.environment], chosen_readings, "reading"),
    )


def run_of(identity: RunKey, settings: Settings, training: Training, code: Code) -> Run:
    """What the run file of a training holds. Nothing in it depends on when or where it ran."""
    return Run(
        identity,
        returns=training.returns,
        lengths=training.lengths,
        beta=training.beta,
        diverged_episode=training.diverged_episode,
        meta={
            "agent": code.agent,
            "code": code.fingerprint,
            "modules": code.modules,
            "packages": code.packages,
            "episodes": settings.episodes,
            **({} if training.beta is None else {"beta_groups": list(BETA_GROUPS)}),
            "gamma": settings.gamma,
            "lam": settings.lam,
            "readings": dict(settings.readings),
        },
    )
