"""From a training to a run file's contents."""

from dataclasses import dataclass

from metatrace import numbers
from metatrace.domains import readings
from metatrace.domains.atari.readings import QUESTIONS
from metatrace.domains.atari.settings import Settings, Training
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run


@dataclass(frozen=True)
class Code:
    """The code that trains: its fingerprint, the modules and versions that entered it, and where it ran."""

    fingerprint: str
    modules: dict[str, str]
    packages: dict[str, str]
    device: str


def settings_of(identity: RunKey, frames: int, chosen_readings: dict[str, str], device: str = "auto") -> Settings:
    """The settings of a run tuple, its number tokens read."""
    return Settings(
        environment=identity.environment,
        method=identity.method,
        alpha=numbers.parse(identity.alpha, "alpha"),
        mu=numbers.parse(identity.mu, "mu", zero=True),
        seed=identity.seed,
        frames=frames,
        readings=readings.complete(QUESTIONS[identity.environment], chosen_readings, "reading"),
        device=device,
    )


def run_of(identity: RunKey, settings: Settings, training: Training, code: Code) -> Run:
    """What the run file of a training holds. Nothing in it depends on when it ran, or was cut."""
    episodes = training.arrays()
    return Run(
        identity,
        returns=episodes["returns"],
        lengths=episodes["lengths"],
        frames=episodes["ends"],
        entropy=episodes["entropies"],
        diverged_episode=len(training.returns) if training.diverged else None,
        meta={
            "code": code.fingerprint,
            "modules": code.modules,
            "packages": code.packages,
            "device": code.device,
            "observed_frames": settings.frames,
            **({"diverged_frame": int(training.frames)} if training.diverged else {}),
            "gamma": settings.gamma,
            "lam": settings.lam,
            "psi": settings.psi,
            "readings": dict(settings.readings),
        },
    )
