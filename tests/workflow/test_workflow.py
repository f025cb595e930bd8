"""The workflow with the real Snakemake: what it makes, what it makes again, and how it fails."""

import os
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from marks import slow
from project import Project

from metatrace.config import loading
from metatrace.pipeline.plan import code_of
from metatrace.runs.results import load_run

PICTURES = ("figure_1", "figure_3", "figure_3_sensitivity", "figure_3_heat_map")
PICTURE = "results/tiny/figures/figure_3.svg"
RUN = "results/tiny/runs/mountain_car/none/alpha~2^-5/mu~0/drift~0/seed~1.npz"


def test_it_makes_the_runs_of_the_config_and_no_others(finished):
    asked = loading.read(finished.folder / "config" / "tiny.yaml")
    expected = {run.path("results/tiny/runs") for run in asked.runs()}
    assert len(expected) == 12
    assert set(finished.results("results/tiny/runs/**/*")) == expected


def test_every_run_says_how_it_was_made(finished):
    for path in finished.results("results/tiny/runs/**/*"):
        run = load_run(finished.folder / path)
        assert run.key.path("results/tiny/runs") == path
        assert run.meta["code"] == code_of(f"run_mountain_car_{run.key.method}")
        assert run.meta["readings"]["time_limit"] == "terminal"
        assert len(run.returns) == len(run.lengths) == 30


def test_a_run_that_diverges_ends_nothing(finished):
    scores = pd.read_parquet(finished.folder / "results/tiny/tables/figure_3/scores.parquet")
    diverged = scores[scores["diverged"]]
    assert set(diverged["mu"]) == {"2^2"}
    settings = pd.read_parquet(finished.folder / "results/tiny/tables/figure_3/settings.parquet")
    assert settings["diverged"].sum() == len(diverged)
    run = load_run(
        finished.folder
        / "results/tiny/runs/mountain_car/scalar-unnormalized"
        / f"alpha~{diverged.iloc[0]['alpha']}/mu~2^2/drift~0/seed~{diverged.iloc[0]['seed']}.npz"
    )
    assert (run.returns[run.diverged_episode :] == -200).all()


def test_the_tables_are_those_of_the_runs(finished):
    scores = pd.read_parquet(finished.folder / "results/tiny/tables/figure_1/scores.parquet")
    curves = pd.read_parquet(finished.folder / "results/tiny/tables/figure_1/curves.parquet")
    returns = {
        (alpha, seed): load_run(
            finished.folder / f"results/tiny/runs/mountain_car/none/alpha~{alpha}/mu~0/drift~0/seed~{seed}.npz"
        ).returns
        for alpha in ("2^-5", "2^-13")
        for seed in (0, 1)
    }
    for row in scores.itertuples():
        assert row.auc == pytest.approx(returns[row.alpha, row.seed].mean(), rel=1e-12)
    for alpha in ("2^-5", "2^-13"):
        last = curves[(curves["alpha"] == alpha) & (curves["episode"] == 30)]["mean"].item()
        assert last == pytest.approx(np.mean([returns[alpha, seed][-20:] for seed in (0, 1)]), rel=1e-12)


@pytest.mark.parametrize("picture", PICTURES)
def test_every_picture_comes_in_all_formats(finished, picture):
    for suffix, start in ((".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG"), (".csv", b"")):
        content = (finished.folder / f"results/tiny/figures/{picture}{suffix}").read_bytes()
        assert content.startswith(start) and len(content) > 200


def test_every_job_has_a_log(finished):
    logs = list((finished.folder / "results/tiny/logs/runs").rglob("*.log"))
    assert len(logs) == 12
    assert (finished.folder / "results/tiny/logs/html_report.log").is_file()


def test_a_finished_scale_has_nothing_to_do(finished):
    assert finished.pending() == {}


def test_a_part_makes_no_more_than_its_own(tmp_path, all_kernels):
    project = Project.copy_to(tmp_path / "project", all_kernels)
    project.make("figure_1")
    assert (project.folder / "results/tiny/figures/figure_1.png").is_file()
    assert not list(project.folder.glob("results/tiny/**/*figure_3*"))
    assert not (project.folder / "results/tiny/report.html").exists()
    assert "mountain_car" in project.make("-n", "mountain_car")


RUNS = {
    "run_mountain_car": 12,
    "tables_step_sizes": 2,
    "pictures_step_sizes": 1,
    "pictures_step_sizes_sensitivity_heat_map": 1,
    "claims": 1,
    "article": 1,
    "explorer": 1,
    "html_report": 1,
}


def test_a_reading_changed_reruns_every_run_and_changes_results(editable):
    (editable.folder / "config/tiny.yaml").open("a").write("readings: {tile_width: range/10}\n")
    assert editable.pending() == RUNS
    table = editable.folder / "results/tiny/tables/figure_1/scores.parquet"
    before = table.read_bytes()
    editable.make(str(table.relative_to(editable.folder)))
    assert table.read_bytes() != before
    run = load_run(editable.folder / RUN)
    assert run.meta["readings"]["tile_width"] == "range/10"


@pytest.mark.slow
def test_other_cores_and_another_folder_give_the_same_bytes(finished, tmp_path, all_kernels):
    project = Project.copy_to(tmp_path / "a folder with spaces" / "project", all_kernels)
    project.make("--cores", "1", "figures", "article", "try_page")
    expected = {path: content for path, content in finished.results().items() if not path.endswith("report.html")}
    assert project.results() == expected


