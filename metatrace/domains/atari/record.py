"""From a request to a training's settings, and from a training to a run file's contents."""

from metatrace import numbers
from metatrace.domains.atari.settings import Settings, Training
from metatrace.domains.protocol import Request
from metatrace.runs.results import Run


def settings_of(request: Request) -> Settings:
    """The settings of a request, its number tokens read."""
    return Settings(
        environment=request.key.environment,
        method=request.key.method,
        alpha=numbers.parse(request.key.alpha, "alpha"),
        mu=numbers.parse(request.key.mu, "mu", zero=True),
        seed=request.key.seed,
        frames=request.length,
        readings=request.readings,
        hyper=request.hyper,
        device=request.device,
    )


def run_of(request: Request, settings: Settings, training: Training, device: str, processor: str) -> Run:
    """What the run file of a training holds. Nothing in it depends on when it ran, or whether it was cut."""
    episodes = training.arrays()
    return Run(
        request.key,
        returns=episodes["returns"],
        lengths=episodes["lengths"],
        frames=episodes["ends"],
        entropy=episodes["entropies"],
        diverged_episode=len(training.returns) if training.diverged else None,
        meta={
            "device": device,
            "processor": processor,
            "observed_frames": settings.frames,
            **({"diverged_frame": int(training.frames)} if training.diverged else {}),
            "gamma": settings.gamma,
            "lam": settings.lam,
            "psi": settings.psi,
            "readings": dict(settings.readings),
            **({"hyper": dict(settings.hyper)} if settings.hyper else {}),
        },
    )
