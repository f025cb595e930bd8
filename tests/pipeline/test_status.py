"""`metatrace status`: what of a scale is there, stale or under way, and how long the rest takes."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from project import PAPER

from metatrace.cli import main as cli
from metatrace.config import loading
from metatrace.networks.checkpoint import Checkpoint
from metatrace.pipeline import jobs, outputs, status
from metatrace.report import context
from metatrace.runs.results import Run, save_run

CONFIG = """\
scale: tiny
figures:
  figure_1:
    section: mountain_car
    title: "Figure 1"
    environment: mountain_car
    method: none
    alpha: [2^-5, 2^-13]
    seeds: 2
    episodes: 3000
    smoothing: 2
  figure_8:
    section: atari
    title: "Figure 8"
    kind: games
    environment: catch
    method: [none, mixed]
    alpha: [2^-6, 2^-7]
    mu: ["0.001"]
    seeds: 1
    frames: 1000
    smoothing: 2
  figure_9:
    section: atari
    title: "Figure 9"
    kind: games
    environment: catch
    method: [none, mixed]
    alpha: {best: 1, from_figure: figure_8, method: mixed}
    mu: ["0.001"]
    seeds: 2
    frames: 1000
    smoothing: 2
"""
FOLDER = "results/tiny"


class Scale:
    """A scale in the present folder, written by hand."""

    def __init__(self):
        with open("c.yaml", "w", encoding="utf-8") as file:
            file.write(CONFIG)
        self.asked = loading.check(yaml.safe_load(CONFIG), "c.yaml")

    def code(self, run):
        return jobs.fingerprint_of(context.run_job(run.environment, run.method))

    def write_run(self, run, of=None, **meta):
        code, length = self.code(run), self.asked.runs()[run]
        counts = "observed_frames" if run.environment == "catch" else "episodes"
        meta = {
            "code": code.digest,
            "readings": self.asked.readings_of(run.environment, run.method),
            counts: length,
            **meta,
        }
        path = run.path(f"{FOLDER}/runs")
        save_run(path, Run(of or run, np.array([-1.0]), np.array([5]), meta, frames=np.array([5])))
        return path

    def write_checkpoint(self, run, frames, **changes):
        meta = {
            **vars(run),
            "code": self.code(run).digest,
            "frames": self.asked.runs()[run],
            "readings": self.asked.readings_of(run.environment, run.method),
            "hyper": {},
            "packages": {},
            **changes,
        }
        path = Path(run.path(f"{FOLDER}/checkpoints"))
        Checkpoint(path, meta).save({"counters": np.array([frames, 3]), "weights": np.zeros(1000)})
        return path

    def write_all(self):
        with_alphas = self.asked.figures.values()
        names = outputs.page_files(FOLDER)
        for files in (outputs.table_files, outputs.drawn_files, outputs.csv_files, outputs.thinned_files):
            names += files(FOLDER, with_alphas)
        for name in names:
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "w", encoding="utf-8") as file:
                file.write("x")
        with open(f"{FOLDER}/tables/figure_9/chosen.txt", "w", encoding="utf-8") as file:
            file.write("2^-7\n")
        runs = [run for run in self.asked.runs() if run.seed == 0 or run.alpha in ("2^-5", "2^-13", "2^-7")]
        for run in runs:
            self.write_run(run)
        return runs


@pytest.fixture
def scale(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Scale()


@pytest.fixture
def told(capsys):
    """Asks for the status; what is said."""

    def ask(*more):
        assert cli.main(["status", "c.yaml", "--cores", "2", *more]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    return ask


def test_of_an_empty_folder_all_is_missing(scale, told):
    text = told()
    assert text.startswith("c.yaml: scale tiny, in results/tiny, which does not exist yet\nMountain car\n")
    assert "  figure_1  0 of 4 runs, 0 of 5 tables, 0 of 4 pictures, 0 of 3 CSV\n" in text
    assert "figure_9  0 of 4 runs" in text and "its α are not chosen yet" in text
    # The sweep's four runs; of the other figure two more, for another seed.
    assert "Runs in all: 0 there, 10 missing, of 10" in text
    assert "Report: missing" in text
    assert "metatrace estimate --cores 2 --frames none=3000 mixed=3000 --environment seaquest" in text
    assert "Nothing is missing" not in text
    assert text.count("Missing: ") == 2


def test_every_missing_file_is_named_where_that_is_asked(scale, told):
    text = told("--files")
    for path in (
        "results/tiny/runs/mountain_car/none/alpha~2^-5/mu~0/drift~0/seed~1.npz",
        "results/tiny/tables/figure_8/best_constant.parquet",
        "results/tiny/figures/figure_9.pdf",
        "results/tiny/report.html",
    ):
        assert f"Missing: {path}\n" in text
    assert "more like it" not in text


def test_of_a_finished_scale_all_is_there(scale, told):
    runs = scale.write_all()
    text = told()
    assert f"Runs in all: {len(runs)} there, of {len(runs)}\n" in text
    assert "figure_1  4 of 4 runs, 5 of 5 tables, 4 of 4 pictures, 3 of 3 CSV\n" in text
    assert "Report: there" in text and "Nothing is missing" in text
    assert not any(word in text for word in ("Missing", "Stale", "Left", "not chosen yet"))


def test_watching_looks_again_until_nothing_is_missing(scale, monkeypatch, told):
    runs = scale.write_all()
    path = Path(runs[0].path(f"{FOLDER}/runs"))
    aside = path.rename("aside.npz")
    waited = []

    def sleep(seconds):
        waited.append(seconds)
        aside.rename(path)

    monkeypatch.setattr(time, "sleep", sleep)
    said = told("--watch", "3")
    assert waited == [3]
    assert said.count("c.yaml: scale tiny") == 2 and said.count("Nothing is missing") == 1


@pytest.mark.parametrize(
    "meta, reason",
    [
        ({"code": "0" * 16}, "Stale, made by other code"),
        ({"readings": {}}, "Stale, made with other readings"),
        ({"hyper": {"tau": "1000"}}, "Stale, made with other hyper-parameters"),
        ({"episodes": 2999}, "Stale, of another length"),
    ],
)
def test_a_run_that_is_not_what_the_config_asks_now_is_stale(scale, told, meta, reason):
    scale.write_all()
    run = scale.asked.figures["figure_1"].runs()[0]
    path = scale.write_run(run, **meta)
    text = told()
    assert "3 of 4 runs, 1 stale" in text and f"{reason}: {path}" in text
    assert ("metatrace provenance why run_" in text) == ("code" in meta)
    assert "Left: 1 run, 3,000 episodes, about 1 minute on 1 core," in text and "Nothing is missing" not in text


def test_a_damaged_run_is_named_with_its_remedy(scale, told):
    runs = scale.write_all()
    first = runs[0].path(f"{FOLDER}/runs")
    with open(first, "rb+") as file:
        file.truncate(50)
    second = scale.write_run(runs[1], of=runs[2])
    text = told()
    assert "2 of 4 runs, 2 damaged" in text
    assert f"Damaged: {first}: is cut short" in text and f"Damaged: {second}: holds another run" in text
    assert text.count("rebuild it with: rm ") == 2


def test_what_a_game_has_done_is_not_left_to_do(scale, told):
    scale.write_all()
    run = scale.asked.figures["figure_8"].runs()[-1]
    assert run.method == "mixed"
    os.unlink(run.path(f"{FOLDER}/runs"))
    path = scale.write_checkpoint(run, 400)
    with open(f"{FOLDER}/frame_times_atari.json", "w", encoding="utf-8") as file:
        json.dump({"none": 1.0, "mixed": 3_600_000.0}, file)  # an hour a frame
    text = told()
    name = "catch/mixed/alpha~2^-7/mu~0.001/drift~0/seed~0"
    assert f"Under way: {name}: 400 of 1,000 observed frames (40%)" in text
    assert "Left: 1 run, 600 observed frames, about 25 days on 1 core," in text
    # One of other code is not taken up: all frames are left.
    scale.write_checkpoint(run, 400, code="0" * 16)
    text = told()
    assert "Left: 1 run, 1,000 observed frames" in text and f"rm '{path}'" in text
    # A damaged one is none.
    path.write_bytes(b"PK")
    assert "Under way" not in told()


@pytest.mark.parametrize("content", [b"", b"2^-3\n", b"\xff\x00"], ids=repr)
def test_a_choice_of_alphas_that_the_config_does_not_have_is_none(scale, told, content):
    scale.write_all()
    with open(f"{FOLDER}/tables/figure_9/chosen.txt", "wb") as file:
        file.write(content)
    assert "its α are not chosen yet" in told()


def test_frame_times_that_are_none_are_refused(scale, capsys):
    os.makedirs(FOLDER)
    with open(f"{FOLDER}/frame_times_atari.json", "w", encoding="utf-8") as file:
        file.write("[1, 2")
    assert cli.main(["status", "c.yaml"]) == 2
    assert "frame_times_atari.json: is no table of frame times" in capsys.readouterr().err


def test_a_wrong_config_is_refused(scale, capsys):
    with open("c.yaml", "a", encoding="utf-8") as file:
        file.write("colour: red\n")
    assert cli.main(["status", "c.yaml"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "c.yaml: colour: there is no such key" in said.err


def test_of_a_folder_that_does_not_exist_all_is_missing(scale, told):
    scale.write_all()
    text = told("--results", "nowhere")
    assert text.startswith("c.yaml: scale tiny, in nowhere, which does not exist yet\n")
    assert "Runs in all: 0 there, 10 missing, of 10" in text


def test_results_can_lie_elsewhere(scale, told):
    scale.write_all()
    os.rename("results", "moved")
    assert "Nothing is missing" in told("--results", "moved/tiny")


def test_it_needs_neither_torch_nor_pandas(scale):
    scale.write_all()
    script = "import sys; from metatrace.cli.main import main; main(['status', 'c.yaml']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "Nothing is missing" in done.stdout
    assert not {"torch", "pandas", "numba", "matplotlib"} & set(done.stdout.splitlines()[-1].split())


def test_the_rough_figures_are_of_the_right_size():
    # The paper's scale took about two hours on two cores (README): not tenths of it and not ten times.
    runs = {status.WantedRun(*run): length for run, length in PAPER.all_runs().items()}
    seconds = status.rough_seconds({run: length for run, length in runs.items() if "car" in run.key.environment})
    assert 30 * 60 < seconds / 2 < 150 * 60
