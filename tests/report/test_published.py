"""What the repository shows of the paper's scale: whole, small, and a warning when the code has moved on."""

import json
import re
import warnings
from pathlib import Path

import pandas as pd

from metatrace.config import loading
from metatrace.pipeline import jobs, outputs

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "published"
LINEAR = loading.read(ROOT / "config" / "linear.yaml")


def made_by():
    return json.loads((FOLDER / "made_by.json").read_text(encoding="utf-8"))


def test_every_run_setting_and_picture_of_the_linear_part_is_there():
    scores, curves = (pd.read_parquet(FOLDER / f"{name}.parquet") for name in ("scores", "curves"))
    # The explorer's figures have returns. Those of related systems have errors instead, and may not be published yet.
    others = {run for figure in LINEAR.sections()["related"] for run in figure.runs()}
    assert len(scores) == len(LINEAR.all_runs()) - len(others)
    assert made_by()["runs"] in (len(scores), len(LINEAR.all_runs()))
    keys = ["variant", "environment", "method", "alpha", "mu", "drift"]
    assert set(map(tuple, curves[keys].drop_duplicates().to_numpy())) == set(
        map(tuple, scores[keys].drop_duplicates().to_numpy())
    )
    pictures = {f"{name}.png" for figure in LINEAR.figures.values() for name in outputs.pictures_of(figure)}
    related = {f"{name}.png" for figure in LINEAR.sections()["related"] for name in outputs.pictures_of(figure)}
    found = {path.name for path in (FOLDER / "figures").iterdir()}
    assert found | related == pictures
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(figures/([^)]+)\)", text)) == found


def test_the_tables_together_are_at_most_5_mb():
    names = ("scores.parquet", "curves.parquet", "claims.csv", "claims.json", "made_by.json")
    assert sum((FOLDER / name).stat().st_size for name in names) < 5e6


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
            f"reports/published was made by other code than {', '.join(moved)} is now; rebuild it with "
            "`snakemake --configfile config/linear.yaml` and `make publish`",
            stacklevel=1,
        )
    other = {"code": {**made_by()["code"], "claims": "0" * 16, "no_such_job": "0" * 16}}
    assert {"claims", "no_such_job"} <= set(moved_on(other))
