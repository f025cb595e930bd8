"""A figure's entry in the config: the models that the kinds' own models are made of, and their types.

A description completes the sentence "it must be …"; documentation shows it too. `$comment` is for documentation alone.
"""

import json
import unicodedata
from collections.abc import Collection
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from metatrace import numbers
from metatrace.domains.gymnasium.domain import PATTERN
from metatrace.domains.registry import ENVIRONMENTS, NAMES
from metatrace.errors import UserError
from metatrace.methods import METHODS

# The report's sections, each with its heading.
SECTIONS = {
    "mountain_car": "Mountain car",
    "drifting_mountain_car": "Drifting mountain car",
    "atari": "Arcade Learning Environment",
    "minatar": "MinAtar",
    "omitted": "Results that the paper omits",
    "comparisons": "SID, NOSID and larger meta-step-sizes, compared",
    "fresh_seeds": "Fresh seeds",
    "alternatives": "What a user would pick instead",
    "related": "Related systems",
    "elsewhere": "Elsewhere: environments of Gymnasium",
}
# Those whose figures are the paper's own; it has none like those of the others.
PAPERS_OWN = ("mountain_car", "drifting_mountain_car", "atari")
REFUSED = "refused"  # the type of the errors that bring their own words
MAX_SEED = 2**63 - 1
MAX_SEEDS = 100_000
_CONTROL = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, line and paragraph separators


def refusal(text: str, *positions: int) -> PydanticCustomError:
    """An error whose line is `text` after the key, and after the position in it if the fault lies there."""
    return PydanticCustomError(REFUSED, "{text}", {"text": text, "positions": positions})


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


def _different(values: list[Any]) -> list[Any]:
    if len(set(values)) < len(values):
        raise ValueError
    return values


def _seeds(value: int | str | list[int]) -> tuple[int, ...]:
    if isinstance(value, str):
        first, last = map(int, value.split("-"))
        if not 0 <= last - first < MAX_SEEDS:
            raise refusal(f"is {value}; it must be the first and the last of at most {MAX_SEEDS} seeds")
        return tuple(range(first, last + 1))
    return tuple(range(value) if isinstance(value, int) else value)


def _names(known: Collection[str], pattern: str = "") -> Any:
    """The type of one name or a list of different ones; either becomes a tuple.

    Args:
      pattern: what else is known, for the schema.
    """

    def names(value: str | list[str]) -> tuple[str, ...]:
        listed = (value,) if isinstance(value, str) else tuple(value)
        if not all(name in known for name in listed):
            raise ValueError
        return listed

    listed: Any = {"enum": list(known)}
    one = Annotated[str, Field(json_schema_extra={"anyOf": [listed, {"pattern": pattern}]} if pattern else listed)]
    return Annotated[one | Several[one], AfterValidator(names)]


def _answer(what: str) -> Any:
    """The type of a text in a table; the message for any other value says `what` it must be."""

    def answer(value: Any) -> Any:
        if not isinstance(value, str):
            raise refusal(f"is {shown(value)}; it must be {what}")
        return value

    return Annotated[str, BeforeValidator(answer)]


