"""The words of the verdicts: each is here once, in the order in which a reader is told them, with its look.

Whatever shows verdicts takes them from here, and counts them with `tally`. `python -m metatrace.report.verdicts` writes
the table in README.md, of reports/published/claims.json or the file that it is given.
"""

import json
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metatrace import markdown
from metatrace.figures.kinds.entry import SECTIONS

PAGE = Path("README.md")
PUBLISHED = Path("reports/published/claims.json")


@dataclass(frozen=True)
class Verdict:
    """A verdict over a claim, or over a part of one.

    Attributes:
      word: as it stands in claims.json. of_several: how a sentence says it of several claims.
      mark: a sign to stand before the word, because a colour alone says nothing to some readers.
      look: the class that colours it in reports/pages.css.
      means: when it is given; ends a sentence that begins "if".
    """

    word: str
    of_several: str
    mark: str
    look: str
    means: str


REPRODUCED = Verdict("reproduced", "reproduced", "✓", "yes", "every part holds")
CARRIES_OVER = Verdict(
    "carries over", "carry over", "✓", "yes", "every part holds on games that the paper does not have"
)
NOT_REPRODUCED = Verdict("not reproduced", "not reproduced", "✗", "no", "a part fails, or is level")
DOES_NOT_CARRY_OVER = Verdict(
    "does not carry over", "do not carry over", "✗", "no", "a part fails on games that the paper does not have"
)
INCONCLUSIVE = Verdict(
    "inconclusive", "inconclusive", "?", "open", "no part fails, but the interval of one covers its threshold"
)
TOO_SMALL = Verdict(
    "too small to judge",
    "too small to judge",
    "…",
    "open",
    "too few of the full scale's episodes, seeds or settings ran",
)
NOT_RUN = Verdict("not run", "not run", "–", "open", "runs that it needs are not there")
# When the thresholds were written, in running text.
THRESHOLDS = (
    "The thresholds of the C claims were written before the verdicts were first computed, but after figures 1 to 7 had "
    "been seen; those of the K and M claims before any of their runs. That C9 to C14 are judged on fresh seeds, and "
    "which differences are level, was decided later, before the fresh seeds were run."
)
# The verdicts over claims, in the order in which they are told.
VERDICTS = {
    verdict.word: verdict
    for verdict in (
        REPRODUCED, CARRIES_OVER, NOT_REPRODUCED, DOES_NOT_CARRY_OVER, INCONCLUSIVE, TOO_SMALL, NOT_RUN,
    )
}  # fmt: skip

HOLDS = Verdict("holds", "hold", "✓", "yes", "its whole interval lies on the claimed side of the threshold")
FAILS = Verdict("fails", "fail", "✗", "no", "all of it lies on the other side")
LEVEL = Verdict("level", "level", "=", "no", "its whole interval lies so near to zero that neither side is better")
# Those over parts of claims: one without an interval is inconclusive, or not run.
RESULTS = {verdict.word: verdict for verdict in (HOLDS, FAILS, LEVEL, INCONCLUSIVE, NOT_RUN)}


def tally(claims: Iterable[Mapping[Any, Any]]) -> dict[str, list[str]]:
    """Which claims have which verdict: the ids by word, in the order of `VERDICTS`; no word that none has.

    Args:
      claims: with claim (the id), under and verdict, as in claims.json. Those under another reading do not count.
    """
    counted = [claim for claim in claims if not claim["under"]]
    ids = {word: [str(claim["claim"]) for claim in counted if claim["verdict"] == word] for word in VERDICTS}
    return {word: found for word, found in ids.items() if found}


def counted(word: str, ids: Collection[str]) -> str:
    """How many claims have a verdict, as a sentence says it: "1 carries over", "2 carry over"."""
    return f"{len(ids)} {VERDICTS[word].of_several if len(ids) > 1 else word}"


def sentence(claims: Iterable[Mapping[Any, Any]]) -> str:
    """How many claims have which verdict, and which these are: "of 3 claims, 2 reproduced (C1, C2), 1 not run (C3)"."""
    found = tally(claims)
    total = sum(map(len, found.values()))
    parts = [f"{counted(word, ids)} ({', '.join(ids)})" for word, ids in found.items()]
    return f"of {total} claim{'s' if total != 1 else ''}, {', '.join(parts)}"


def table(claims: Iterable[Mapping[Any, Any]]) -> str:
    """The tally as a table in Markdown: one row per section, one column per verdict, with how many claims have it.

    Args:
      claims: as in claims.json, each with its section.
    """
    counted = [claim for claim in claims if not claim["under"]]
    words, rows = list(tally(counted)), []
    for section in dict.fromkeys(claim["section"] for claim in counted):
        members = [claim for claim in counted if claim["section"] == section]
        found = tally(members)
        cells = [f"{SECTIONS.get(section, section)} ({len(members)})"]
        rows.append([*cells, *(str(len(found[word])) if word in found else "" for word in words)])
    return markdown.table(["section (claims)", *words], rows)


def page(text: str, claims: Iterable[Mapping[Any, Any]]) -> str:
    """A page with its table made again: what stands between `<!-- verdicts -->` and `<!-- end -->`."""
    return markdown.with_part(text, "verdicts", table(claims))


def main() -> None:
    """Rewrites the table of README.md in the current folder."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PUBLISHED
    claims = json.loads(path.read_text(encoding="utf-8"))["claims"]
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), claims), encoding="utf-8")


if __name__ == "__main__":
    main()
