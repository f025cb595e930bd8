"""A small copy of a finished scale, to commit: verdicts, scores, thinned curves, pictures, and what made them.

It is for readers who do not have the hours to run it; `results/<scale>` holds the rest.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metatrace import markdown
from metatrace.analysis import points, tables
from metatrace.analysis.groups import SETTING
from metatrace.analysis.thinned import EPISODES, FRAMES
from metatrace.config.experiments import Experiments
from metatrace.config.figure import Figure
from metatrace.domains.registry import domain_of
from metatrace.errors import UserError
from metatrace.pipeline import jobs, outputs, status
from metatrace.report import claims_json, context
from metatrace.report.pictures import with_palette
from metatrace.runs import atomic

_POINTS = 100
# The job that makes each page.
_JOBS = {"index.html": "article", "claims.html": "article", "explorer.html": "explorer", "try.html": "try_page"}
_MOST_BYTES = 12_000_000  # of all pages together


def publish(asked: Experiments, paper: Experiments, folder: str, output: Path, site: Path | None = None) -> None:
    """Writes what is published of a finished scale.

    Args:
      paper: the config of the whole paper; what `asked` has not of it is said not to have run.
      folder: `results/<scale>`.
      output: gets README.md, made_by.json, claims.csv, claims.json, scores.parquet, curves.parquet, figures/.
      site: gets the pages of `context.PAGES`, ready for GitHub Pages.

    Raises:
      UserError: a run is missing or stale, a table or picture is missing, or the pages are too large to publish.
    """
    figures = list(asked.figures.values())
    found = status.survey(asked, folder)
    to_do = found.to_do()
    if to_do or found.missing:
        first = to_do[0].path(folder) if to_do else found.missing[0]
        raise UserError(
            f"{folder}: {len(to_do)} runs and {len(found.missing)} tables, pictures or pages are missing or stale, "
            f"such as {first}; make them with the snakemake command of this config"
        )
    pages = _pages(folder) if site else {}
    made_by = _made_by(asked, found.runs, pages)
    made: dict[str, bytes] = {
        "claims.csv": Path(f"{folder}/tables/claims.csv").read_bytes(),
        "claims.json": Path(f"{folder}/tables/claims.json").read_bytes(),
        "made_by.json": (json.dumps(made_by, ensure_ascii=False, indent=1) + "\n").encode(),
    }
    pictures = {name: figure for figure in figures for name in outputs.pictures_of(figure)}
    for name in pictures:
        made[f"figures/{name}.png"] = with_palette(Path(f"{folder}/figures/{name}.png"))
    claims = json.loads(made["claims.json"])
    made["README.md"] = _readme(asked, paper, claims, made_by, pictures).encode()
    for name, content in made.items():
        atomic.write_atomically(output / name, content)
    of_regression = [figure for figure in figures if "errors" in outputs.csv_tables_of(figure) and not figure.members]
    if of_regression:
        tables.write(_errors(folder, of_regression), output / "errors.parquet")
    figures = outputs.with_returns(figures)
    tables.write(_scores(folder, figures), output / "scores.parquet")
    tables.write(_curves(folder, figures), output / "curves.parquet")
    if site:
        for name, content in {**pages, ".nojekyll": b""}.items():
            atomic.write_atomically(site / name, content)


def _pages(folder: str) -> dict[str, bytes]:
    """The pages of a scale by file name, as far as the workflow makes them.

    Raises:
      UserError: together they are too large.
    """
    pages = {name: Path(folder, name).read_bytes() for name in context.PAGES if Path(folder, name).is_file()}
    size = sum(map(len, pages.values()))
    if size > _MOST_BYTES:
        sizes = ", ".join(f"{name} {len(page) / 1e6:.1f}" for name, page in pages.items())
        raise UserError(
            f"{folder}: its pages take {size / 1e6:.1f} MB ({sizes}); they must take at most {_MOST_BYTES / 1e6:g} MB: "
            "publish without --site, or a config with fewer figures"
        )
    return pages


def _made_by(asked: Experiments, runs: Collection[status.WantedRun], pages: Mapping[str, bytes]) -> dict[str, Any]:
    behind = [
        *sorted(context.run_jobs(asked)),
        *sorted({f"tables_{figure.kind}" for figure in asked.figures.values()}),
        "claims",
        *dict.fromkeys(_JOBS[page] for page in pages),
    ]
    code = {job: jobs.fingerprint_of(job) for job in behind}
    lengths, amounts = status.wanted(asked), Counter[str]()
    for run in runs:
        amounts[domain_of(run.key.environment).unit_text] += lengths[run]
    return {
        "scale": asked.scale,
        "runs": len(runs),
        "amounts": dict(amounts),
        "readings": asked.readings,
        "code": {job: made.digest for job, made in code.items()},
        "pages": {name: hashlib.sha256(page).hexdigest() for name, page in pages.items()},
        "packages": {name: version for made in code.values() for name, version in made.packages.items()},
    }


def _scores(folder: str, figures: Iterable[Figure]) -> pd.DataFrame:
    """Every run once: variant (of the readings), its key, and its scores; of games also how many frames it had."""
    columns = [*SETTING, "seed", "episodes", "final", "auc", "diverged"]
    parts = []
    for figure in figures:
        scores = tables.read(Path(f"{folder}/tables/{figure.name}/scores.parquet"))
        kept = [*columns, *(["frames"] if "frames" in scores else [])]
        parts.append(scores[kept].assign(variant=figure.variant))
    return _once(_whole_numbers(pd.concat(parts, ignore_index=True), "frames"), [*SETTING, "seed"])


def _errors(folder: str, figures: Iterable[Figure]) -> pd.DataFrame:
    """The error of every setting of regression: figure, variant, and the columns of `analysis.errors.make`."""
    parts = [
        tables.read(Path(f"{folder}/tables/{figure.name}/errors.parquet")).assign(
            figure=figure.name, variant=figure.variant
        )
        for figure in figures
    ]
    return pd.concat(parts, ignore_index=True)


def _curves(folder: str, figures: Iterable[Figure]) -> pd.DataFrame:
    """Every setting's curve over the same seeds once, at most `_POINTS` episodes or observed frames of it."""
    parts, axes = [], []
    for figure in figures:
        curves = tables.read(Path(f"{folder}/tables/{figure.name}/curves.parquet"))
        axis = EPISODES if EPISODES in curves else FRAMES
        places = np.unique(curves[axis].to_numpy())
        shown = curves[curves[axis].isin(places[points.kept(len(places), _POINTS)])]
        seeds = ", ".join(map(str, figure.seeds))
        parts.append(shown.assign(variant=figure.variant, smoothing=figure.smoothing, seeds=seeds))
        axes.append(axis)
    axes = list(dict.fromkeys(axes))
    curves = _whole_numbers(pd.concat(parts, ignore_index=True), *axes)
    curves = _once(curves, [*SETTING, "seeds", "smoothing", *axes])
    # A picture shows no more than six digits.
    return curves.astype(dict.fromkeys(("mean", "low", "high"), "float32"))


