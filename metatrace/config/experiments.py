"""From a config to figures and run tuples: the one place that knows which runs exist."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from metatrace import numbers
from metatrace.config.figure import (
    BEST_MU,
    COMPARED,
    GAMES,
    MU_AND_BETA,
    OWN_READINGS,
    PAIRED,
    STEP_SIZES,
    BestAlphas,
    Figure,
)
from metatrace.domains import readings
from metatrace.domains.atari import readings as games
from metatrace.domains.mountain_car import readings as cars
from metatrace.errors import UserError
from metatrace.runs.key import NO_DRIFT, NO_MU, UNTUNED, RunKey

# What the paper leaves open about each environment; and all of it, each question once.
QUESTIONS = {**cars.READINGS, **games.READINGS}
READINGS = tuple(dict.fromkeys(reading for part in QUESTIONS.values() for reading in part))
SCHEMA = Path(__file__).parents[2] / "workflow" / "schemas" / "config.schema.yaml"
_MAX_CONFIG_BYTES = 1 << 20
_MAX_CONFIG_VALUES = 100_000  # with every alias of YAML written out


@dataclass(frozen=True)
class Experiments:
    """A whole config, checked and with its defaults filled in."""

    scale: str
    device: str
    readings: dict[str, str]
    final_episodes: int
    spread_alpha_max: str
    figures: dict[str, Figure]

    def runs(self, variant: str = OWN_READINGS) -> dict[RunKey, int]:
        """The union of the figures' runs, each with its length in episodes or observed frames: no run twice.

        Of a figure whose α other runs choose, every run that it may come to.

        Args:
          variant: one of `variants()`; in each the same tuple is another run.
        """
        return {run: figure.length for figure in self._of(variant) for run in figure.runs()}

    def some_runs(self, variant: str = OWN_READINGS) -> dict[RunKey, int]:
        """As many as it takes: like `runs`, but with any choice where α are yet to be chosen.

        Whatever is chosen are α of the figure that they are chosen from, so as many runs are shared.
        """
        return {run: figure.length for figure in self._of(variant) for run in figure.some_runs()}

    def all_runs(self) -> dict[tuple[str, RunKey], int]:
        """`some_runs` of every variant, by variant and tuple."""
        return {
            (variant, run): length for variant in self.variants() for run, length in self.some_runs(variant).items()
        }

    def variants(self) -> list[str]:
        """Every choice of readings that runs are made under, the config's own first."""
        return list(dict.fromkeys([OWN_READINGS, *(figure.variant for figure in self.figures.values())]))

    def _of(self, variant: str) -> list[Figure]:
        return [figure for figure in self.figures.values() if figure.variant == variant]

    def readings_of(self, environment: str, variant: str = OWN_READINGS) -> dict[str, str]:
        """The readings in force that concern an environment, for the runs of a variant."""
        in_force = next((figure.readings for figure in self._of(variant)), self.readings)
        return {reading.key: in_force[reading.key] for reading in QUESTIONS[environment]}

    def sections(self) -> dict[str, list[Figure]]:
        """The figures by section of the paper, in the config's order."""
        sections: dict[str, list[Figure]] = {}
        for figure in self.figures.values():
            sections.setdefault(figure.section, []).append(figure)
        return sections


class _StrictLoader(yaml.SafeLoader):
    """YAML in which `1e-5` is the number it looks like, so that an unquoted one can be refused."""


_StrictLoader.yaml_implicit_resolvers = {
    first: list(resolvers) for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+\Z"), list("-+0123456789")
)


def below(results: str, variant: str) -> str:
    """Where the runs of a variant and their checkpoints lie below `results` (`results/<scale>`)."""
    return f"{results}/readings/{variant}" if variant else results


