"""The model of a config file, its types, defaults and descriptions; and one line about what is wrong with a file."""

import functools
import operator
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag, ValidationError

from metatrace.errors import UserError
from metatrace.figures.kinds.entry import REFUSED, Answers, Model, Token, key, shown
from metatrace.figures.kinds.registry import DEFAULT_KIND, KINDS

# Completes "it must be …" for a whole config and for a figure's entry.
TABLE = "a table of the keys that config/README.md explains"
_UNITS = {kind.unit for kind in KINDS.values()}
_RENAMED = {"ours": "assumptions", "of": "members"}
_UNKNOWN, _MISSING = "extra_forbidden", "missing"
# A file name has at most 255 bytes.
_Scale = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$", max_length=100)]
_FigureName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]


def kind_of(entry: Any) -> str | None:
    """The kind of a figure's entry; None if there is no such kind."""
    kind = entry.get("kind", DEFAULT_KIND) if isinstance(entry, dict) else getattr(entry, "kind", None)
    return kind if isinstance(kind, str) and kind in KINDS else None


_AnyEntry: Any = Annotated[
    functools.reduce(operator.or_, (Annotated[kind.model, Tag(name)] for name, kind in KINDS.items())),
    Discriminator(kind_of),
]


class Statistics(Model):
    """How scores are computed."""

    final_episodes: int = key(
        "over how many last episodes the final score is the mean, a whole number from 1 up to 1000000",
        default=100,
        ge=1,
        le=1_000_000,
    )
    spread_alpha_max: Token = key(
        "a number token, the largest α that the spread over α counts",
        "the default is the top of the paper's legend",
        default="2^-5",
    )


class Config(Model):
    """A config file, with those that it is based on."""

    scale: _Scale = key("a name of small letters, digits, - and _", "results lie under `results/<scale>/`")
    readings: Answers = key("a table of reading and answer; config/README.md lists them", default={})
    statistics: Statistics = key("a table with final_episodes and spread_alpha_max", default=Statistics())
    device: Literal["auto", "cpu", "cuda"] = key(
        "where games are learned, one of auto (a graphics card if there is one; the processor for MinAtar), cpu, cuda",
        default="auto",
    )
    figures: dict[_FigureName, _AnyEntry] = key(
        "a table of figures, at least one", "`snakemake <name>` makes the figure of that name", min_length=1
    )


def checked(content: object) -> Config:
    """A config's content as a model.

    Raises:
      UserError: the outermost thing that is wrong, an unknown key before what it may misspell: the key, and what would
        be right.
    """
    try:
        return Config.model_validate(content)
    except ValidationError as error:
        raise UserError(_line(min(error.errors(include_url=False), key=_urgency), content)) from None


def _urgency(error: Mapping[str, Any]) -> list[str]:
    loc = [str(part) for part in error["loc"]]
    return loc[:-1] if error["type"] == _UNKNOWN else loc


def _line(error: Mapping[str, Any], content: Any) -> str:
    """The line about one error."""
    loc, what = list(error["loc"]), error["type"]
    path, table, kind = "", content, ""
    model: type[BaseModel] = Config
    if "[key]" in loc:
        return f"figures: {loc[1]!r:.60} is no figure's name; use small letters, digits and _"
    if loc[:1] == ["figures"] and len(loc) > 1:
        path, table = f"figures.{loc[1]}", content["figures"][loc[1]]
        if len(loc) == 2:
            return _no_kind(path, table)
        kind, loc = loc[2], loc[3:]  # the union's tag stands between the name and the key
        model = KINDS[kind].model
    elif loc[:1] == ["statistics"] and len(loc) > 1:
        path, table, model, loc = "statistics", content["statistics"], Statistics, loc[1:]
    if not loc:
        return f"is {shown(table)}; it must be {TABLE}"
    name, *rest = loc
    path = f"{path}.{name}" if path else name
    if what == _UNKNOWN and not rest:
        return f"{path}: {_unknown(name, model, kind)}"
    description = model.model_fields[name].description
    if what == _MISSING and not rest:
        return f"{path}: is missing; it must be {description}"
    if what == _UNKNOWN and rest == ["<choice>", "of"]:
        return f"{path}.of: is called from_figure now"
    if what == REFUSED:
        parts = [part for part in (*rest, *error["ctx"]["positions"]) if not str(part).startswith("<")]
        path += "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
        return f"{path}: {error['ctx']['text']}"
    return f"{path}: is {shown(table[name])}; it must be {description}"


def _no_kind(path: str, entry: object) -> str:
    if not isinstance(entry, dict):
        return f"{path}: is {shown(entry)}; it must be {TABLE}"
    return f"{path}.kind: is {shown(entry['kind'])}; it must be what the figure shows, one of {', '.join(KINDS)}"


def _unknown(name: str, model: type[BaseModel], kind: str) -> str:
    """What is wrong with a key that a table does not have; `kind`: of the figure whose entry the table is."""
    holders = [other.name for other in KINDS.values() if name in other.model.model_fields] if kind else []
    if holders and "members" in model.model_fields:
        return f"a figure of kind {kind} takes it from its members; leave it out"
    if holders and name in _UNITS:
        unit = KINDS[kind].unit
        return f"a figure of kind {kind} counts in {unit}; say {unit} instead"
    if holders:
        return f"is for figures of kind {', '.join(holders)} alone; leave it out"
    if kind and name in _RENAMED:
        return f"is called {_RENAMED[name]} now"
    return f"there is no such key; the keys here are {', '.join(model.model_fields)}"
