"""From a method's name to its tuner."""

import math
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from metatrace.errors import UserError
from metatrace.methods import METHODS, complete_hyper
from metatrace.numbers import parse, print_token
from metatrace.tuning.tuner import Tuner


def make_tuner(
    method: str,
    n_weights: int,
    *,
    alpha: float,
    mu: float | None = None,
    gamma: float = 0.99,
    lam: float = 0.8,
    psi: float = 0.0,
    hyper: Mapping[str, str | float] | None = None,
    **readings: str,
) -> Tuner:
    """A fresh tuner.

    Args:
      method: a name in `METHODS`.
      n_weights: how many weights the agent has.
      alpha: α₀ > 0, the initial step-size.
      mu: μ ≥ 0, the meta-step-size; needed by every method that has one.
      gamma, lam: γ and λ of AC(λ), each in [0, 1].
      psi: ψ ≥ 0, the weight of the entropy term; 0 for none.
      hyper: further hyper-parameters of the method, numbers or number tokens; the published defaults for the others.
      readings: such as `h_lifetime="episode"`; the `readings` of the method's tuner list keywords and answers.

    Raises:
      ValueError: an unknown method, hyper-parameter or reading, or a setting out of range; the message names it.
    """
    make = tuner_class(method)
    if not METHODS[method].has_mu:
        mu = 0.0
    if mu is None:
        raise ValueError(f"tuning method {method!r} needs mu, its meta-step-size")
    if n_weights < 1:
        raise ValueError(f"n_weights is {n_weights}; it must be at least 1")
    if not (math.isfinite(alpha) and alpha > 0):
        raise ValueError(f"alpha is {alpha}; it must be finite and above 0")
    for name, value, most in (("mu", mu, math.inf), ("psi", psi, math.inf), ("gamma", gamma, 1), ("lam", lam, 1)):
        if not (math.isfinite(value) and 0 <= value <= most):
            raise ValueError(f"{name} is {value}; it must be finite and from 0 {'up' if most > 1 else 'to 1'}")
    answers = dict(make.readings.values())
    for name, answer in readings.items():
        if name not in answers:
            known = ", ".join(answers) or "none"
            raise ValueError(f"{name}: method {method} has no such reading; its readings are {known}")
        if answer not in answers[name]:
            raise ValueError(f"{name} is {answer!r}; it must be one of {', '.join(answers[name])}")
    further = {**METHODS[method].options, **_values(method, hyper or {}), **readings}
    return make(n_weights, alpha=alpha, mu=mu, gamma=gamma, lam=lam, psi=psi, **further)


def tuner_class(method: str) -> type[Tuner]:
    """The class of a method's tuner, imported now.

    Raises:
      ValueError: an unknown method.
    """
    if method not in METHODS:
        raise ValueError(f"unknown tuning method {method!r}; it must be one of {', '.join(METHODS)}")
    module, _, name = METHODS[method].tuner.partition(":")
    made: type[Tuner] = getattr(import_module(module), name)
    return made


def readings_of(method: str, answers: Mapping[str, str]) -> dict[str, Any]:
    """Of the answers to an environment's readings those that concern a method, as `make_tuner` takes them."""
    taken = tuner_class(method).readings
    return {argument: answers[key] for key, (argument, _) in taken.items() if key in answers}


def _values(method: str, chosen: Mapping[str, str | float]) -> dict[str, float]:
    """The values of all further hyper-parameters of a method."""
    tokens = {}
    for name, value in chosen.items():
        if not isinstance(value, str) and not (math.isfinite(value) and value >= 0):
            raise ValueError(f"hyper.{name} is {value}; it must be finite and from 0 up")
        tokens[name] = value if isinstance(value, str) else print_token(value)
    try:
        complete = complete_hyper(method, tokens, "hyper")
    except UserError as error:
        raise ValueError(str(error)) from None
    return {name: parse(token, name, zero=True) for name, token in complete.items()}
