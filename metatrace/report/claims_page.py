"""The table of verdicts as an HTML page, and as JSON for other programs."""

import html
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from metatrace.figures.kinds.entry import PAPERS_OWN
from metatrace.methods import METHODS
from metatrace.report.verdicts import NOT_RUN, RESULTS, THRESHOLDS, TOO_SMALL, VERDICTS, Verdict

_CLAIM = (
    "claim", "under", "section", "place", "statement", "verdict", "why", "leaning", "runs", "share",
)  # fmt: skip
_HOW = (
    "Every part of a claim has a statistic, its 95 % interval (bootstrap over seeds) and a threshold. "
    f"{{meanings}}.</p>\n<p>{THRESHOLDS} To use another threshold, edit <code>config/claims.yaml</code> and rerun "
    "<code>snakemake</code>."
)
_HEADS = ("Claim", "Verdict", "Statistic", "Value and 95 % interval", "Threshold", "Result")
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


def page(
    table: pd.DataFrame,
    summary: Mapping[str, str],
    against: Mapping[str, pd.DataFrame] | None = None,
    *,
    scale: str,
    style: str,
) -> bytes:
    """The verdicts as a page that needs no other file.

    Args:
      table: of `claims.judge`.
      summary: of `claims.summary`.
      against: of figures, by their short name, `over_seeds.improvements`.
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
        f"<p>{_HOW.format(meanings=_meanings())}</p>\n"
        f"<ul>\n{sentences}</ul>\n{''.join(sections)}"
        f"{''.join(_improvements(*item) for item in (against or {}).items())}</main>\n</body>\n</html>\n"
    ).encode()


def _row(claim: Mapping[str, Any]) -> str:
    """A claim as the body of a table, one row per part."""
    span = len(claim["parts"])
    whole = "the paper's" if claim["section"] in PAPERS_OWN else "the full scale's"
    notes = [claim["why"][:1].upper() + claim["why"][1:]] if claim["why"] else []
    if claim["verdict"] == TOO_SMALL.word:
        notes.append(f"Its numbers so far would say: {claim['leaning']}")
    notes.append(f"{claim['runs']:,} runs, {claim['share']:.0%} of {whole}")
    first = (
        f'<th scope="rowgroup" rowspan="{span}"><b>{html.escape(name_of(claim))}</b> '
        f'{html.escape(claim["statement"])} <span class="small">{html.escape(claim["place"])}</span></th>'
        f'<td rowspan="{span}">{_shown(VERDICTS[claim["verdict"]])}'
        f'<span class="small">{html.escape(". ".join(notes))}.</span></td>'
    )
    rows = []
    for number, part in enumerate(claim["parts"]):
        cells = (
            html.escape(part["statistic"]) + f'<span class="small">Why: {html.escape(part["because"])}.</span>',
            estimate(part)
            + (f'<span class="small">Published: {html.escape(part["published"])}.</span>' if part["published"] else ""),
            html.escape(part["wanted"]),
            _shown(RESULTS[part["part_verdict"]])
            + (f'<span class="small">{part["seeds"]} seeds.</span>' if part["part_verdict"] != NOT_RUN.word else ""),
        )
        columns = "".join(f"<td>{cell}</td>" for cell in cells)
        rows.append(f"<tr>{first if number == 0 else ''}{columns}</tr>\n")
    return f"<tbody>{''.join(rows)}</tbody>\n"


def _improvements(figure: str, table: pd.DataFrame) -> str:
    """How likely a run of one method beats a run of another: one row per pair of methods, one column per drift rate."""
    drifts = list(dict.fromkeys(table["drift"]))
    heads = "".join(f"<th scope='col'>{head}</th>" for head in ("methods", *(f"drift {drift}" for drift in drifts)))
    rows = []
    for (method, other), pair in table.groupby(["method", "other"], sort=False):
        cells = {
            row.drift: f"{row.improvement:.2f} [{row.improvement_low:.2f}, {row.improvement_high:.2f}]"
            for row in pair.itertuples()
        }
        names = f"{METHODS[str(method)].name} over {METHODS[str(other)].name}"
        columns = "".join(f"<td>{cells.get(drift, '')}</td>" for drift in drifts)
        rows.append(f"<tr><th scope='row'>{html.escape(names)}</th>{columns}</tr>\n")
    heading = html.escape(f"Run against run: {figure}")
    return (
        f"<section><h2>{heading}</h2>\n<p>How likely a run of the first method has a larger final return than a run of "
        "the second (probability of improvement), with a 95 % bootstrap interval over seeds; at 0.5 neither is better."
        "</p>\n"
        f'<div class="scroll" role="region" aria-label="{heading}" tabindex="0"><table class="pairs">\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>{''.join(rows)}</tbody></table></div></section>\n"
    )


def _shown(verdict: Verdict) -> str:
    return f'<strong class="{verdict.look}">{verdict.mark}&nbsp;{verdict.word}</strong>'


def _meanings() -> str:
    """What every word means, in a sentence for claims and one for parts."""
    of_parts, of_claims = (
        "; ".join(f"<b>{verdict.word}</b> if {verdict.means}" for verdict in words.values())
        for words in ({word: found for word, found in RESULTS.items() if word not in VERDICTS}, VERDICTS)
    )
    return f"A part {of_parts}. A claim is {of_claims}"


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