def test_the_report_is_not_there_before_it_is_whole(editable):
    """Snakemake writes it piece by piece."""
    report = editable.folder / "results/tiny/report.html"
    report.unlink()
    # Where the draft becomes the report, it is whole and the report is not there.
    end = "atomic.write_atomically(output, draft.read_bytes())"
    look = "assert not Path(output).exists(); Path('whole.html').write_bytes(draft.read_bytes()); "
    editable.edit("metatrace/pipeline/making.py", end, look + end)
    editable.make()
    assert report.read_bytes() == (editable.folder / "whole.html").read_bytes()
    assert not [path for path in report.parent.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "names",
    [
        slow(("explorer.html", "index.html", "claims.html", "try.html")),
        ("report.html",),
        slow(("figures/figure_1.svg",)),
    ],
)
def test_report_files_makes_what_is_missing(editable, names):
    paths = [editable.folder / "results/tiny" / name for name in names]
    whole = [path.read_bytes() for path in paths]
    for path in paths:
        path.unlink()
    editable.make("report_files")
    assert all(path.exists() for path in paths)
    assert names == ("report.html",) or [path.read_bytes() for path in paths] == whole
    assert "Nothing to be done" in editable.make("-n", "report_files")


@pytest.mark.slow
def test_options_reach_every_job_and_the_report(editable):
    """`--config` overrides what the files say, for the runs as for the report and its name."""
    editable.make("--config", "scale=other", "readings={tile_width: range/10}")
    folder = editable.folder / "results/other"
    run = load_run(folder / RUN.removeprefix("results/tiny/"))
    assert run.meta["readings"]["tile_width"] == "range/10"
    report = (folder / "report.html").read_text()
    assert "tile_width = range/10" in report and "tile_width = range/9" not in report
    assert loading.read(folder / "config.yaml").readings["tile_width"] == "range/10"
    assert "Nothing to be done" in editable.make("-n", "--config", "scale=other", "readings={tile_width: range/10}")


def test_a_dry_run_fits_on_a_page_and_says_more_when_asked(editable):
    (editable.folder / "config/tiny.yaml").open("a").write("readings: {tile_width: range/10}\n")
    short, long = editable.make("-n"), editable.make("-n", "--printshellcmds")
    assert "Job stats:" in short and "Reasons:" in short and len(short.splitlines()) < 80
    assert "metatrace run" not in short and long.count("metatrace run") == 12


@pytest.mark.slow
def test_a_result_cut_in_half_behind_its_time_is_named_and_the_named_command_heals_it(editable):
    victim = editable.folder / RUN
    whole, before = editable.results(), victim.stat()
    victim.write_bytes(victim.read_bytes()[: victim.stat().st_size // 2])
    # As a bad disk does it: nothing but its contents tells.
    os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns))
    table = "results/tiny/tables/figure_1/scores.parquet"
    (editable.folder / table).unlink()
    failed = editable.snakemake()
    output = failed.stdout + failed.stderr
    assert failed.returncode != 0
    lines = re.findall(r"^.*metatrace: error: (.*)$", output, re.MULTILINE)
    assert lines and "seed~1.npz: is cut short, garbled or no run file" in lines[0]
    command = re.search(r"rm (.+), and then the same snakemake command again", lines[0])
    assert command and "Traceback" not in output
    (editable.folder / shlex.split(command[1])[0]).unlink()
    editable.make("figures", table)
    assert editable.results() == whole


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("method: none", "method: nome", 'figures.figure_1.method: is "nome"; it must be a method'),
        ("seeds: 2", "seeds: 0", "figures.figure_1.seeds: is 0; it must be how many seeds"),
        (
            "alpha: [2^-5, 2^-13]",
            "alpha: [2^-5, 1e-5]",
            "figures.figure_1.alpha[1]: 1e-05 is not a number token; quote it",
        ),
        ("smoothing: 20", "smooting: 20", "figures.figure_1.smooting: there is no such key"),
        ("scale: wrong", "scale: wrong\nsacle: x", "sacle: there is no such key"),
    ],
)
def test_a_wrong_config_is_one_line_and_exit_code_2(finished, tmp_path, old, new, words):
    config = tmp_path / "wrong.yaml"
    text = (finished.folder / "config/tiny.yaml").read_text().replace("scale: tiny", "scale: wrong")
    config.write_text(text.replace(old, new, 1))
    failed = finished.snakemake("-n", config=str(config))
    lines = [
        line for line in failed.stderr.splitlines() if line and not line.startswith("Using workflow specific profile")
    ]
    assert failed.returncode == 2
    assert len(lines) == 1 and words in lines[0] and str(config) in lines[0]
    assert not (finished.folder / "results/wrong").exists()


def test_a_config_that_is_not_yaml_gives_no_traceback_and_the_line_by_our_own_command(finished, tmp_path):
    config = tmp_path / "wrong.yaml"
    config.write_text("scale: [tiny\nfigures: }")
    # Snakemake reads config files before any workflow: the words are its own.
    failed = finished.snakemake("-n", config=str(config))
    assert failed.returncode != 0
    assert "Traceback" not in failed.stdout + failed.stderr
    assert "not valid JSON or YAML" in failed.stdout + failed.stderr
    failed = finished.run("metatrace", "config", str(config))
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1 and f"{config}, line 2: is not YAML" in failed.stderr


def test_snakemakes_own_linter_has_nothing_to_say(finished):
    done = finished.run("snakemake", "--lint")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow  # most of it is Python, which compiles all packages again
def test_an_optimized_python_makes_the_same_explorer(editable, monkeypatch):
    page = editable.folder / "results/tiny/explorer.html"
    whole = page.read_bytes()
    page.unlink()
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    editable.make(str(page.relative_to(editable.folder)))
    assert page.read_bytes() == whole