def shown(value: object) -> str:
    """A value as YAML may have it, for an error message; a long one is cut."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


def key(description: str, comment: str = "", default: Any = ..., **limits: Any) -> Any:
    """A key of a table: what it must be, a comment for the documentation, and its default if it is not required."""
    return Field(
        default, description=description, json_schema_extra={"$comment": comment} if comment else None, **limits
    )


Item = TypeVar("Item")
Several = Annotated[
    list[Item], Field(min_length=1, json_schema_extra={"uniqueItems": True}), AfterValidator(_different)
]
Token = Annotated[str, BeforeValidator(_token)]
Tokens = Annotated[list[Token], Field(min_length=1), AfterValidator(_distinct)]
Rates = Annotated[list[Annotated[str, BeforeValidator(_rate)]], Field(min_length=1), AfterValidator(_distinct)]
Text = Annotated[str, AfterValidator(_text)]
Title = Annotated[Text, Field(pattern=r"\S")]
Seeds = Annotated[
    Annotated[int, Field(ge=1, le=MAX_SEEDS)]
    | Annotated[str, Field(pattern=r"^\d{1,18}-\d{1,18}$")]
    | Several[Annotated[int, Field(ge=0, le=MAX_SEED)]],
    AfterValidator(_seeds),
]
_Answer: Any = _answer("an answer that config/README.md lists")
_Setting: Any = _answer("a number token in quotes, such as '1000'")
Answers = dict[str, _Answer]
Settings = dict[str, _Setting]
Environments: Any = _names(ENVIRONMENTS, PATTERN)
Methods: Any = _names(METHODS)


class Model(BaseModel):
    """A table of the config: no unknown keys, and no value is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Entry(Model):
    """What every figure has."""

    section: Literal[tuple(SECTIONS)] = key(  # type: ignore[valid-type]
        f"a section of the report, one of {', '.join(SECTIONS)}",
        "`omitted` is for results that the paper leaves out, `comparisons` for what it says in words, "
        "`fresh_seeds` for settings that other figures chose",
    )
    title: Title = key("a text that stands above the figure")
    assumptions: Text = key(
        "what the paper does not say and this config chose, a text", "it stands in the caption", default=""
    )


class OwnRuns(Entry):
    """What every figure with runs of its own has."""

    environment: Environments = key(
        f"an environment, one of {NAMES}; or, for a figure of kind games or environments, a list of different ones"
    )
    method: Methods = key(f"a method, one of {', '.join(METHODS)}; or a list of different ones")
    alpha: Tokens = key("a list of number tokens such as 2^-10, at least one", "the initial step-sizes")
    mu: Tokens = key(
        "a list of number tokens such as 2^-10, at least one",
        "the meta-step-sizes; required if a method has one",
        default=[],
    )
    drift: Rates = key(
        'a list of number tokens such as "4e-6", at least one',
        "how likely the sign of each feature flips in a step; drifting environments only",
        default=[],
    )
    seeds: Seeds = key(
        "how many seeds (0, 1, …), a whole number from 1 up to 100000, or a list of different seeds from 0 up to "
        "2^63 - 1, or the first and the last such as 100-199",
        "`10` stands for the seeds 0 to 9",
    )
    smoothing: int = key(
        "over how many last episodes a curve is the mean, a whole number from 1 up to 1000000", ge=1, le=1_000_000
    )
    readings: Answers = key(
        "a table of reading and answer, of those that this figure's runs read differently",
        "its runs lie in a folder of their own, such as "
        "`results/<scale>/readings/nosid_normaliser~trace_product/runs/`",
        default={},
    )
    hyper: Settings = key(
        "a table of hyper-parameter and number token, of those that differ from the published defaults",
        "its runs lie in a folder of their own, as with `readings`",
        default={},
    )


class OnEpisodes(OwnRuns):
    """What a figure of environments that count in episodes has."""

    episodes: int = key("a whole number of episodes, from 1 to 1000000", ge=1, le=1_000_000)


class OnFreshSeeds(OnEpisodes):
    """What a figure has that can show the settings that another figure's runs chose."""

    settings_from: str = key(
        "the name of a figure of the same kind, with the same runs on other seeds",
        "only the settings that did best there run here: of each method and drift the α and μ with the best final "
        "return (kind best_mu), or at every α the μ with the best mean AUC over α (kind step_sizes)",
        default="",
    )


class OnExamples(OwnRuns):
    """What a figure of environments that count in examples has."""

    examples: int = key("a whole number of examples, from 1 to 1000000000", ge=1, le=1_000_000_000)
    smoothing: int = key(
        "over how many last examples an error is the mean, a whole number from 1 up to 1000000", ge=1, le=1_000_000
    )
