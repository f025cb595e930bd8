"""From a request to a training's settings, and from a training to a run file's contents."""

from metatrace import numbers
from metatrace.domains.mountain_car.settings import BETA_GROUPS, Settings, Training
from metatrace.domains.protocol import Request
from metatrace.runs.results import Run


def settings_of(request: Request) -> Settings:
    """The settings of a request, its number tokens read."""
    return Settings(
        method=request.key.method,
        alpha=numbers.parse(request.key.alpha, "alpha"),
        mu=numbers.parse(request.key.mu, "mu", zero=True),
        drifting=request.key.environment == "drifting_mountain_car",
        drift=numbers.parse(request.key.drift, "drift", zero=True),
        seed=request.key.seed,
        episodes=request.length,
        readings=request.readings,
        hyper=request.hyper,
    )


def run_of(request: Request, settings: Settings, training: Training, agent: str, processor: str) -> Run:
    """What the run file of a training holds. Nothing in it depends on when it ran."""
    return Run(
        request.key,
        returns=training.returns,
        lengths=training.lengths,
        beta=training.beta,
        diverged_episode=training.diverged_episode,
        meta={
            "agent": agent,
            "processor": processor,
            "episodes": settings.episodes,
            **({} if training.beta is None else {"beta_groups": list(BETA_GROUPS)}),
            "gamma": settings.gamma,
            "lam": settings.lam,
            "readings": dict(settings.readings),
            **({"hyper": dict(settings.hyper)} if settings.hyper else {}),
        },
    )
