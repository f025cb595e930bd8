"""From the model of a config to its figures: what the keys mean together.

Keys in error messages start at the config's top; `loading` adds the file.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from metatrace import numbers
from metatrace.config.experiments import Experiments
from metatrace.config.figure import OWN_READINGS, Figure
from metatrace.config.models import Config
from metatrace.domains import readings
from metatrace.domains.registry import ENVIRONMENTS, READINGS, domain_of, methods_of
from metatrace.errors import UserError
from metatrace.figures.kinds.compared import Compared
from metatrace.figures.kinds.entry import Entry, OwnRuns
from metatrace.figures.kinds.games import Choice
from metatrace.figures.kinds.registry import KINDS
from metatrace.methods import METHODS, UNTUNED, complete_hyper
from metatrace.runs.key import NO_DRIFT, NO_MU, RunKey


def resolve_config(config: Config, content: dict[str, Any]) -> Experiments:
    """A config with its figures resolved; `content` is the config as written.

    Raises:
      UserError: the first thing that is wrong, with the key and what would be right.
    """
    chosen = readings.complete(READINGS, config.readings, "readings")
    figures: dict[str, Figure] = {}
    for name, entry in sorted(config.figures.items(), key=lambda item: _stage(item[1])):
        if isinstance(entry, Compared):
            figures[name] = _compared(name, entry, figures)
        else:
            figures[name] = _figure(name, entry, figures, chosen)
    figures = {name: figures[name] for name in config.figures}
    for figure in figures.values():
        _check_reference(figure, figures)
    _check_lengths(figures.values())
    final, spread = config.statistics.final_episodes, config.statistics.spread_alpha_max
    return Experiments(config.scale, config.device, chosen, final, spread, figures, content)


def _stage(entry: Entry) -> int:
    """First come the figures that name their settings, then those for which they choose, last those that compare."""
    if isinstance(entry, Compared):
        return 2
    return int(isinstance(getattr(entry, "alpha", None), Choice) or bool(getattr(entry, "settings_from", "")))


def _figure(name: str, entry: Any, others: Mapping[str, Figure], chosen: Mapping[str, str]) -> Figure:
    """A figure with runs of its own.

    Args:
      others: the figures that can choose its settings.
      chosen: the config's own readings.
    """
    key, kind = f"figures.{name}", KINDS[entry.kind]
    _check_environments(entry, key)
    _check_methods(entry, key)
    best = entry.alpha if isinstance(entry.alpha, Choice) else None
    figure = Figure(
        **_shared(name, entry),
        environments=entry.environment,
        methods=entry.method,
        alphas=_alphas(entry) if best is None else _candidates(best, kind.name, others, f"{key}.alpha"),
        best=best,
        mus=tuple(entry.mu) or (NO_MU,),
        drifts=tuple(entry.drift) or (NO_DRIFT,),
        beta_mu=getattr(entry, "beta_mu", None),
        seeds=entry.seeds,
        length=getattr(entry, kind.unit),
        smoothing=entry.smoothing,
        reference=getattr(entry, "reference", "") or None,
        readings={**chosen, **entry.readings},
        hyper=dict(entry.hyper),
        variant=_variant(entry, chosen, key),
        alpha_of=_alpha_of(entry),
        settings_from=getattr(entry, "settings_from", "") or None,
    )
    kind.check(figure, key)
    _check_drift(entry, key)
    _check_settings_from(figure, others, f"{key}.settings_from")
    return figure


def _alpha_of(entry: Any) -> dict[str, tuple[str, ...]]:
    """The α of each method, where some have their own; else nothing."""
    own = getattr(entry, "alpha_of", {})
    return {method: tuple(own.get(method, entry.alpha)) for method in entry.method} if own else {}


def _alphas(entry: Any) -> tuple[str, ...]:
    """All α of a figure."""
    of_methods = _alpha_of(entry).values()
    return _downward(alpha for alphas in of_methods for alpha in alphas) if of_methods else tuple(entry.alpha)


def _shared(name: str, entry: Any) -> dict[str, Any]:
    """What a figure has from its entry as it stands there, whatever its kind."""
    return {"name": name} | {key: getattr(entry, key) for key in ("section", "title", "kind", "assumptions")}


def _check_environments(entry: Any, key: str) -> None:
    """Holds environments to one domain, which counts in the kind's unit."""
    unit = KINDS[entry.kind].unit
    fitting = [name for name in ENVIRONMENTS if domain_of(name).unit == unit]
    for environment in entry.environment:
        if domain_of(environment).unit != unit:
            raise UserError(
                f"{key}.environment: is {environment}; a figure of kind {entry.kind} has one of {', '.join(fitting)}"
            )
        domain, first = domain_of(environment).name, domain_of(entry.environment[0]).name
        if domain != first:
            raise UserError(
                f"{key}.environment: {environment} is of {domain} and {entry.environment[0]} of {first}; a figure has "
                "environments of one"
            )