def read(path: Path) -> Experiments:
    """Reads and checks a config file.

    Raises:
      UserError: missing, not YAML, or not a config; the line names the file and the key.
    """
    try:
        if path.stat().st_size > _MAX_CONFIG_BYTES:
            raise UserError(f"{path}: is larger than {_MAX_CONFIG_BYTES} bytes; that is no config file")
        config = yaml.load(path.read_text(encoding="utf-8"), _StrictLoader)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}); name a config file, such as config/quick.yaml"
        ) from None
    except (UnicodeDecodeError, ValueError):
        raise UserError(
            f"{path}: is not YAML: it holds bytes or values that are no text; see config/README.md"
        ) from None
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be parsed"
        raise UserError(f"{path}{line}: is not YAML: {problem}; see config/README.md") from None
    return check(config, str(path))


def check(config: object, where: str) -> Experiments:
    """Checks a config and fills in its defaults; `where` names it in error messages.

    Raises:
      UserError: the first thing that is wrong, with the key and what would be right.
    """
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    try:
        if _n_values(config, {}) > _MAX_CONFIG_VALUES:
            raise UserError(f"{where}: holds more than {_MAX_CONFIG_VALUES} values; that is no config file")
        config = json.loads(json.dumps(config))  # a copy of plain types, and nothing but plain types
    except (TypeError, ValueError, RecursionError):
        raise UserError(f"{where}: holds dates or other values that are no config; see config/README.md") from None
    errors = jsonschema.Draft202012Validator(schema).iter_errors(config)
    first = min(errors, key=_urgency, default=None)
    if first is not None:
        raise UserError(_explain(first, where))
    assert isinstance(config, dict)
    _fill_defaults(config, schema)

    statistics = config["statistics"]
    numbers.parse(statistics["spread_alpha_max"], f"{where}: statistics.spread_alpha_max")
    chosen = readings.complete(READINGS, config["readings"], f"{where}: readings")
    # Those that name their α first, and those that compare last: the others choose from them.
    entries = sorted(
        config["figures"].items(),
        key=lambda item: (item[1]["kind"] == COMPARED, isinstance(item[1].get("alpha"), dict)),
    )
    figures: dict[str, Figure] = {}
    for name, entry in entries:
        figures[name] = _figure(name, entry, figures, chosen, where)
    figures = {name: figures[name] for name in config["figures"]}
    for figure in figures.values():
        _check_reference(figure, figures, where)
    _check_lengths(figures, where)
    return Experiments(
        config["scale"],
        config["device"],
        chosen,
        statistics["final_episodes"],
        statistics["spread_alpha_max"],
        figures,
    )


def _n_values(value: object, known: dict[int, int]) -> int:
    """How many values `value` holds, itself included; `known` by identity, so that aliases cost nothing."""
    if id(value) not in known:
        known[id(value)] = 1  # for a list that holds itself
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        known[id(value)] = 1 + sum(_n_values(part, known) for part in parts)
    return known[id(value)]


def _figure(
    name: str, entry: dict[str, Any], others: Mapping[str, Figure], chosen: Mapping[str, str], where: str
) -> Figure:
    """A figure of its entry in the config.

    Args:
      others: those that it may choose α from.
      chosen: the config's own readings.
    """
    key = f"{where}: figures.{name}"
    if entry["kind"] == COMPARED:
        return _compared(name, entry, others, key)
    if "of" in entry:
        raise UserError(f"{key}.of: is for figures of kind {COMPARED} alone; leave it out")
    methods = tuple([entry["method"]] if isinstance(entry["method"], str) else entry["method"])
    tuned = [method for method in methods if method != UNTUNED]
    if not tuned and "mu" in entry:
        raise UserError(f"{key}.mu: method none has no meta-step-size; leave mu out")
    if tuned and "mu" not in entry:
        raise UserError(f"{key}.mu: is missing; method {tuned[0]} needs a list of meta-step-sizes such as [2^-8]")
    environments = tuple([entry["environment"]] if isinstance(entry["environment"], str) else entry["environment"])
    _check_length(entry, environments, key)
    best, alphas = None, entry["alpha"]
    if isinstance(alphas, dict):
        best = BestAlphas(alphas["best"], alphas["of"], alphas["method"])
        alphas = _candidates(best, entry["kind"], others, key)
    for quantity, tokens in (
        ("alpha", alphas),
        ("mu", entry.get("mu", [])),
        ("drift", entry.get("drift", [])),
    ):
        for position, token in enumerate(tokens):
            numbers.parse(token, f"{key}.{quantity}[{position}]", zero=quantity == "drift")
            if token in tokens[:position]:
                raise UserError(f"{key}.{quantity}[{position}]: {token} is there twice; list every number once")
    _check_drift(entry, environments, key)
    seeds = entry["seeds"]
    figure = Figure(
        name=name,
        section=entry["section"],
        title=entry["title"],
        kind=entry["kind"],
        environments=environments,
        methods=methods,
        alphas=tuple(alphas),
        best=best,
        mus=tuple(entry.get("mu", [NO_MU])),
        drifts=tuple(entry.get("drift", [NO_DRIFT])),
        beta_mu=entry.get("beta_mu"),
        seeds=tuple(range(seeds) if isinstance(seeds, int) else seeds),
        length=entry["frames"] if entry["kind"] == GAMES else entry["episodes"],
        smoothing=entry["smoothing"],
        reference=entry.get("reference"),
        ours=entry["ours"],
        **_readings(entry["readings"], chosen, environments, f"{key}.readings"),
    )
    _check_kind(figure, key)
    return figure