def _whole_numbers(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Columns that only some parts of a table have, as whole numbers or missing ones."""
    return table.astype({name: "Int64" for name in columns if name in table})


def _once(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    table = table.drop_duplicates(["variant", *keys], ignore_index=True)
    return table[["variant", *(column for column in table if column != "variant")]]


def _readme(
    asked: Experiments,
    paper: Experiments,
    claims: dict[str, Any],
    made_by: dict[str, Any],
    pictures: dict[str, Figure],
) -> str:
    """The page that readers see: the verdicts and every picture."""
    sentences = "\n".join(f"- {sentence}" for sentence in claims["summary"].values())
    head = ("claim", "verdict", "statistic", "value and 95 % interval", "threshold")
    verdicts = markdown.table(head, (row for claim in claims["claims"] for row in _rows(claim)))
    shown = "\n\n".join(
        f"**{figure.title}**{f' ({name})' if name != figure.name else ''}\n\n![{name}](figures/{name}.png)"
        for name, figure in pictures.items()
    )
    amounts = "".join(f", {amount:,} {unit}" for unit, amount in made_by["amounts"].items())
    sections = asked.sections()
    left_out = [title for section, title in context.SECTIONS.items() if section not in sections]
    left_out += [
        figure.short_name
        for name, figure in paper.figures.items()
        if figure.section in sections and name not in asked.figures
    ]
    not_run = f" Not run: {'; '.join(left_out)}." if left_out else ""
    return f"""\
# Results at the {asked.scale} scale

{made_by["runs"]:,} runs{amounts}. `metatrace publish` wrote this page; do not \
edit it by hand. `made_by.json` names the code, the versions and the readings behind it; `scores.parquet` has one row \
per run, `curves.parquet` the learning curves at a hundred episodes or frames each.{not_run}

## What holds of the paper's claims

{sentences}

{verdicts}

## Pictures

{shown}
"""


def _rows(claim: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The rows of a claim, one per part; the first one names the claim."""
    why = f" ({claim['why']})" if claim["why"] else ""
    first = (f"**{claims_json.name_of(claim)}** {claim['statement']}", f"{claim['verdict']}{why}")
    for part in claim["parts"]:
        yield (*first, part["statistic"], claims_json.estimate(part), part["wanted"])
        first = ("", "")
