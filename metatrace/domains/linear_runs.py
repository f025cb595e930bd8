"""What runs of the linear agent share: settings, the plain agent, and what a run file holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metatrace import numbers
from metatrace.agents import linear
from metatrace.domains.protocol import Request
from metatrace.runs.results import Run

GAMMA, LAM = 0.99, 0.8


@dataclass(frozen=True)
class Settings:
    """One run of a linear agent; α and μ are values here, not tokens."""

    method: str
    alpha: float
    mu: float
    seed: int
    episodes: int
    readings: Mapping[str, str] = field(default_factory=dict)
    hyper: Mapping[str, str] = field(default_factory=dict)

    @property
    def log_constant(self) -> float:
        """c of log(π + c), reading R12."""
        return 1e-8 if self.readings["log_policy"] == "plus_1e-8" else 0.0

    @property
    def bootstraps_time_limit(self) -> bool:
        """Reading R1."""
        return self.readings["time_limit"] == "bootstrap"

    @property
    def cuts_terminal_trace(self) -> bool:
        """Reading R8."""
        return self.readings["terminal_trace"] == "cut"


def settings_of(request: Request, make: Callable[..., Any] = Settings, **more: Any) -> Any:
    """The settings of a request, its number tokens read; `more` are those of the environment's own class `make`."""
    return make(
        method=request.key.method,
        alpha=numbers.parse(request.key.alpha, "alpha"),
        mu=numbers.parse(request.key.mu, "mu", zero=True),
        seed=request.key.seed,
        episodes=request.length,
        readings=request.readings,
        hyper=request.hyper,
        **more,
    )


def make_tuner_of(settings: Settings, n_weights: int) -> Any:
    """The tuner of a run, for the plain agents."""
    from metatrace.tuning import make_tuner, readings_of  # which compiled runs have no use for

    return make_tuner(
        settings.method,
        n_weights,
        alpha=settings.alpha,
        mu=settings.mu,
        gamma=GAMMA,
        lam=LAM,
        hyper=settings.hyper,
        **readings_of(settings.method, settings.readings),
    )


def make_agent(settings: Settings, n_actions: int, n_features: int, make: Callable[..., Any] = linear.Agent) -> Any:
    """The plain agent, of the class `make`."""
    tuner = make_tuner_of(settings, (1 + n_actions) * n_features)
    constants = {"log_constant": settings.log_constant, "cuts_terminal_trace": settings.cuts_terminal_trace}
    return make(n_actions, n_features, tuner, gamma=GAMMA, **constants)


def run_of(
    request: Request, training: linear.Training, agent: str, processor: str, beta_groups: Sequence[str] = ()
) -> Run:
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
            "episodes": request.length,
            **({} if training.beta is None else {"beta_groups": list(beta_groups)}),
            "gamma": GAMMA,
            "lam": LAM,
            "readings": dict(request.readings),
            **({"hyper": dict(request.hyper)} if request.hyper else {}),
        },
    )
