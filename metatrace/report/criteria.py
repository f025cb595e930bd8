"""What decides the paper's claims: `config/claims.yaml`, read and checked."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from metatrace.config.loading import read_yaml
from metatrace.errors import UserError
from metatrace.report.claim_statistics import STATISTICS

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
_RULES = {"above": ">", "at_least": "≥", "below": "<"}


@dataclass(frozen=True)
class Part:
    """One statistic of a claim, its `rule` (above, at_least or below a threshold), and the reason for the threshold."""

    name: str
    statistic: str
    rule: str
    threshold: float
    because: str

    @property
    def wanted(self) -> str:
        """The threshold as text: "> 0"."""
        return f"{_RULES[self.rule]} {self.threshold:g}"

    def verdict(self, value: float, low: float, high: float) -> str:
        """Whether it holds, fails or is undecided, judged by its interval."""
        if math.isnan(value) or math.isnan(low) or math.isnan(high):
            return UNDECIDED
        sides = {self._is_met(low), self._is_met(high)}
        return UNDECIDED if len(sides) == 2 else HOLDS if sides == {True} else FAILS

    def _is_met(self, value: float) -> bool:
        if self.rule == "below":
            return value < self.threshold
        return value >= self.threshold if self.rule == "at_least" else value > self.threshold


@dataclass(frozen=True)
class Claim:
    """A claim of the paper: where it stands, which figures have which role in it, and its parts.

    `under` names the reading under which the claim is judged in addition to the default one; else it is empty.
    """

    id: str
    under: str
    section: str
    place: str
    statement: str
    figures: dict[str, tuple[str, ...]]
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        return f"{self.id} under {self.under}" if self.under else self.id


@dataclass(frozen=True)
class Criteria:
    """All claims, and the shares of the paper's length and seeds that a claim needs to be decided."""

    least_length: float
    least_seeds: float
    claims: tuple[Claim, ...]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_Text = Annotated[str, Field(min_length=1)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Figures = dict[
    str,
    Annotated[
        list[_Text], Field(min_length=1), BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
    ],
]


class _Least(_Model):
    length: _Share
    seeds: _Share


class _Part(_Model):
    statistic: _Text
    because: _Text
    above: _Number | None = None
    at_least: _Number | None = None
    below: _Number | None = None


class _Claim(_Model):
    section: _Text
    place: _Text
    statement: _Text
    figures: _Figures = Field(min_length=1)
    under: dict[str, _Figures] = {}
    parts: dict[str, _Part] = Field(min_length=1)


class _File(_Model):
    least: _Least
    claims: dict[str, _Claim] = Field(min_length=1)


def read(path: Path) -> Criteria:
    """Reads and checks a file of claims, such as `config/claims.yaml`.

    Raises:
      UserError: the file is missing, not YAML or not such a file; the line names the file and the key.
    """
    try:
        content = _File.model_validate(read_yaml(path, "config/claims.yaml", "claims"))
    except ValidationError as error:
        raise UserError(f"{path}: {_first(error)}; see config/claims.yaml") from None
    claims = []
    for name, entry in content.claims.items():
        where = f"{path}: claims.{name}"
        if name not in STATISTICS:
            raise UserError(f"{where}: there is no such claim; the claims are {', '.join(STATISTICS)}")
        parts = tuple(_part(key, part, f"{where}.parts.{key}") for key, part in entry.parts.items())
        for under, others in {"": {}, **entry.under}.items():
            figures = {role: tuple(named) for role, named in {**entry.figures, **others}.items()}
            claims.append(Claim(name, under, entry.section, entry.place, entry.statement, figures, parts))
    return Criteria(content.least.length, content.least.seeds, tuple(claims))


def _first(error: ValidationError) -> str:
    """The key and the text of the outermost error."""
    errors: list[Mapping[str, Any]] = list(error.errors(include_url=False))
    first = min(errors, key=lambda one: [str(part) for part in one["loc"]])
    key = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"{key}: there is no such key"
    if first["type"] == "missing":
        return f"{key}: is missing"
    return f"{key}: is {str(first['input'])[:60]!r}; {first['msg']}" if key else str(first["msg"])


def _part(name: str, entry: _Part, where: str) -> Part:
    given = {rule: getattr(entry, rule) for rule in _RULES if getattr(entry, rule) is not None}
    if len(given) != 1:
        raise UserError(f"{where}: has {len(given)} thresholds; it must have one of {', '.join(_RULES)}")
    ((rule, threshold),) = given.items()
    return Part(name, entry.statistic, rule, threshold, entry.because)
