"""A figure's entry in the config: the models that the kinds' own models are made of, and their types.

A description completes the sentence "it must be …"; documentation shows it too. `$comment` is for documentation alone.
"""

import json
import unicodedata
from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from metatrace import numbers
from metatrace.domains.registry import ENVIRONMENTS
from metatrace.errors import UserError
from metatrace.methods import METHODS

SECTIONS = ("mountain_car", "drifting_mountain_car", "atari", "omitted", "comparisons")
MAX_SEED = 2**63 - 1
_MAX_SEEDS = 100_000
_CONTROL = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, line and paragraph separators


def refusal(text: str, *within: int | str) -> PydanticCustomError:
    """An error whose line is `text` after the key; `within`: where in the value the fault lies."""
    return PydanticCustomError("refused", "{text}", {"text": text, "within": within})


def _parsed(token: object, *, zero: bool = False) -> float:
    try:
        return numbers.parse(token, "", zero=zero)
    except UserError as error:
        raise refusal(str(error).removeprefix(": ")) from None


def _token(value: Any) -> Any:
    _parsed(value)
    return value


def _rate(value: Any) -> Any:
    if _parsed(value, zero=True) > 1:
        raise refusal(f"is {value}; it must be a probability from 0 to 1")
    return value


def _distinct(values: list[str]) -> list[str]:
    for position, value in enumerate(values):
        if value in values[:position]:
            raise refusal(f"{value} is there twice; list every number once", position)
    return values


def _text(value: str) -> str:
    bad = next((letter for letter in value if unicodedata.category(letter) in _CONTROL), None)
    if bad is not None:
        raise refusal(f"holds {bad!a}; it must be text on one line, without control characters")
    return value


def _some_text(value: str) -> str:
    if not value.strip():
        raise ValueError
    return _text(value)


def _names(known: Collection[str]) -> Callable[[Any], tuple[str, ...]]:
    """Makes a tuple of one name or a list of different ones; refuses others."""

    def names(value: Any) -> tuple[str, ...]:
        listed = [value] if isinstance(value, str) else value
        if not (isinstance(listed, list) and listed and all(isinstance(name, str) for name in listed)):
            raise ValueError
        if len(set(listed)) < len(listed) or not set(listed) <= set(known):
            raise ValueError
        return tuple(listed)

    return names


def _names_schema(known: Collection[str]) -> dict[str, Any]:
    one = {"enum": list(known)}
    return {"oneOf": [one, {"type": "array", "minItems": 1, "uniqueItems": True, "items": one}]}


def _seeds(value: Any) -> tuple[int, ...]:
    if type(value) is int and 1 <= value <= _MAX_SEEDS:
        return tuple(range(value))
    if not isinstance(value, list) or not value or len({repr(seed) for seed in value}) < len(value):
        raise ValueError
    if not all(type(seed) is int and 0 <= seed <= MAX_SEED for seed in value):
        raise ValueError
    return tuple(value)


def _answers(what: str) -> Callable[[Any], Any]:
    """Refuses what is no table from names to texts; `what` a value must be."""

    def answers(value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError
        for key, answer in value.items():
            if not isinstance(answer, str):
                raise refusal(f"is {shown(answer)}; it must be {what}", key)
        return value

    return answers


def shown(value: object) -> str:
    """A value as YAML may have it, for an error message; a long one is cut."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


_STRING = WithJsonSchema({"type": "string"})
_TABLE = WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}})
Token = Annotated[str, PlainValidator(_token), _STRING]
Tokens = Annotated[list[Token], Field(min_length=1), AfterValidator(_distinct)]
Rates = Annotated[list[Annotated[str, PlainValidator(_rate), _STRING]], Field(min_length=1), AfterValidator(_distinct)]
Title = Annotated[str, AfterValidator(_some_text)]
Text = Annotated[str, AfterValidator(_text)]
Seeds = Annotated[
    tuple[int, ...],
    PlainValidator(_seeds),
    WithJsonSchema(
        {
            "oneOf": [
                {"type": "integer", "minimum": 1, "maximum": _MAX_SEEDS},
                {
                    "type": "array",
                    "minItems": 1,
                    "uniqueItems": True,
                    "items": {"type": "integer", "minimum": 0, "maximum": MAX_SEED},
                },
            ]
        }
    ),
]
Answers = Annotated[dict[str, str], PlainValidator(_answers("an answer that config/README.md lists")), _TABLE]
Settings = Annotated[dict[str, str], PlainValidator(_answers("a number token in quotes, such as '1000'")), _TABLE]


class Model(BaseModel):
    """A table of the config: no unknown keys, and no value is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Entry(Model):
    """What every figure has."""

    section: Literal[SECTIONS] = Field(  # type: ignore[valid-type]
        description=f"a section of the report, one of {', '.join(SECTIONS)}",
        json_schema_extra={
            "$comment": "`omitted` is for results that the paper leaves out, `comparisons` for what it says in words"
        },
    )
    title: Title = Field(description="a text that stands above the figure")
    assumptions: Text = Field(
        "",
        description="what the paper does not say and this config chose, a text",
        json_schema_extra={"$comment": "it stands in the caption"},
    )


class OwnRuns(Entry):
    """What every figure with runs of its own has."""

    environment: Annotated[
        tuple[str, ...], PlainValidator(_names(ENVIRONMENTS)), WithJsonSchema(_names_schema(ENVIRONMENTS))
    ] = Field(
        description=f"an environment, one of {', '.join(ENVIRONMENTS)}; or, for a figure of kind games, "
        "a list of different games"
    )
    method: Annotated[tuple[str, ...], PlainValidator(_names(METHODS)), WithJsonSchema(_names_schema(METHODS))] = Field(
        description=f"a method, one of {', '.join(METHODS)}; or a list of different ones"
    )
    alpha: Tokens = Field(
        description="a list of number tokens such as 2^-10, at least one",
        json_schema_extra={"$comment": "the initial step-sizes"},
    )
    mu: Tokens = Field(
        [],
        description="a list of number tokens such as 2^-10, at least one",
        json_schema_extra={"$comment": "the meta-step-sizes; required if a method has one"},
    )
    drift: Rates = Field(
        [],
        description='a list of number tokens such as "4e-6", at least one',
        json_schema_extra={
            "$comment": "how likely the sign of each feature flips in a step; drifting_mountain_car only"
        },
    )
    seeds: Seeds = Field(
        description="how many seeds (0, 1, …), a whole number from 1 up to 100000, or a list of different seeds "
        "from 0 up to 2^63 - 1",
        json_schema_extra={"$comment": "`10` stands for the seeds 0 to 9"},
    )
    smoothing: int = Field(
        ge=1,
        le=1_000_000,
        description="over how many last episodes a curve is the mean, a whole number from 1 up to 1000000",
    )
    readings: Answers = Field(
        {},
        description="a table of reading and answer, of those that this figure's runs read differently",
        json_schema_extra={
            "$comment": "its runs lie in a folder of their own, such as "
            "`results/<scale>/readings/nosid_normaliser~trace_product/runs/`"
        },
    )
    hyper: Settings = Field(
        {},
        description="a table of hyper-parameter and number token, of those that differ from the published defaults",
        json_schema_extra={"$comment": "its runs lie in a folder of their own, as with `readings`"},
    )


class OnEpisodes(OwnRuns):
    """What a figure of environments that count in episodes has."""

    episodes: int = Field(ge=1, le=1_000_000, description="a whole number of episodes, from 1 to 1000000")
