"""What decides the paper's claims: `config/claims.yaml`, read and checked."""

import math
import operator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from metatrace.config.loading import read_yaml
from metatrace.errors import UserError
from metatrace.report.statistics.registry import STATISTICS
from metatrace.report.verdicts import FAILS, HOLDS, INCONCLUSIVE, LEVEL, Verdict

_RULES = {"above": (">", operator.gt), "at_least": ("≥", operator.ge), "below": ("<", operator.lt)}
_Text = Annotated[str, Field(min_length=1)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Margin = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Range = Annotated[list[_Number], Field(min_length=2, max_length=2)]
_Names = Annotated[
    list[_Text], Field(min_length=1), BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Part(_Model):
    """One statistic of a claim, its threshold and the threshold's reason.

    The statistic must be `above`, `at_least` or `below` a number, or `between` two, the smaller one first. If `level`
    is given, the statistic is a difference of returns, and level if it is no further from zero. `published` is what the
    claim's authors report, as text.
    """

    statistic: _Text
    because: _Text
    published: _Text | None = None
    above: _Number | None = None
    at_least: _Number | None = None
    below: _Number | None = None
    between: _Range | None = None
    level: _Margin | None = None

    @property
    def _thresholds(self) -> dict[str, Any]:
        given = {rule: getattr(self, rule) for rule in (*_RULES, "between")}
        return {rule: threshold for rule, threshold in given.items() if threshold is not None}

    @model_validator(mode="after")
    def _has_one_threshold(self) -> Self:
        if len(self._thresholds) != 1:
            text = f"has {len(self._thresholds)} thresholds; it must have one of {', '.join(_RULES)}, between"
            raise PydanticCustomError("thresholds", "{text}", {"text": text})
        if self.between is not None and self.between[0] >= self.between[1]:
            text = f"has between {self.between}; it must be two numbers, the smaller one first"
            raise PydanticCustomError("thresholds", "{text}", {"text": text})
        return self

    @property
    def wanted(self) -> str:
        """The threshold as text: "> 0", "> 0; level within ±3", "35 to 65"."""
        if self.between is not None:
            return "{:g} to {:g}".format(*self.between)
        ((rule, threshold),) = self._thresholds.items()
        level = "" if self.level is None else f"; level within ±{self.level:g}"
        return f"{_RULES[rule][0]} {threshold:g}{level}"

    @property
    def claimed(self) -> tuple[float | None, float | None]:
        """The least and the largest value that the claim allows; None where there is no such bound."""
        if self.between is not None:
            return self.between[0], self.between[1]
        least = self.above if self.above is not None else self.at_least
        return least, self.below

    def verdict(self, value: float, low: float, high: float) -> Verdict:
        """Whether it holds, fails, is level or inconclusive, judged by its interval."""
        if any(map(math.isnan, (value, low, high))):
            return INCONCLUSIVE
        if self.level is not None and -self.level <= low and high <= self.level:
            return LEVEL
        if self.between is not None:
            least, most = self.between
            if least <= low and high <= most:
                return HOLDS
            return FAILS if high < least or most < low else INCONCLUSIVE
        ((rule, threshold),) = self._thresholds.items()
        sides = {_RULES[rule][1](end, threshold) for end in (low, high)}
        return INCONCLUSIVE if len(sides) == 2 else HOLDS if sides == {True} else FAILS

    def seeds_needed(self, value: float, low: float, high: float, seeds: int) -> float:
        """How many seeds would be expected to decide it, if the value stays and the interval shrinks as 1/√seeds.

        n′ = n · min over the ranges (l, u) that hold the value of max((value − low)/(value − l), (high − value)/(u −
        value))². A range is decided: one side of a threshold, what lies between two, or what is level.

        Returns:
          ∞ for a value on a threshold, NaN without an interval.
        """
        if any(map(math.isnan, (value, low, high))):
            return math.nan
        edges = [-math.inf, *sorted(self.between or self._thresholds.values()), math.inf]
        ranges = [*pairwise(edges), *([] if self.level is None else [(-self.level, self.level)])]
        shares = [
            max((value - low) / (value - least), (high - value) / (most - value))
            for least, most in ranges
            if least < value < most
        ]
        return max(seeds + 1, math.ceil(seeds * min(shares) ** 2)) if shares else math.inf


class _Entry(_Model):
    section: _Text
    place: _Text
    statement: _Text
    of_other_games: bool = False
    figures: dict[str, _Names] = Field(min_length=1)
    apart: dict[str, _Names] = {}
    under: dict[str, dict[str, _Names]] = {}
    parts: dict[str, Part] = Field(min_length=1)


class Claim(_Entry):
    """A claim of the paper: where it stands, which figures have which role in it, and its parts.

    `apart` names, by part, the roles of figures with seeds of their own: such a part is judged by these roles alone,
    and they are resampled apart from the others. `of_other_games`: it is asked of games that are not the paper's, so it
    carries over to them or does not. `reading` names the reading under which the claim is judged in addition to the
    default one; else it is empty.
    """

    id: str
    reading: str

    @property
    def name(self) -> str:
        return f"{self.id} under {self.reading}" if self.reading else self.id


class _Least(_Model):
    length: _Share
    seeds: _Share


class _File(_Model):
    least: _Least
    claims: dict[str, _Entry] = Field(min_length=1)


@dataclass(frozen=True)
class Criteria:
    """All claims, and the shares of the paper's length and seeds that a claim needs to be decided."""

    least: _Least
    claims: tuple[Claim, ...]


def read(path: Path) -> Criteria:
    """Reads and checks a file of claims, such as `config/claims.yaml`.

    Raises:
      UserError: the file is missing, not YAML or not such a file; the line names the file and the key.
    """
    try:
        content = _File.model_validate(read_yaml(path, "config/claims.yaml", "claims"))
    except ValidationError as error:
        raise UserError(f"{path}: {_first(error)}; see config/claims.yaml") from None
    unknown = [name for name in content.claims if name not in STATISTICS]
    if unknown:
        raise UserError(f"{path}: claims.{unknown[0]}: there is no such claim; the claims are {', '.join(STATISTICS)}")
    claims = (
        Claim(**dict(entry) | {"id": name, "reading": reading, "figures": entry.figures | figures})
        for name, entry in content.claims.items()
        for reading, figures in {"": {}, **entry.under}.items()
    )
    return Criteria(content.least, tuple(claims))


def _first(error: ValidationError) -> str:
    """The key and the text of the outermost error."""
    first = min(error.errors(include_url=False), key=lambda one: [str(part) for part in one["loc"]])
    texts = {"extra_forbidden": "there is no such key", "missing": "is missing", "thresholds": first["msg"]}
    text = texts.get(first["type"], f"is {str(first['input'])[:60]!r}; {first['msg']}")
    key = ".".join(map(str, first["loc"]))
    return f"{key}: {text}" if key else first["msg"]