def _compared(name: str, entry: Mapping[str, Any], others: Mapping[str, Figure], key: str) -> Figure:
    """A figure that compares the methods of others, which are alike in all but methods, α and μ."""
    own = ("section", "title", "kind", "of", "ours")
    for word, value in entry.items():
        # Without readings of its own it has an empty table of them, by default.
        if word not in own and value != {}:
            raise UserError(f"{key}.{word}: a figure of kind {COMPARED} takes it from the figures in of; leave it out")
    fitting = {
        other.name: other for other in others.values() if other.kind == STEP_SIZES and other.variant == OWN_READINGS
    }
    for position, member in enumerate(entry["of"]):
        if member not in fitting:
            raise UserError(
                f"{key}.of[{position}]: {member!r} is no figure of kind {STEP_SIZES} under the config's own "
                f"readings; it must be one of {', '.join(fitting) or '(there is none)'}"
            )
    members = tuple(fitting[member] for member in entry["of"])
    first = members[0]
    for other in members:
        for shared in ("environments", "drifts", "seeds", "length", "smoothing"):
            if getattr(other, shared) != getattr(first, shared):
                raise UserError(
                    f"{key}.of: {first.name} and {other.name} differ in {shared}; figures that are compared "
                    "must have the same environment, drift, seeds, episodes and smoothing"
                )
    return Figure(
        name=name,
        section=entry["section"],
        title=entry["title"],
        kind=entry["kind"],
        environments=first.environments,
        methods=tuple(dict.fromkeys(method for figure in members for method in figure.methods)),
        alphas=_downward(alpha for figure in members for alpha in figure.alphas),
        best=None,
        # Those of tuning, unless there is none.
        mus=_downward(mu for figure in members for mu in figure.mus if mu != NO_MU) or (NO_MU,),
        drifts=first.drifts,
        beta_mu=None,
        seeds=first.seeds,
        length=first.length,
        smoothing=first.smoothing,
        reference=None,
        ours=entry["ours"],
        readings=first.readings,
        variant=OWN_READINGS,
        of=members,
    )


def _downward(tokens: Iterable[str]) -> tuple[str, ...]:
    """The distinct tokens, the largest value first."""
    return tuple(sorted(set(tokens), key=lambda token: -numbers.parse(token, "token")))


def _readings(
    own: Mapping[str, str], chosen: Mapping[str, str], environments: Sequence[str], key: str
) -> dict[str, Any]:
    """The readings in force for a figure, and the variant that its runs are of."""
    asked = dict.fromkeys(reading for environment in environments for reading in QUESTIONS[environment])
    readings.complete(asked, own, key)
    others = {reading: answer for reading, answer in own.items() if answer != chosen[reading]}
    variant = "+".join(f"{reading}~{others[reading]}" for reading in sorted(others))
    return {"readings": {**chosen, **own}, "variant": variant}


