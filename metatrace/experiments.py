"""From a config to figures, panels, curves and run tuples: the one place that knows which runs exist."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from metatrace import numbers, readings
from metatrace.errors import UserError
from metatrace.results import RunTuple

SCHEMA = Path(__file__).parents[1] / "workflow" / "schemas" / "config.schema.yaml"
_MAX_CONFIG_BYTES = 1 << 20
_MAX_CONFIG_VALUES = 100_000  # with every alias of YAML written out
UNTUNED = "none"
NO_MU = "0"
NO_DRIFT = "0"


@dataclass(frozen=True)
class Curve:
    """One line of a figure: a setting, run once a seed."""

    alpha: str
    runs: tuple[RunTuple, ...]


@dataclass(frozen=True)
class Panel:
    """One panel of a figure: a meta-step-size and a curve for each initial step-size."""

    mu: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Figure:
    """A figure of the paper: one method on one environment over a grid of α and μ."""

    name: str
    section: str
    title: str
    environment: str
    method: str
    alphas: tuple[str, ...]
    mus: tuple[str, ...]
    seeds: tuple[int, ...]
    episodes: int
    smoothing: int
    reference: str | None
    ours: str

    def panels(self) -> tuple[Panel, ...]:
        """The figure's panels, in the config's order of μ, and their curves, in its order of α."""
        return tuple(
            Panel(mu, tuple(Curve(alpha, self._runs(alpha, mu)) for alpha in self.alphas)) for mu in self.mus
        )

    def runs(self) -> tuple[RunTuple, ...]:
        """Every run that the figure is drawn from."""
        return tuple(run for panel in self.panels() for curve in panel.curves for run in curve.runs)

    def _runs(self, alpha: str, mu: str) -> tuple[RunTuple, ...]:
        return tuple(
            RunTuple(self.environment, self.method, alpha, mu, NO_DRIFT, seed) for seed in self.seeds
        )


@dataclass(frozen=True)
class Experiments:
    """A whole config, checked and with its defaults filled in."""

    scale: str
    readings: dict[str, str]
    final_episodes: int
    spread_alpha_max: str
    figures: dict[str, Figure]

    def runs(self) -> dict[RunTuple, int]:
        """The union of the figures' runs, each with its number of episodes: no run twice, none unneeded."""
        return {run: figure.episodes for figure in self.figures.values() for run in figure.runs()}

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
        raise UserError(
            f"{where}: holds dates or other values that are no config; see config/README.md"
        ) from None
    errors = jsonschema.Draft202012Validator(schema).iter_errors(config)
    first = min(errors, key=_urgency, default=None)
    if first is not None:
        raise UserError(_explain(first, where))
    assert isinstance(config, dict)
    _fill_defaults(config, schema)

    statistics = config["statistics"]
    numbers.parse(statistics["spread_alpha_max"], f"{where}: statistics.spread_alpha_max")
    chosen = readings.complete("mountain_car", config["readings"], f"{where}: readings")
    figures = {name: _figure(name, entry, where) for name, entry in config["figures"].items()}
    for figure in figures.values():
        _check_reference(figure, figures, where)
    _check_episodes(figures, where)
    return Experiments(
        config["scale"], chosen, statistics["final_episodes"], statistics["spread_alpha_max"], figures
    )


def _n_values(value: object, known: dict[int, int]) -> int:
    """How many values `value` holds, itself included; `known` by identity, so that aliases cost nothing."""
    if id(value) not in known:
        known[id(value)] = 1  # for a list that holds itself
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        known[id(value)] = 1 + sum(_n_values(part, known) for part in parts)
    return known[id(value)]


def _figure(name: str, entry: dict[str, Any], where: str) -> Figure:
    key = f"{where}: figures.{name}"
    if entry["method"] == UNTUNED and "mu" in entry:
        raise UserError(f"{key}.mu: method none has no meta-step-size; leave mu out")
    if entry["method"] != UNTUNED and "mu" not in entry:
        raise UserError(
            f"{key}.mu: is missing; method {entry['method']} needs a list of meta-step-sizes such as [2^-8]"
        )
    for quantity in ("alpha", "mu"):
        tokens = entry.get(quantity, [])
        for position, token in enumerate(tokens):
            numbers.parse(token, f"{key}.{quantity}[{position}]")
            if token in tokens[:position]:
                raise UserError(
                    f"{key}.{quantity}[{position}]: {token} is there twice; list every number once"
                )
    seeds = entry["seeds"]
    return Figure(
        name=name,
        section=entry["section"],
        title=entry["title"],
        environment=entry["environment"],
        method=entry["method"],
        alphas=tuple(entry["alpha"]),
        mus=tuple(entry.get("mu", [NO_MU])),
        seeds=tuple(range(seeds) if isinstance(seeds, int) else seeds),
        episodes=entry["episodes"],
        smoothing=entry["smoothing"],
        reference=entry.get("reference"),
        ours=entry["ours"],
    )


def _check_reference(figure: Figure, figures: Mapping[str, Figure], where: str) -> None:
    if figure.reference is None:
        return
    key = f"{where}: figures.{figure.name}.reference"
    untuned = [other.name for other in figures.values() if other.method == UNTUNED]
    if figure.reference not in untuned:
        raise UserError(
            f"{key}: {figure.reference!r} is no figure of untuned runs; "
            f"it must be one of {', '.join(untuned) or '(there is none)'}"
        )


def _check_episodes(figures: Mapping[str, Figure], where: str) -> None:
    seen: dict[RunTuple, Figure] = {}
    for figure in figures.values():
        for run in figure.runs():
            other = seen.setdefault(run, figure)
            if other.episodes != figure.episodes:
                raise UserError(
                    f"{where}: figures.{figure.name}.episodes: is {figure.episodes}, but "
                    f"{other.name} has the same runs "
                    f"with {other.episodes}; the same runs need the same number of episodes"
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
        wanted = schema["properties"][missing].get("description", "")
        dotted = f"{path}.{missing}" if path else missing
        return f"{where}: {dotted}: is missing; it must be {wanted}"
    if error.parent is None and "propertyNames" in error.absolute_schema_path:
        return f"{location}: {error.instance!r} is no figure's name; use small letters, digits and _"
    value = json.dumps(error.instance, ensure_ascii=False)
    value = value if len(value) <= 60 else value[:57] + "…"
    return f"{location}: is {value}; it must be {schema.get('description', error.message)}"


def _fill_defaults(instance: dict[str, Any], schema: dict[str, Any]) -> None:
    properties = schema.get("properties", {})
    for key, part in properties.items():
        if key not in instance and "default" in part:
            instance[key] = json.loads(json.dumps(part["default"]))
    for key, value in instance.items():
        part = properties.get(key, schema.get("additionalProperties"))
        if isinstance(value, dict) and isinstance(part, dict):
            _fill_defaults(value, part)