def _check_methods(entry: OwnRuns, key: str) -> None:
    """Holds methods to those that the environments' domains run, and μ to the methods that have one."""
    for environment in entry.environment:
        fitting = methods_of(environment)
        for method in entry.method:
            if method not in fitting:
                raise UserError(
                    f"{key}.method: {environment} does not run {method}; it must be one of {', '.join(fitting)}"
                )
    for method in getattr(entry, "alpha_of", {}):
        if method not in entry.method:
            raise UserError(
                f"{key}.alpha_of.{method}: is no method of this figure; it must be one of {', '.join(entry.method)}"
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


def _require_figure(name: str, fitting: Iterable[str], key: str, what: str) -> None:
    """Holds the name of a figure to those that fit; `what` these are."""
    if name not in fitting:
        raise UserError(f"{key}: {name!r} is no figure of {what}; it must be one of {_listed(fitting)}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "(there is none)"


def _candidates(best: Choice, kind: str, others: Mapping[str, Figure], key: str) -> tuple[str, ...]:
    """The α that `best` chooses from."""
    fitting = [
        other.name
        for other in others.values()
        if other.kind == kind and other.best is None and len(other.environments) == 1
    ]
    _require_figure(best.figure, fitting, f"{key}.from_figure", f"kind {kind} with one environment and α of its own")
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


def _check_settings_from(figure: Figure, others: Mapping[str, Figure], key: str) -> None:
    """Holds the figure that chooses settings to one that has them all, on other seeds."""
    if figure.settings_from is None:
        return
    fitting = [name for name, other in others.items() if other.kind == figure.kind and not other.chosen_by]
    _require_figure(figure.settings_from, fitting, key, f"kind {figure.kind} with settings of its own")
    other = others[figure.settings_from]
    seeds = sorted(set(figure.seeds) & set(other.seeds))
    if seeds:
        raise UserError(f"{key}: {other.name} has seed {seeds[0]} too; its runs choose, so their seeds must be others")
    there = {figure.choice_of(run) for run in other.runs()}
    lacking = next((setting for setting in figure.candidates() if setting not in there), None)
    if lacking:
        raise UserError(f"{key}: {other.name} has no runs {lacking}; it must have all settings of this figure")
    for shared in ("environments", "variant", "length"):
        if getattr(other, shared) != getattr(figure, shared):
            raise UserError(f"{key}: {other.name} differs in {shared}; figures of the same runs must not")


def _variant(entry: OwnRuns, chosen: Mapping[str, str], key: str) -> str:
    """The variant that a figure's runs are of: the readings and hyper-parameters that are not the config's own."""
    asked = (reading for name in entry.environment for reading in ENVIRONMENTS[name].asked(*entry.method))
    readings.complete(asked, entry.readings, f"{key}.readings")
    domain = domain_of(entry.environment[0]).name
    defaults: dict[str, set[str]] = {}
    for method in entry.method:
        known = METHODS[method].hyper_on(domain)
        chosen_here = {name: value for name, value in entry.hyper.items() if name in known}
        complete_hyper(method, chosen_here, f"{key}.hyper", domain)
        for name, parameter in known.items():
            defaults.setdefault(name, set()).add(parameter.default)
    for name in entry.hyper:
        if name not in defaults:
            raise UserError(
                f"{key}.hyper.{name}: no method of this figure has it; it must be one of {_listed(defaults)}"
            )
    others = {reading: answer for reading, answer in entry.readings.items() if answer != chosen[reading]}
    others |= {name: value for name, value in entry.hyper.items() if defaults[name] != {value}}
    return "+".join(f"{name}~{value}" for name, value in sorted(others.items()))


def _compared(name: str, entry: Compared, others: Mapping[str, Figure]) -> Figure:
    """A figure that compares the methods of others, which are alike in all but methods, α and μ."""
    key = f"figures.{name}"
    kind, readings_text = entry.member_kind, "" if entry.any_readings else " under the config's own readings"
    fitting = [
        other.name
        for other in others.values()
        if other.kind == kind and (entry.any_readings or other.variant == OWN_READINGS)
    ]
    for position, member in enumerate(entry.members):
        what = f"kind {kind}{readings_text}"
        _require_figure(member, fitting, f"{key}.members[{position}]", what)
    members = tuple(others[member] for member in entry.members)
    first = members[0]
    for other in members:
        for shared in ("environments", "drifts", "seeds", "length", "smoothing"):
            if getattr(other, shared) != getattr(first, shared):
                raise UserError(
                    f"{key}.members: {first.name} and {other.name} differ in {shared}; figures that are compared "
                    "must have the same environment, drift, seeds, episodes and smoothing"
                )
    figure = dataclasses.replace(
        first,
        **_shared(name, entry),
        methods=tuple(dict.fromkeys(method for member in members for method in member.methods)),
        alphas=_downward(alpha for member in members for alpha in member.alphas),
        mus=_downward(mu for member in members for mu in member.mus if mu != NO_MU) or (NO_MU,),
        reference=None,
        hyper={},
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
    untuned, agent = METHODS[UNTUNED].tuner, METHODS[figure.methods[0]].agent
    methods = [(name,) for name, method in METHODS.items() if (method.tuner, method.agent) == (untuned, agent)]
    setting = (figure.environments, figure.drifts)
    fitting = [
        other.name
        for other in figures.values()
        if other.methods in methods and not other.members and (other.environments, other.drifts) == setting
    ]
    what = "untuned runs with this environment and drift"
    _require_figure(figure.reference, fitting, f"figures.{figure.name}.reference", what)


def _check_lengths(figures: Iterable[Figure]) -> None:
    drawn = [figure for figure in figures if not figure.members]
    lengths: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for figure in drawn:
        for environment in figure.environments:
            lengths[figure.variant, environment].add(figure.length)
    seen: dict[tuple[str, RunKey], Figure] = {}
    for figure in drawn:
        # Most environments have one length, and then their runs, which can be thousands, need not be listed.
        if all(len(lengths[figure.variant, environment]) == 1 for environment in figure.environments):
            continue
        unit = KINDS[figure.kind].unit
        for run in figure.runs():
            other = seen.setdefault((figure.variant, run), figure)
            if other.length != figure.length:
                raise UserError(
                    f"figures.{figure.name}.{unit}: is {figure.length}, but {other.name} has the same runs "
                    f"with {other.length}; the same runs need the same number of {unit}"
                )
