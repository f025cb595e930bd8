"""What the repository shows of the paper's scale: whole, small, and a warning when the code has moved on."""

import hashlib
import json
import re
import warnings
from pathlib import Path

import pandas as pd
import pytest

from metatrace.config import loading
from metatrace.pipeline import jobs, outputs
from metatrace.report import context, verdicts
from metatrace.runs.key import RunKey

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "published"
LINEAR = loading.read(ROOT / "config" / "linear.yaml")
TEXT = (FOLDER / "README.md").read_text(encoding="utf-8")


def published_figures():
    """The figures that are published; what else there is of the paper is said not to have run, by section or figure."""
    left_out = set("; ".join(re.findall(r"Not run: (.*)\.$", TEXT, re.MULTILINE)).split("; "))
    return [
        figure
        for figure in LINEAR.figures.values()
        if not {context.SECTIONS[figure.section], figure.short_name} & left_out
    ]


def made_by():
    return json.loads((FOLDER / "made_by.json").read_text(encoding="utf-8"))


def test_every_run_setting_and_picture_is_there_but_of_what_is_said_not_to_have_run():
    figures = published_figures()
    assert {"mountain_car", "drifting_mountain_car"} <= {figure.section for figure in figures}
    scores, curves = (pd.read_parquet(FOLDER / f"{name}.parquet") for name in ("scores", "curves"))
    there = {
        (row.variant, RunKey(*row[1:]))
        for row in scores[["variant", *RunKey.__dataclass_fields__]].itertuples(index=False)
    }
    with_returns = outputs.with_returns(figures)
    # Which settings other runs chose, only the results know.
    asked = {(figure.variant, run) for figure in with_returns if not figure.chosen_by for run in figure.some_runs()}
    possible = {(figure.variant, run) for figure in with_returns for run in figure.runs()}
    assert asked <= there <= possible
    others = {(figure.variant, run) for figure in figures if not figure.members for run in figure.runs()} - possible
    assert made_by()["runs"] == len(scores) + len(others) and len(there) == len(scores)
    keys = ["variant", "environment", "method", "alpha", "mu", "drift"]
    assert set(map(tuple, curves[keys].drop_duplicates().to_numpy())) == set(
        map(tuple, scores[keys].drop_duplicates().to_numpy())
    )
    pictures = {f"{name}.png" for figure in figures for name in outputs.pictures_of(figure)}
    assert {path.name for path in (FOLDER / "figures").iterdir()} == pictures
    assert set(re.findall(r"\]\(figures/([^)]+)\)", TEXT)) == pictures


def test_the_tables_together_are_at_most_5_mb():
    names = ("scores.parquet", "curves.parquet", "claims.csv", "claims.json", "made_by.json")
    assert sum((FOLDER / name).stat().st_size for name in names) < 5e6


def test_the_pages_are_those_that_were_published_and_take_at_most_12_mb():
    pages = made_by().get("pages", {})
    there = {path.name: path.read_bytes() for path in (ROOT / "docs").glob("*.html")}
    assert {name: hashlib.sha256(page).hexdigest() for name, page in there.items()} == pages
    assert sum(map(len, there.values())) <= 12e6
    assert not pages or (ROOT / "docs" / ".nojekyll").is_file()
    for name in {"index.html", "claims.html"} & set(there):
        assert set(re.findall(r'href="([^":#]+)["#]', there[name].decode())) <= set(pages), name


def test_the_readme_has_the_published_verdicts():
    text = (ROOT / verdicts.PAGE).read_text(encoding="utf-8")
    assert verdicts.page(text, json.loads((ROOT / verdicts.PUBLISHED).read_text(encoding="utf-8"))["claims"]) == text


@pytest.mark.parametrize("name", ["index.html", "claims.html"])
def test_a_page_counts_the_published_verdicts_in_plain_english(name):
    claims = json.loads((ROOT / verdicts.PUBLISHED).read_text(encoding="utf-8"))["claims"]
    groups = [claims, *([claim for claim in claims if claim["section"] == section] for section in context.SECTIONS)]
    sentences = [re.sub(r" \([^)]*\)", "", verdicts.sentence(group)) for group in groups]
    told = re.findall(r'<p class="(?:lead|tally)">Of (\d+ claims?:[^<]*)\.</p>', (ROOT / "docs" / name).read_text())
    assert told and {f"of {line.replace(':', ',', 1)}" for line in told} <= set(sentences)


def moved_on(made_by):
    """The kinds of job whose code has changed since the published results were made."""
    return [
        job
        for job, digest in made_by["code"].items()
        if job not in jobs.JOBS or jobs.fingerprint_of(job).digest != digest
    ]


def test_it_warns_when_the_code_has_moved_on():
    moved = moved_on(made_by())
    if moved:
        warnings.warn(
            f"reports/published and docs/*.html were made by other code than {', '.join(moved)} is now; rebuild them "
            "with `snakemake --configfile config/linear.yaml` and `make publish`",
            stacklevel=1,
        )
    other = {"code": {**made_by()["code"], "claims": "0" * 16, "no_such_job": "0" * 16}}
    assert {"claims", "no_such_job"} <= set(moved_on(other))
