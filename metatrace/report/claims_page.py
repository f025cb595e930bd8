"""The table of verdicts as an HTML page, and as JSON for other programs."""

import html
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from metatrace.figures.kinds.entry import PAPERS_OWN

_CLAIM = (
    "claim", "under", "section", "place", "statement", "verdict", "why", "leaning", "runs", "share",
)  # fmt: skip
_HOW = (
    "A part of a claim holds if its whole interval (bootstrap over seeds) lies on the claimed side of a threshold that "
    "was set before the runs, fails if all of it lies on the other side, and is undecided otherwise. A claim is "
    "reproduced if every part holds, and not reproduced if any part fails. To use another threshold, edit "
    "<code>config/claims.yaml</code> and rerun <code>snakemake</code>."
)
_HEADS = ("Claim", "Verdict", "Statistic", "Value and 95 % interval", "Threshold", "Result")
_PART = ("part", "statistic", "value", "low", "high", "wanted", "because", "published", "part_verdict")


def as_json(table: pd.DataFrame, summary: Mapping[str, str], scale: str) -> bytes:
    """The verdicts as JSON: scale, summary (one sentence per section) and claims, each with its parts.

    A number that is not known is null.

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
    return None if isinstance(value, float) and math.isnan(value) else value


def page(table: pd.DataFrame, summary: Mapping[str, str], *, scale: str, style: str) -> bytes:
    """The verdicts as a page that needs no other file.

    Args:
      table: of `claims.judge`.
      summary: of `claims.summary`.
      scale: the config's name.
      style: a style sheet, inlined.
    """
    heads = "".join(f"<th scope='col'>{head}</th>" for head in _HEADS)
    sentences = "".join(f"<li>{html.escape(sentence)}</li>\n" for sentence in summary.values())
    sections = []
    claims = list(_nested(table))
    for section, sentence in summary.items():
        heading = html.escape(sentence.partition(":")[0])
        rows = "".join(_row(claim) for claim in claims if claim["section"] == section)
        sections.append(
            f"<section><h2>{heading}</h2>\n"
            f'<div class="scroll" role="region" aria-label="{heading}" tabindex="0"><table>\n'
            f"<thead><tr>{heads}</tr></thead>\n{rows}</table></div></section>\n"
        )
    title = f"What holds of the paper's claims, at the {scale} scale"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body class='claims'>\n<main>\n"
        f"<h1>{html.escape(title)}</h1>\n"
        f"<p>{_HOW}</p>\n"
        f"<ul>\n{sentences}</ul>\n{''.join(sections)}</main>\n</body>\n</html>\n"
    ).encode()


def _row(claim: Mapping[str, Any]) -> str:
    """A claim as the body of a table, one row per part."""
    span = len(claim["parts"])
    verdict = claim["verdict"]
    whole = "the paper's" if claim["section"] in PAPERS_OWN else "the full scale's"
    extent = f"{claim['runs']:,} runs, {claim['share']:.0%} of {whole}"
    notes = [extent]
    if claim["why"]:
        notes.insert(0, claim["why"][0].upper() + claim["why"][1:])
        if any(part["value"] is not None for part in claim["parts"]):
            notes.insert(1, f"Its numbers alone would say: {claim['leaning']}")
    first = (
        f'<th scope="rowgroup" rowspan="{span}"><b>{html.escape(name_of(claim))}</b> '
        f'{html.escape(claim["statement"])} <span class="small">{html.escape(claim["place"])}</span></th>'
        f'<td rowspan="{span}"><strong class="{verdict.replace(" ", "-")}">{verdict}</strong>'
        f'<span class="small">{html.escape(". ".join(notes))}.</span></td>'
    )
    rows = []
    for number, part in enumerate(claim["parts"]):
        cells = (
            html.escape(part["statistic"]) + f'<span class="small">Why: {html.escape(part["because"])}.</span>',
            estimate(part)
            + (f'<span class="small">Published: {html.escape(part["published"])}.</span>' if part["published"] else ""),
            html.escape(part["wanted"]),
            part["part_verdict"],
        )
        columns = "".join(f"<td>{cell}</td>" for cell in cells)
        rows.append(f"<tr>{first if number == 0 else ''}{columns}</tr>\n")
    return f"<tbody>{''.join(rows)}</tbody>\n"


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
