"""The article and the claims page: two files, each of which needs no other to be read, and no script.

The templates reports/article.html and reports/claims.html lay out what stands here as plain types. They say nothing
about what a scale found that is not in its tables: the verdicts in claims.json, and the pictures.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pandas as pd
from docutils.core import publish_parts

from metatrace.analysis import tables
from metatrace.errors import UserError
from metatrace.methods import METHODS
from metatrace.report import claims_json, pictures
from metatrace.report.cards import cards, group_of
from metatrace.report.criteria import Claim
from metatrace.report.opening import opening, written
from metatrace.report.verdicts import RESULTS, VERDICTS, counted, tally
from metatrace.runs import atomic
from metatrace.runs.atomic import remedy

_DOCUTILS = {"report_level": 3, "halt_level": 3, "raw_enabled": False, "file_insertion_enabled": False}


def pages(words: Mapping[str, Any], results: Path, claims: Iterable[Claim], templates: Path) -> tuple[bytes, bytes]:
    """The article and the claims page. The same results and words give the same bytes.

    Args:
      words: of `context.article_context`.
      results: `results/<scale>`, with `tables/claims.json` and the pictures.
      claims: of `criteria.read`.
      templates: the folder of the templates, style sheets and captions.

    Raises:
      UserError: a picture, a template or the verdicts are missing or damaged.
    """
    entries = claims_json.entries(results / "tables" / "claims.json")
    judged = cards(entries, claims, words["shown_by"])
    subjects = {card["figure"]: None for card in judged if card["figure"]}
    shown = {
        "words": words,
        "style": _text(templates, "pages.css") + _text(templates, "article.css"),
        "opening": _opening(results, words["opening"]),
        "cards": judged,
        "tally": tally(entries),
        "tallies_of_groups": _tallies(entries, group_of),
        "tallies": _tallies(entries, itemgetter("section")),
        "means": {word: verdict.means for word, verdict in (RESULTS | VERDICTS).items()},
        "results": [word for word in RESULTS if word not in VERDICTS],
        "pairs": {
            name: pairs(tables.read(results / "tables" / name / "improvement.parquet"))
            for name in words["run_against_run"]
        },
        "signs": {name: pictures.small(results / "figures" / name) for name in subjects},
        "figures": {
            figure["name"]: {
                **figure,
                "picture": pictures.inlined(results / "figures" / figure["name"]),
                "caption": _caption(templates, words, figure),
                "details": _html(figure["words"]["details"]),
            }
            for figure in words["figures"]
        },
    }
    article, page = (_rendered(templates, name, shown) for name in ("article.html", "claims.html"))
    return article, page


def _tallies(
    entries: Iterable[Mapping[str, Any]], key: Callable[[Mapping[str, Any]], str]
) -> dict[str, dict[str, list[str]]]:
    """`verdicts.tally` of the entries with the same key, by that key."""
    by_key: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        by_key.setdefault(key(entry), []).append(entry)
    return {name: tally(members) for name, members in by_key.items()}


def _opening(results: Path, figure: str) -> dict[str, Any] | None:
    """The picture at the top, from the table that a figure draws; None if the scale has no such figure."""
    if not figure:
        return None
    path = results / "figures" / f"{figure}.csv"
    try:
        return opening(pd.read_csv(path, dtype={"alpha": str, "mu": str}))
    except (OSError, ValueError, KeyError):
        raise UserError(f"{path}: is missing, cut short or garbled; {remedy(path)}") from None


def pairs(table: pd.DataFrame) -> dict[str, Any]:
    """How likely a run of one method beats a run of another, as text.

    Args:
      table: of `over_seeds.improvements`.

    Returns:
      `drifts`, the rates; `rows`, each the names of a pair of methods and a cell for each rate.
    """
    drifts = list(dict.fromkeys(table["drift"]))
    rows = []
    for (method, other), pair in table.groupby(["method", "other"], sort=False):
        cells = {
            row.drift: f"{row.improvement:.2f} [{row.improvement_low:.2f}, {row.improvement_high:.2f}]"
            for row in pair.itertuples()
        }
        names = f"{METHODS[str(method)].name} over {METHODS[str(other)].name}"
        rows.append((names, [cells.get(drift, "") for drift in drifts]))
    return {"drifts": drifts, "rows": rows}


def _caption(templates: Path, words: Mapping[str, Any], figure: Mapping[str, Any]) -> str:
    """A figure's caption, by the template that Snakemake's report shows too, without the details at its end."""
    told = {**words, "figures": {figure["name"]: {**figure["words"], "details": ""}}}
    # As Snakemake renders it, but that nothing may be missing.
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(_text(templates, f"{figure['template']}.rst"))
    wildcards = SimpleNamespace(figure=figure["name"])
    return _html(template.render(snakemake=SimpleNamespace(config={"presentation": told}, wildcards=wildcards)))


def _html(text: str) -> str:
    """A text in reStructuredText as HTML."""
    return str(publish_parts(text, writer="html5", settings_overrides=_DOCUTILS)["fragment"])


def _rendered(templates: Path, name: str, shown: Mapping[str, Any]) -> bytes:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["counted"] = counted
    try:
        return (written(environment.get_template(name).render(shown)) + "\n").encode()
    except jinja2.TemplateNotFound as error:
        raise UserError(f"{templates}/{error.name}: there is no such file; restore it") from None
    except jinja2.TemplateError as error:
        raise UserError(f"{templates}/{name}: cannot be filled in ({error}); restore it") from None


def _text(templates: Path, name: str) -> str:
    return atomic.read_text(templates / name, "restore it")
