"""Claims as cards: the same card of a claim stands in the article and on the claims page.

`reports/claim_card.html` lays a card out; here it gets its contents as plain types.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from metatrace.figures.kinds.entry import PAPERS_OWN
from metatrace.report.claims_json import estimate, name_of
from metatrace.report.context import anchor
from metatrace.report.criteria import Claim, Part
from metatrace.report.verdicts import RESULTS, TOO_SMALL, VERDICTS

# The drawing of an interval, in units of its view box: how wide it is, and how much of that each margin takes.
WIDTH, MARGIN = 260.0, 20.0
_SHOWN_OF_PART = ("statistic", "wanted", "because", "published", "part_verdict", "seeds")
# Whose claims a section has, as the front page groups them; those of all other sections are "others".
_GROUPS = {**dict.fromkeys((*PAPERS_OWN, "omitted"), "paper"), "minatar": "minatar"}


def cards(verdicts: Iterable[Mapping[str, Any]], claims: Iterable[Claim], shown_by: Mapping[str, str]) -> list[Any]:
    """The cards of all claims, in their order.

    Args:
      verdicts: the entries of `claims.json`.
      claims: of `criteria.read`; one for each of these entries, by name.
      shown_by: of each figure of the scale by name, the figure that the article shows for it: itself or, if it is one
        part of several, the whole.

    Returns:
      of each claim `name`, `anchor`, `under`, `section`, `group` (see `group_of`), `place`, `statement`,
      `verdict`, its `mark` and `look` (see `verdicts.Verdict`), `notes`, `parts`, `figures` (the names of those that
      the article shows), and `figure`, the one under which its card stands; "" if the scale has none.
    """
    asked = {claim.name: claim for claim in claims}
    return [_card(entry, asked[name_of(entry)], shown_by) for entry in verdicts]


def group_of(entry: Mapping[str, Any]) -> str:
    """Whose claim one is, by its section: "paper", "minatar" or "others"."""
    return _GROUPS.get(entry["section"], "others")


def _card(entry: Mapping[str, Any], claim: Claim, shown_by: Mapping[str, str]) -> dict[str, Any]:
    verdict = VERDICTS[entry["verdict"]]
    roles = [shown_by[name] for group in claim.figures.values() for name in group if name in shown_by]
    figures = list(dict.fromkeys(roles))
    named = [name for name in figures if _named_first(name, claim.place)]
    # Of several the one with the most roles, or the last: those before are what it is compared with.
    about = sorted(figures, key=roles.count)[-1:]
    return {
        **{key: entry[key] for key in ("under", "section", "place", "statement", "verdict")},
        "name": name_of(entry),
        "anchor": anchor("claim", name_of(entry)),
        "mark": verdict.mark,
        "look": verdict.look,
        "group": group_of(entry),
        "notes": _notes(entry),
        "parts": [_part(part, claim.parts[part["part"]]) for part in entry["parts"]],
        "figures": figures,
        "figure": next(iter(named + about), ""),
    }


def _named_first(figure: str, place: str) -> bool:
    """Whether a claim's place in the paper, such as "figures 2 and 3, text", names a figure, and this one first."""
    named = re.search(r"\bfigures? (\w+)", place)
    return named is not None and figure == f"figure_{named[1].lower()}"


def _notes(entry: Mapping[str, Any]) -> list[str]:
    """Why a claim has its verdict where that is not plain, what its numbers say so far, and how much ran."""
    notes = [f"{entry['why'][0].upper()}{entry['why'][1:]}."] if entry["why"] else []
    if entry["verdict"] == TOO_SMALL.word:
        notes.append(f"Its numbers so far would say: {entry['leaning']}.")
    whole = "the paper's" if entry["section"] in PAPERS_OWN else "the full scale's"
    return [*notes, f"{entry['runs']:,} runs, {entry['share']:.0%} of {whole}."]


def _part(entry: Mapping[str, Any], part: Part) -> dict[str, Any]:
    """A part of a claim as its card has it; `drawing` is None where no value is known."""
    result = RESULTS[entry["part_verdict"]]
    return {
        **{key: entry[key] for key in _SHOWN_OF_PART},
        "mark": result.mark,
        "look": result.look,
        "estimate": estimate(entry),
        "drawing": None if entry["value"] is None else drawing(entry["value"], entry["low"], entry["high"], part),
    }


def drawing(value: float, low: float | None, high: float | None, part: Part) -> dict[str, Any]:
    """Where a value, its interval and its threshold stand on a line of `WIDTH`.

    Args:
      low, high: None where the interval is unknown.

    Returns:
      `value`; `interval` (two ends, or None); `claimed`, the ends of the side or range that the claim asks for;
      `level`, those of what is too near to zero to matter (or None); and `thresholds`, each with place and number.
    """
    least, most = part.claimed
    thresholds = [end for end in (least, most) if end is not None]
    level = () if part.level is None else (-part.level, part.level)
    known = [value, *thresholds, *level, *(end for end in (low, high) if end is not None)]
    start, end = min(known), max(known)

    def place(number: float) -> float:
        return round(MARGIN + (number - start) / ((end - start) or 1.0) * (WIDTH - 2 * MARGIN), 1)

    return {
        "value": place(value),
        "interval": None if low is None or high is None else (place(low), place(high)),
        "claimed": (0.0 if least is None else place(least), WIDTH if most is None else place(most)),
        "level": (place(level[0]), place(level[1])) if level else None,
        "thresholds": [(place(threshold), f"{threshold:g}") for threshold in thresholds],
    }
