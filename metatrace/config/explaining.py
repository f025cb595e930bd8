"""One line about what is wrong with a config: the key, and what would be right."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from metatrace.config.models import TABLE, Config, Statistics, kind_of
from metatrace.figures.kinds.entry import shown
from metatrace.figures.kinds.registry import KINDS

_UNITS = dict.fromkeys(kind.unit for kind in KINDS.values())
_RENAMED = {"ours": "assumptions", "of": "members"}
_UNKNOWN, _MISSING, _REFUSED = "extra_forbidden", "missing", "refused"


def explain(error: ValidationError, content: object) -> str:
    """The line about the first error: outermost first, and an unknown key before what it may misspell."""
    errors = error.errors(include_url=False)
    return _line(min(errors, key=_urgency), content)


def _urgency(error: Mapping[str, Any]) -> list[str]:
    loc = [str(part) for part in error["loc"]]
    return loc[:-1] if error["type"] == _UNKNOWN else loc


def _line(error: Mapping[str, Any], content: Any) -> str:
    """The line about one error."""
    path, description = "", TABLE
    model: type[BaseModel] = Config
    told = error["type"] == _REFUSED
    loc = list(error["loc"])
    if "[key]" in loc:  # of a figure's name, which the text quotes
        return f"figures: {error['ctx']['text']}"
    value, at = content, 0
    while at < len(loc):
        part = loc[at]
        unknown = error["type"] == _UNKNOWN and at == len(loc) - 1
        if unknown or str(part) not in model.model_fields:
            return _unknown(path, str(part), model, value)
        missing = error["type"] == _MISSING and at == len(loc) - 1
        path = f"{path}.{part}" if path else str(part)
        description = model.model_fields[str(part)].description or TABLE
        if missing:
            return f"{path}: is missing; it must be {description}"
        value = value[part]
        at += 1
        if path == "figures" and at < len(loc):
            path, value, description = f"{path}.{loc[at]}", value[loc[at]], TABLE
            kind = kind_of(value)
            if kind is None:
                return _no_kind(path, value)
            model, at = KINDS[kind].model, at + 2  # the union's tag stands between the name and the key
        elif path == "statistics":
            model = Statistics
        else:
            break
    if _is_renamed_choice(loc, error):
        return f"{path}.of: is called from_figure now"
    if told:
        rest = [part for part in loc[at:] if not str(part).startswith("<")]
        for part in (*rest, *error["ctx"]["within"]):
            path += f"[{part}]" if isinstance(part, int) else f".{part}"
        return f"{path}: {error['ctx']['text']}"
    return f"{f'{path}: ' if path else ''}is {shown(value)}; it must be {description}"


def _is_renamed_choice(loc: list[Any], error: Mapping[str, Any]) -> bool:
    return error["type"] == _UNKNOWN and loc[-2:] == ["<choice>", "of"]


def _no_kind(path: str, entry: object) -> str:
    if not isinstance(entry, dict):
        return f"{path}: is {shown(entry)}; it must be {TABLE}"
    return f"{path}.kind: is {shown(entry['kind'])}; it must be what the figure shows, one of {', '.join(KINDS)}"


def _unknown(path: str, key: str, model: type[BaseModel], table: Mapping[str, Any]) -> str:
    """The line about a key that a table does not have."""
    dotted = f"{path}.{key}" if path else key
    kind = kind_of(table) if path.startswith("figures.") else None
    if kind is not None:
        holders = [name for name, other in KINDS.items() if key in other.model.model_fields]
        if holders and "members" in model.model_fields:
            return f"{dotted}: a figure of kind {kind} takes it from its members; leave it out"
        if holders and key in _UNITS:
            unit = KINDS[kind].unit
            return f"{dotted}: a figure of kind {kind} counts in {unit}; say {unit} instead"
        if holders:
            return f"{dotted}: is for figures of kind {', '.join(holders)} alone; leave it out"
        if key in _RENAMED:
            return f"{dotted}: is called {_RENAMED[key]} now"
    return f"{dotted}: there is no such key; the keys here are {', '.join(model.model_fields)}"
