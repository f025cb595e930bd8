"""From the model of a config to its figures: what the keys mean together.

Keys in error messages start at the config's top; `loading` adds the file.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from metatrace import numbers
from metatrace.config.experiments import Experiments
from metatrace.config.figure import OWN_READINGS, BestAlphas, Figure
from metatrace.config.models import Config
from metatrace.domains import readings
from metatrace.domains.registry import ENVIRONMENTS, READINGS, domain_of
from metatrace.errors import UserError
from metatrace.figures.kinds.compared import Compared
from metatrace.figures.kinds.entry import OwnRuns
from metatrace.figures.kinds.games import Choice
from metatrace.figures.kinds.registry import DEFAULT_KIND, KINDS
from metatrace.methods import METHODS, UNTUNED, complete_hyper
from metatrace.runs.key import NO_DRIFT, NO_MU, RunKey

_NONE = "(there is none)"


def resolve_config(config: Config, content: dict[str, Any]) -> Experiments:
    """A config with its figures resolved; `content` is the config as written.

    Raises:
      UserError: the first thing that is wrong, with the key and what would be right.
    """
    chosen = readings.complete(READINGS, config.readings, "readings")
    # First the figures that name their α, then those whose α they choose, last those that compare others.
    entries = sorted(
        config.figures.items(),
        key=lambda item: (isinstance(item[1], Compared), isinstance(getattr(item[1], "alpha", None), Choice)),
    )
    figures: dict[str, Figure] = {}
    for name, entry in entries:
        key = f"figures.{name}"
        if isinstance(entry, Compared):
            figures[name] = _compared(name, entry, figures, key)
        else:
            figures[name] = _figure(name, entry, figures, chosen, key)
    figures = {name: figures[name] for name in config.figures}
    for figure in figures.values():
        _check_reference(figure, figures)
    _check_lengths(figures.values())
    statistics = config.statistics
    return Experiments(
        config.scale,
        config.device,
        chosen,
        statistics.final_episodes,
        statistics.spread_alpha_max,
        figures,
        content,
    )


def _shared(name: str, entry: Any) -> dict[str, Any]:
    """What a figure has from its entry as it stands there, whatever its kind."""
    return {
        "name": name,
        "section": entry.section,
        "title": entry.title,
        "kind": entry.kind,
        "assumptions": entry.assumptions,
    }


def _figure(name: str, entry: OwnRuns, others: Mapping[str, Figure], chosen: Mapping[str, str], key: str) -> Figure:
    """A figure with runs of its own.

    Args:
      others: the figures that can choose its α.
      chosen: the config's own readings.
    """
    shared = _shared(name, entry)
    kind = KINDS[shared["kind"]]
    _check_environments(entry, kind.unit, f"{key}.environment", f"a figure of kind {kind.name}")
    _check_methods(entry, key)
    best, alphas = None, entry.alpha
    if isinstance(alphas, Choice):
        best = BestAlphas(alphas.best, alphas.from_figure, alphas.method)
        alphas = list(_candidates(best, kind.name, others, f"{key}.alpha"))
    figure = Figure(
        **shared,
        environments=entry.environment,
        methods=entry.method,
        alphas=tuple(alphas),
        best=best,
        mus=tuple(entry.mu) or (NO_MU,),
        drifts=tuple(entry.drift) or (NO_DRIFT,),
        beta_mu=getattr(entry, "beta_mu", None),
        seeds=entry.seeds,
        length=getattr(entry, kind.unit),
        smoothing=entry.smoothing,
        reference=getattr(entry, "reference", "") or None,
        hyper=dict(entry.hyper),
        **_variant(entry, chosen, key),
    )
    kind.check(figure, key)
    _check_drift(entry, key)
    return figure


def _check_environments(entry: OwnRuns, unit: str, key: str, what: str) -> None:
    """Holds environments to those whose domain counts in the kind's unit."""
    for environment in entry.environment:
        if domain_of(environment).unit != unit:
            fitting = [name for name in ENVIRONMENTS if domain_of(name).unit == unit]
            raise UserError(f"{key}: is {environment}; {what} has one of {', '.join(fitting)}")


def _check_methods(entry: OwnRuns, key: str) -> None:
    """Holds methods to those that the environments' domains run, and μ to the methods that have one."""
    for environment in entry.environment:
        domain = domain_of(environment).name
        for method in entry.method:
            if domain not in METHODS[method].domains:
                fitting = [name for name, known in METHODS.items() if domain in known.domains]
                raise UserError(
                    f"{key}.method: {environment} does not run {method}; it must be one of {', '.join(fitting)}"
                )
    tuned = [method for method in entry.method if METHODS[method].has_mu]
    if not tuned and entry.mu:
        raise UserError(f"{key}.mu: method {', '.join(entry.method)} has no meta-step-size; leave mu out")
    if tuned and not entry.mu:
        raise UserError(f"{key}.mu: is missing; method {tuned[0]} needs a list of meta-step-sizes such as [2^-8]")


def _check_drift(entry: OwnRuns, key: str) -> None:
    drifting = [name for name, environment in ENVIRONMENTS.items() if environment.has_drift]
    for environment in entry.environment:
        if environment in drifting and not entry.drift:
            raise UserError(f'{key}.drift: is missing; {environment} needs a list of rates such as ["4e-6"]')
        if environment not in drifting and entry.drift:
            raise UserError(f"{key}.drift: {environment} has none; leave drift out, or use {', '.join(drifting)}")