def _check_length(entry: Mapping[str, Any], environments: Sequence[str], key: str) -> None:
    """Games with games, in frames; mountain cars alone, in episodes."""
    is_games = entry["kind"] == GAMES
    for position, environment in enumerate(environments):
        if (environment in games.READINGS) != is_games:
            fitting = games.READINGS if is_games else cars.READINGS
            raise UserError(
                f"{key}.environment: is {environment}; a figure of kind {entry['kind']} has "
                f"{'some' if is_games else 'one'} of {', '.join(fitting)}"
            )
        if not is_games and position > 0:
            raise UserError(
                f"{key}.environment: has {len(environments)} values; "
                f"a figure of kind {entry['kind']} has one environment"
            )
    wanted, other = ("frames", "episodes") if is_games else ("episodes", "frames")
    if other in entry:
        raise UserError(f"{key}.{other}: {environments[0]} counts in {wanted}; say {wanted} instead")
    if wanted not in entry:
        raise UserError(f"{key}.{wanted}: is missing; {environments[0]} needs a whole number of {wanted}")


def _candidates(best: BestAlphas, kind: str, others: Mapping[str, Figure], key: str) -> tuple[str, ...]:
    """The α that `best` chooses from."""
    if kind != GAMES:
        raise UserError(f"{key}.alpha: a figure of kind {kind} names its α; it must be a list of tokens")
    fitting = [
        other.name
        for other in others.values()
        if other.kind == GAMES and other.best is None and len(other.environments) == 1
    ]
    if best.figure not in fitting:
        raise UserError(
            f"{key}.alpha.of: {best.figure!r} is no figure of kind {GAMES} with one environment and α of its "
            f"own; it must be one of {', '.join(fitting) or '(there is none)'}"
        )
    other = others[best.figure]
    if best.method not in other.methods:
        raise UserError(
            f"{key}.alpha.method: {best.figure} has no method {best.method}; "
            f"it must be one of {', '.join(other.methods)}"
        )
    if best.count > len(other.alphas):
        raise UserError(
            f"{key}.alpha.best: is {best.count}, but {best.figure} has {len(other.alphas)} α; "
            "it must be no more than these"
        )
    return other.alphas


def _check_drift(entry: Mapping[str, Any], environments: Sequence[str], key: str) -> None:
    if environments != ("drifting_mountain_car",):
        if "drift" in entry:
            raise UserError(f"{key}.drift: {environments[0]} has none; leave drift out, or use drifting_mountain_car")
        return
    if "drift" not in entry:
        raise UserError(f'{key}.drift: is missing; {environments[0]} needs a list of rates such as ["4e-6"]')
    for position, token in enumerate(entry["drift"]):
        if numbers.parse(token, key, zero=True) > 1:
            raise UserError(f"{key}.drift[{position}]: is {token}; it must be a probability from 0 to 1")


def _check_kind(figure: Figure, key: str) -> None:
    """Holds a figure to what its kind can show."""
    one = {
        STEP_SIZES: {"method": figure.methods, "drift": figure.drifts},
        PAIRED: {"drift": figure.drifts},
        BEST_MU: {"alpha": figure.alphas},
        MU_AND_BETA: {"alpha": figure.alphas, "drift": figure.drifts},
        GAMES: {"mu": figure.mus},
    }[figure.kind]
    for quantity, values in one.items():
        if len(values) > 1:
            raise UserError(
                f"{key}.{quantity}: has {len(values)} values; a figure of kind {figure.kind} has one {quantity}"
            )
    if figure.kind == PAIRED and (len(figure.methods) != 2 or UNTUNED in figure.methods):
        raise UserError(
            f"{key}.method: is {', '.join(figure.methods)}; a figure of kind {PAIRED} compares two methods with tuning"
        )
    if figure.kind != STEP_SIZES and figure.reference is not None:
        raise UserError(f"{key}.reference: is for figures of kind {STEP_SIZES} alone; leave it out")
    if figure.kind != MU_AND_BETA:
        if figure.beta_mu is not None:
            raise UserError(f"{key}.beta_mu: is for figures of kind {MU_AND_BETA} alone; leave it out")
        return
    if not figure.drifting or UNTUNED in figure.methods:
        raise UserError(
            f"{key}.kind: {MU_AND_BETA} shows how tuning methods move β on drifting_mountain_car; "
            "it must be another kind, or have that environment and no method none"
        )
    if figure.beta_mu not in figure.mus:
        given = "missing" if figure.beta_mu is None else figure.beta_mu
        raise UserError(f"{key}.beta_mu: is {given}; it must be one of mu: {', '.join(figure.mus)}")


