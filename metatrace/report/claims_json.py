"""The verdicts as JSON, for the pages and for other programs."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from metatrace.errors import UserError
from metatrace.runs import atomic
from metatrace.runs.atomic import remedy

_CLAIM = (
    "claim", "under", "section", "place", "statement", "verdict", "why", "leaning", "runs", "share",
)  # fmt: skip
_PART = (
    "part", "statistic", "value", "low", "high", "wanted", "because", "published", "part_verdict", "seeds",
    "seeds_needed",
)  # fmt: skip


def as_json(table: pd.DataFrame, summary: Mapping[str, str], scale: str) -> bytes:
    """The verdicts as JSON: scale, summary (one sentence per section) and claims, each with its parts.

    A number that is not known, or not finite, is null.

    Args:
      table: of `claims.judge`.
      summary: of `claims.summary`.
    """
    content = {"scale": scale, "summary": dict(summary), "claims": list(_nested(table))}
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _nested(table: pd.DataFrame) -> Iterable[dict[str, Any]]:
    for _, rows in table.groupby(["claim", "under"], sort=False):
        records = rows.to_dict("records")
        claim = {key: records[0][key] for key in _CLAIM}
        parts = [{str(key): _known(row[key]) for key in _PART} for row in records]
        yield {**claim, "parts": parts}


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def entries(path: Path) -> list[dict[str, Any]]:
    """The claims of such a JSON file.

    Raises:
      UserError: the file is missing or damaged.
    """
    try:
        claims = list(json.loads(atomic.read_text(path, remedy(path)))["claims"])
        if not all({"claim", "under", "verdict", "parts"} <= claim.keys() for claim in claims):
            raise ValueError("not the claims of a scale")
        return claims
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{path}: is cut short, garbled or holds no verdicts; {remedy(path)}") from None


def name_of(claim: Mapping[str, Any]) -> str:
    """A claim's name, of its entry in the JSON: "C9 under trace_product"."""
    return f"{claim['claim']} under {claim['under']}" if claim["under"] else str(claim["claim"])


def estimate(part: Mapping[str, Any]) -> str:
    """The value of a part and its interval, of its entry in the JSON."""
    if part["value"] is None:
        return "not known"
    interval = "" if part["low"] is None else f" [{_number(part['low'])}, {_number(part['high'])}]"
    return _number(part["value"]) + interval


def _number(value: float) -> str:
    """At least two significant digits."""
    if 0 < abs(value) < 0.1:
        return f"{value:.2g}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 1000 else f"{value:,.0f}"
