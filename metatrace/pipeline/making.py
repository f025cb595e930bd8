"""What the workflow's scripts do: each takes what its job is told (`metatrace.pipeline.plan`) and writes its files."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from metatrace.errors import UserError
from metatrace.runs import atomic


@contextmanager
def logged(log: str) -> Iterator[None]:
    """Sends all that this process says to the job's log; bad input ends it with one line there and exit code 2."""
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    try:
        yield
    except UserError as error:
        print(f"metatrace: error: {error}", file=sys.stderr)
        sys.exit(2)


def make_tables(job: Mapping[str, Any]) -> None:
    """Writes a figure's tables: Parquet, some as CSV as well, and what the explorer shows of it."""
    from metatrace.analysis import tables
    from metatrace.analysis.job import TablesJob

    told = TablesJob(**{field.name: job[field.name] for field in fields(TablesJob)})
    folder, runs = job["folder"], told.load_runs()
    made = named(job["make"])(told, runs)
    for name, frame in made.items():
        tables.write(frame, f"{folder}/{name}.parquet")
    for name in job["csv"]:
        atomic.write_atomically(f"{folder}_{name}.csv", tables.as_csv(made[name]))
    if job["thin"]:
        shown = named(job["thin"])(told, runs, made["curves"])
        atomic.write_atomically(f"{folder}/thinned.json", json.dumps(shown, separators=(",", ":")).encode())


def draw_pictures(job: Mapping[str, Any]) -> None:
    """Draws a figure's pictures, and writes each with the table that it shows."""
    from metatrace.figures import style
    from metatrace.figures.kinds.kind import PictureJob

    tables, reference = Path(job["tables"]), Path(job["reference"]) if job["reference"] else None
    for picture in job["pictures"]:
        told = PictureJob(tables, picture["title"], picture["note"], reference, job["facts"])
        figure, table = named(picture["draw"])(told)
        style.save(figure, table, picture["prefix"])


def choose_settings(job: Mapping[str, Any], settings: str, output: str) -> None:
    """Writes the α that did best in a figure of games, or the settings that did best in another one, one per line."""
    from metatrace.analysis import best, games, tables

    frame = tables.read(Path(settings))
    if "count" in job:
        tables.require_columns(frame, ("environment", "method", "alpha", "mu", "final"), Path(settings))
        chosen = games.best_alpha(frame, environment=job["environment"], method=job["method"], count=job["count"])
    else:
        score, quantities = job["choice"]
        tables.require_columns(frame, ("method", "alpha", "mu", "drift", score), Path(settings))
        chosen = best.best_settings(frame, job["among"], score, quantities)
    atomic.write_atomically(output, "".join(f"{setting}\n" for setting in chosen).encode())


def judge_claims(job: Mapping[str, Any], inputs: Any, outputs: Any) -> None:
    """Writes what holds of the paper's claims: JSON and CSV."""
    from metatrace.analysis import tables
    from metatrace.config import loading
    from metatrace.report import claims, claims_json, criteria

    ran = claims.load(Path(job["tables"]), job["kinds"], loading.read(Path(inputs.paper)))
    table = claims.judge(criteria.read(Path(inputs.claims)), ran)
    summary = claims.summary(table, job["sections"])
    atomic.write_atomically(outputs.json, claims_json.as_json(table, summary, job["scale"]))
    atomic.write_atomically(outputs.csv, tables.as_csv(table))


def write_article(job: Mapping[str, Any], claims: str, outputs: Any) -> None:
    """Writes the article and the claims page."""
    from metatrace.report import article, criteria

    judged_by = criteria.read(Path(claims)).claims
    made = article.pages(job["words"], Path(job["results"]), judged_by, Path("reports"))
    for path, page in zip((outputs.article, outputs.claims), made, strict=True):
        atomic.write_atomically(path, page)


def write_explorer(job: Mapping[str, Any], output: str) -> None:
    """Writes the explorer's page."""
    from metatrace.report import explorer

    page = explorer.page(job["words"], Path(job["tables"]), Path("reports"))
    atomic.write_atomically(output, page)


def write_try_page(job: Mapping[str, Any], output: str) -> None:
    """Writes the page to play with."""
    from metatrace.report import try_page

    atomic.write_atomically(output, try_page.page(job["words"], Path("reports")))


def write_report(job: Mapping[str, Any], output: str) -> None:
    """Writes the report, whole or not at all: Snakemake writes it piece by piece.

    A second Snakemake makes it, which only reads; the first one holds the lock.
    """
    draft = Path(output).with_name(f".report.{os.getpid()}.html")  # whoever is killed, or an orphan, has another
    command = ["snakemake", "figures", "--report", str(draft), "--report-stylesheet", "reports/style.css"]
    try:
        done = subprocess.run([*command, "--nolock", "--quiet", "--configfile", job["config"]], check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)
        atomic.write_atomically(output, draft.read_bytes())
    finally:
        draft.unlink(missing_ok=True)


def named(function: str) -> Callable[..., Any]:
    """The function that `module:function` names."""
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