def _check_reference(figure: Figure, figures: Mapping[str, Figure], where: str) -> None:
    if figure.reference is None:
        return
    key = f"{where}: figures.{figure.name}.reference"
    untuned = [
        other.name
        for other in figures.values()
        if other.methods == (UNTUNED,) and (other.environments, other.drifts) == (figure.environments, figure.drifts)
    ]
    if figure.reference not in untuned:
        raise UserError(
            f"{key}: {figure.reference!r} is no figure of untuned runs with this environment and drift; "
            f"it must be one of {', '.join(untuned) or '(there is none)'}"
        )


def _check_lengths(figures: Mapping[str, Figure], where: str) -> None:
    seen: dict[tuple[str, RunKey], Figure] = {}
    for figure in figures.values():
        for run in figure.runs():
            other = seen.setdefault((figure.variant, run), figure)
            if other.length != figure.length:
                unit = "frames" if figure.kind == GAMES else "episodes"
                raise UserError(
                    f"{where}: figures.{figure.name}.{unit}: is {figure.length}, but "
                    f"{other.name} has the same runs "
                    f"with {other.length}; the same runs need the same number of {unit}"
                )


def _urgency(error: jsonschema.ValidationError) -> tuple[list[str], bool]:
    """Outermost first; an unknown key before a missing one, which it may be the misspelling of."""
    return [str(part) for part in error.absolute_path], error.validator != "additionalProperties"


def _explain(error: jsonschema.ValidationError, where: str) -> str:
    path = ""
    for part in error.absolute_path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    location = f"{where}: {path}" if path else where
    schema: Any = error.schema
    instance: Any = error.instance
    if error.validator == "additionalProperties":
        allowed = schema["properties"]
        unknown = next(key for key in instance if key not in allowed)
        dotted = f"{path}.{unknown}" if path else unknown
        return f"{where}: {dotted}: there is no such key; the keys here are {', '.join(allowed)}"
    if error.validator == "required":
        missing = next(key for key in schema["required"] if key not in instance)
        # What a figure needs depends on its kind; that rule has no list of keys, the figure's schema has.
        known = schema.get("properties") or _of_figure()
        wanted = known[missing].get("description", "")
        dotted = f"{path}.{missing}" if path else missing
        return f"{where}: {dotted}: is missing; it must be {wanted}"
    if error.parent is None and "propertyNames" in error.absolute_schema_path:
        return f"{location}: {error.instance!r} is no figure's name; use small letters, digits and _"
    value = json.dumps(error.instance, ensure_ascii=False)
    value = value if len(value) <= 60 else value[:57] + "…"
    return f"{location}: is {value}; it must be {schema.get('description', error.message)}"


def _of_figure() -> dict[str, Any]:
    """The schema of a figure's keys."""
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    keys: dict[str, Any] = schema["properties"]["figures"]["additionalProperties"]["properties"]
    return keys


def _fill_defaults(instance: dict[str, Any], schema: dict[str, Any]) -> None:
    properties = schema.get("properties", {})
    for key, part in properties.items():
        if key not in instance and "default" in part:
            instance[key] = json.loads(json.dumps(part["default"]))
    for key, value in instance.items():
        part = properties.get(key, schema.get("additionalProperties"))
        if isinstance(value, dict) and isinstance(part, dict):
            _fill_defaults(value, part)