def _candidates(best: BestAlphas, kind: str, others: Mapping[str, Figure], key: str) -> tuple[str, ...]:
    """The α that `best` chooses from."""
    fitting = [
        other.name
        for other in others.values()
        if other.kind == kind and other.best is None and len(other.environments) == 1
    ]
    if best.figure not in fitting:
        raise UserError(
            f"{key}.from_figure: {best.figure!r} is no figure of kind {kind} with one environment and α of its "
            f"own; it must be one of {', '.join(fitting) or _NONE}"
        )
    other = others[best.figure]
    if best.method not in other.methods:
        raise UserError(
            f"{key}.method: {best.figure} has no method {best.method}; it must be one of {', '.join(other.methods)}"
        )
    if best.count > len(other.alphas):
        raise UserError(
            f"{key}.best: is {best.count}, but {best.figure} has {len(other.alphas)} α; it must be no more than these"
        )
    return other.alphas


def _variant(entry: OwnRuns, chosen: Mapping[str, str], key: str) -> dict[str, Any]:
    """The readings in force for a figure, and the variant that its runs are of."""
    asked = dict.fromkeys(reading for name in entry.environment for reading in ENVIRONMENTS[name].readings)
    readings.complete(asked, entry.readings, f"{key}.readings")
    defaults: dict[str, set[str]] = {}
    for method in entry.method:
        known = {parameter.name: parameter.default for parameter in METHODS[method].hyper}
        complete_hyper(method, {k: v for k, v in entry.hyper.items() if k in known}, f"{key}.hyper")
        for parameter, default in known.items():
            defaults.setdefault(parameter, set()).add(default)
    for parameter in entry.hyper:
        if parameter not in defaults:
            raise UserError(
                f"{key}.hyper.{parameter}: no method of this figure has it; "
                f"it must be one of {', '.join(defaults) or _NONE}"
            )
    others = {reading: answer for reading, answer in entry.readings.items() if answer != chosen[reading]}
    others |= {name: value for name, value in entry.hyper.items() if defaults[name] != {value}}
    variant = "+".join(f"{name}~{others[name]}" for name in sorted(others))
    return {"readings": {**chosen, **entry.readings}, "variant": variant}


def _compared(name: str, entry: Compared, others: Mapping[str, Figure], key: str) -> Figure:
    """A figure that compares the methods of others, which are alike in all but methods, α and μ."""
    fitting = {
        other.name: other for other in others.values() if other.kind == DEFAULT_KIND and other.variant == OWN_READINGS
    }
    for position, member in enumerate(entry.members):
        if member not in fitting:
            raise UserError(
                f"{key}.members[{position}]: {member!r} is no figure of kind {DEFAULT_KIND} under the config's own "
                f"readings; it must be one of {', '.join(fitting) or _NONE}"
            )
    members = tuple(fitting[member] for member in entry.members)
    first = members[0]
    for other in members:
        for shared in ("environments", "drifts", "seeds", "length", "smoothing"):
            if getattr(other, shared) != getattr(first, shared):
                raise UserError(
                    f"{key}.members: {first.name} and {other.name} differ in {shared}; figures that are compared "
                    "must have the same environment, drift, seeds, episodes and smoothing"
                )
    figure = Figure(
        **_shared(name, entry),
        environments=first.environments,
        methods=tuple(dict.fromkeys(method for figure in members for method in figure.methods)),
        alphas=_downward(alpha for figure in members for alpha in figure.alphas),
        best=None,
        mus=_downward(mu for figure in members for mu in figure.mus if mu != NO_MU) or (NO_MU,),
        drifts=first.drifts,
        beta_mu=None,
        seeds=first.seeds,
        length=first.length,
        smoothing=first.smoothing,
        reference=None,
        readings=first.readings,
        hyper={},
        variant=OWN_READINGS,
        members=members,
    )
    KINDS[figure.kind].check(figure, key)
    return figure


def _downward(tokens: Iterable[str]) -> tuple[str, ...]:
    """The distinct tokens, the largest value first."""
    return tuple(sorted(set(tokens), key=lambda token: -numbers.parse(token, "token")))


def _check_reference(figure: Figure, figures: Mapping[str, Figure]) -> None:
    if figure.reference is None:
        return
    untuned = [
        other.name
        for other in figures.values()
        if other.methods == (UNTUNED,)
        and not other.members
        and (other.environments, other.drifts) == (figure.environments, figure.drifts)
    ]
    if figure.reference not in untuned:
        raise UserError(
            f"figures.{figure.name}.reference: {figure.reference!r} is no figure of untuned runs with this environment "
            f"and drift; it must be one of {', '.join(untuned) or _NONE}"
        )


def _check_lengths(figures: Iterable[Figure]) -> None:
    seen: dict[tuple[str, RunKey], Figure] = {}
    for figure in figures:
        unit = KINDS[figure.kind].unit
        for run in figure.runs():
            other = seen.setdefault((figure.variant, run), figure)
            if other.length != figure.length:
                raise UserError(
                    f"figures.{figure.name}.{unit}: is {figure.length}, but {other.name} has the same runs "
                    f"with {other.length}; the same runs need the same number of {unit}"
                )
