"""The model of a config file: its tables and keys, their types, defaults and descriptions."""

import functools
import operator
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, PlainValidator, Tag, WithJsonSchema

from metatrace.figures.kinds.entry import Answers, Model, Token, refusal
from metatrace.figures.kinds.registry import DEFAULT_KIND, KINDS

# Completes "it must be …" for a whole config and for a figure's entry.
TABLE = "a table of the keys that config/README.md explains"
SCALE, FIGURE_NAME = re.compile(r"[a-z][a-z0-9_-]*"), re.compile(r"[a-z][a-z0-9_]*")
_MAX_NAME = 100  # a file name has at most 255 bytes


def _scale(value: str) -> str:
    if not SCALE.fullmatch(value) or len(value) > _MAX_NAME:
        raise ValueError
    return value


def _figure_name(value: Any) -> Any:
    if not isinstance(value, str) or not FIGURE_NAME.fullmatch(value) or len(value) > _MAX_NAME:
        raise refusal(f"{value!r:.60} is no figure's name; use small letters, digits and _")
    return value


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

    final_episodes: int = Field(
        default=100,
        ge=1,
        le=1_000_000,
        description="over how many last episodes the final score is the mean, a whole number from 1 up to 1000000",
    )
    spread_alpha_max: Token = Field(
        default="2^-5",
        description="a number token, the largest α that the spread over α counts",
        json_schema_extra={"$comment": "the default is the top of the paper's legend"},
    )


class Config(Model):
    """A config file, with those that it is based on."""

    scale: Annotated[
        str, AfterValidator(_scale), WithJsonSchema({"type": "string", "pattern": f"^{SCALE.pattern}$"})
    ] = Field(
        description="a name of small letters, digits, - and _",
        json_schema_extra={"$comment": "results lie under `results/<scale>/`"},
    )
    readings: Answers = Field({}, description="a table of reading and answer; config/README.md lists them")
    statistics: Statistics = Field(default=Statistics(), description="a table with final_episodes and spread_alpha_max")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="where games are learned, one of auto (a graphics card if there is one), cpu, cuda"
    )
    figures: dict[
        Annotated[str, PlainValidator(_figure_name), WithJsonSchema({"pattern": f"^{FIGURE_NAME.pattern}$"})],
        _AnyEntry,
    ] = Field(
        min_length=1,
        description="a table of figures, at least one",
        json_schema_extra={"$comment": "`snakemake <name>` makes the figure of that name"},
    )
