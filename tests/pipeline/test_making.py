"""What the workflow's scripts do, on made-up runs of all kinds of figure."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up import make_all_tables, plan_of, write_runs
from test_reruns import CONFIG

from metatrace.errors import UserError
from metatrace.pipeline import making, outputs
from metatrace.runs import results

SEVERAL = """\
  figure_9:
    section: atari
    title: "Figure 9: two games"
    kind: games
    environment: [asterix, catch]
    method: [none, mixed]
    alpha: {best: 1, from_figure: figure_8, method: mixed}
    mu: ["0.001"]
    seeds: 2
    frames: 100
    smoothing: 4
"""
PLAN = plan_of(CONFIG.replace("device: cpu\n", SEVERAL + "device: cpu\n"))


@pytest.fixture(scope="module")
def scale(tmp_path_factory):
    """A folder with the tables of every figure."""
    folder = tmp_path_factory.mktemp("scale")
    write_runs(PLAN, folder)
    make_all_tables(PLAN, folder)
    return folder


@pytest.fixture
def there(scale, monkeypatch):
    monkeypatch.chdir(scale)


def table(figure, name):
    return pd.read_parquet(f"{PLAN.results}/tables/{figure}/{name}.parquet")


def test_every_table_of_every_figure_is_there_and_no_other(scale):
    folder = scale / PLAN.results / "tables"
    made = {str(path.relative_to(scale)) for path in folder.rglob("*") if path.is_file()}
    wanted = {*outputs.table_files(PLAN.results, PLAN.figures), *outputs.csv_files(PLAN.results, PLAN.figures)}
    assert made == wanted | set(outputs.thinned_files(PLAN.results, PLAN.figures))


@pytest.mark.parametrize("figure", PLAN.figures, ids=lambda figure: figure.name)
def test_csv_has_the_same_numbers_as_parquet(there, figure):
    for name in outputs.csv_tables_of(figure):
        whole = table(figure.name, name)
        read = pd.read_csv(f"{PLAN.results}/tables/{figure.name}_{name}.csv", dtype=dict.fromkeys(whole.columns, str))
        assert list(read.columns) == list(whole.columns) and len(read) == len(whole)
        for column in whole.select_dtypes("float64"):
            np.testing.assert_array_equal(read[column].astype(float), whole[column])


def test_what_the_explorer_shows_is_of_the_same_runs(there):
    for figure in outputs.in_explorer(PLAN.figures):
        if figure.members:
            continue
        shown = json.loads(Path(f"{PLAN.results}/tables/{figure.name}/thinned.json").read_text())
        settings = table(figure.name, "settings")
        assert shown["settings"] == settings[["environment", "method", "alpha", "mu", "drift"]].values.tolist()
        assert shown["seeds"] == list(figure.seeds)


@pytest.mark.parametrize("figure", PLAN.figures, ids=lambda figure: figure.name)
def test_every_picture_is_drawn_in_every_format(there, figure):
    making.draw_pictures(PLAN.pictures_job(figure))
    for path in outputs.drawn_files(PLAN.results, [figure]):
        assert Path(path).stat().st_size > 200


def test_the_chosen_alphas_have_the_best_scores(there):
    settings = table("figure_8", "settings")
    output = Path(f"{PLAN.results}/tables/figure_9/chosen.txt")
    making.choose_settings(
        PLAN.choice_job(PLAN.figure("figure_9")), f"{PLAN.results}/tables/figure_8/settings.parquet", str(output)
    )
    mixed = settings[settings["method"] == "mixed"]
    assert output.read_text().split() == [mixed.loc[mixed["final"].idxmax(), "alpha"]]
    assert outputs.choice(PLAN.results, PLAN.figure("figure_9")) == tuple(output.read_text().split())


def test_a_table_of_another_kind_is_refused_in_one_line(there, tmp_path):
    job = PLAN.choice_job(PLAN.figure("figure_9"))
    for name, words in (("reference", "has no column environment, method"), ("none", "there is no such table")):
        path = f"{PLAN.results}/tables/figure_8/{name}.parquet"
        with pytest.raises(UserError, match=words) as refused:
            making.choose_settings(job, path, str(tmp_path / "best.txt"))
        assert str(refused.value).startswith(path)
    assert not list(tmp_path.iterdir())


def test_a_figure_that_compares_others_refuses_tables_that_are_none_of_theirs(there, tmp_path):
    job = PLAN.tables_job(PLAN.figure("figure_s7"))
    (tmp_path / "one").mkdir()
    for name in ("scores", "settings", "spread"):
        table("figure_1", "tenths").to_parquet(tmp_path / f"one/{name}.parquet")
    with pytest.raises(UserError, match=r"one/scores\.parquet: has no column auc"):
        making.make_tables({**job, "members": [str(tmp_path / "one")], "folder": str(tmp_path / "tables")})
    assert not (tmp_path / "tables").exists()


def test_a_picture_without_its_table_is_refused(there, tmp_path):
    job = {**PLAN.pictures_job(PLAN.figure("figure_6")), "tables": str(tmp_path)}
    with pytest.raises(UserError, match=r"curves\.parquet: there is no such table"):
        making.draw_pictures(job)


def test_a_run_of_other_code_is_refused_and_nothing_is_written(there, tmp_path):
    job = PLAN.tables_job(PLAN.figure("figure_7"))
    job |= {"runs_code": {**job["runs_code"], "mixed": "0" * 16}, "folder": str(tmp_path / "tables")}
    with pytest.raises(UserError, match=r"/mixed/.*is stale"):
        making.make_tables(job)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_run_ends_a_script_with_one_line_in_its_log(scale, tmp_path, damage):
    figure = PLAN.figure("figure_1")
    run = scale / PLAN.run_files(figure)[0]
    whole = run.read_bytes()
    job, log = PLAN.tables_job(figure) | {"folder": str(tmp_path / "tables")}, tmp_path / "job.log"
    script = (
        "import sys, json; from metatrace.pipeline.making import logged, make_tables\n"
        f"with logged({str(log)!r}): make_tables(json.loads(sys.argv[1]))"
    )
    try:
        run.write_bytes(whole[: len(whole) // 2])
        if damage == "gone":
            run.unlink()
        done = subprocess.run([sys.executable, "-c", script, json.dumps(job)], cwd=scale, capture_output=True)
    finally:
        run.write_bytes(whole)
    words = {"cut": "is cut short, garbled or no run file", "gone": "there is no such run file"}
    assert done.returncode == 2 and not done.stdout + done.stderr
    assert log.read_text().startswith("metatrace: error: ") and words[damage] in log.read_text()
    assert log.read_text().count("\n") == 1 and not (tmp_path / "tables").exists()


def test_the_same_runs_give_the_same_bytes(scale, there, tmp_path):
    job = PLAN.tables_job(PLAN.figure("figure_6"))
    making.make_tables({**job, "folder": str(tmp_path / "again")})
    for path in (tmp_path / "again").iterdir():
        assert path.read_bytes() == (scale / job["folder"] / path.name).read_bytes()


def test_a_run_of_another_length_is_refused(there, tmp_path):
    job = PLAN.tables_job(PLAN.figure("figure_8")) | {"length": 101, "folder": str(tmp_path / "tables")}
    with pytest.raises(UserError, match="is of 100 observed frames, not 101"):
        making.make_tables(job)
    assert results.load_meta(PLAN.run_files(PLAN.figure("figure_8"))[0])["observed_frames"] == 100
