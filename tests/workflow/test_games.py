"""Figures 8 and 9 by the real Snakemake: α that runs choose, checkpoints, and how long it all takes.

Catch stands beside a game of the real emulator, for its episodes are short.
"""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from project import Project

from metatrace.pipeline.plan import code_of
from metatrace.runs.results import load_run

CONFIG = """\
scale: tiny
statistics: {final_episodes: 20}
figures:
  figure_1:
    section: mountain_car
    title: "Figure 1: untuned"
    environment: mountain_car
    method: none
    alpha: [2^-5]
    seeds: 1
    episodes: 5
    smoothing: 2
  figure_8:
    section: atari
    title: "Figure 8: the sweep"
    kind: games
    environment: catch
    method: [none, mixed]
    alpha: [2^-6, 2^-7, 2^-12]
    mu: ["0.001"]
    seeds: 1
    frames: 300
    smoothing: 10
  figure_9:
    section: atari
    title: "Figure 9: the best"
    kind: games
    environment: [asterix, catch]
    method: [none, mixed]
    alpha: {best: 1, from_figure: figure_8, method: mixed}
    mu: ["0.001"]
    seeds: 2
    frames: 300
    smoothing: 10
device: cpu
"""
TABLES = "results/tiny/tables"


@pytest.fixture(scope="module")
def played(tmp_path_factory, all_kernels):
    project = Project.copy_to(tmp_path_factory.mktemp("games") / "project", all_kernels)
    (project.folder / "config" / "tiny.yaml").write_text(CONFIG)
    project.make()
    return project


def test_the_runs_are_those_of_the_sweep_and_of_the_alpha_that_it_chose(played):
    (alpha,) = (played.folder / TABLES / "figure_9/chosen.txt").read_text().split()
    runs = {tuple(run.split("/")[3:]) for run in played.results("results/tiny/runs/**/*") if "mountain" not in run}
    assert runs == {
        (game, method, f"alpha~{of}", f"mu~{mu}", "drift~0", f"seed~{seed}.npz")
        for game, alphas, seeds in (
            ("catch", ("2^-6", "2^-7", "2^-12"), (0,)),
            ("catch", (alpha,), (0, 1)),
            ("asterix", (alpha,), (0, 1)),
        )
        for method, mu in (("none", "0"), ("mixed", "0.001"))
        for of in alphas
        for seed in seeds
    }


def test_the_chosen_alpha_has_the_best_score_of_the_sweep(played):
    (alpha,) = (played.folder / TABLES / "figure_9/chosen.txt").read_text().split()
    scores = {
        of: load_run(played.folder / f"results/tiny/runs/catch/mixed/alpha~{of}/mu~0.001/drift~0/seed~0.npz").returns[
            -20:
        ]
        for of in ("2^-6", "2^-7", "2^-12")
    }
    assert scores[alpha].mean() == max(score.mean() for score in scores.values())


def test_a_run_says_how_it_was_made_and_leaves_no_checkpoint(played):
    for path in played.results("results/tiny/runs/asterix/**/*"):
        run = load_run(played.folder / path)
        assert run.key.path("results/tiny/runs") == path
        assert (run.meta["code"], run.meta["device"]) == (code_of(f"run_atari_{run.key.method}"), "cpu")
        assert run.meta["observed_frames"] == 300 and run.meta["readings"]["action_set"] == "minimal"
    assert not played.results("results/tiny/checkpoints/**/*")


def test_the_table_of_scores_has_random_play_and_published_agents_beside_ours(played):
    table = pd.read_csv(played.folder / TABLES / "figure_9_reference.csv")
    asterix = table[table["game"] == "asterix"]
    assert {"random", "DQN", "Rainbow", "PPO"} <= set(asterix["agent"])
    assert asterix["source"].notna().all()
    assert asterix.loc[asterix["agent"] == "PPO", "comparable"].item().startswith("no")
    ours = asterix[asterix["source"] == "this reproduction"]
    assert len(ours) == 2 and (ours["frames"] == 300).all()


def test_the_picture_and_the_report_say_at_which_scale(played):
    report = (played.folder / "results/tiny/report.html").read_text()
    for words in ("Figure 8: the sweep", "Figure 9: the best", "Arcade Learning Environment", "action_set"):
        assert words in report
    drawn = pd.read_csv(played.folder / "results/tiny/figures/figure_8.csv", dtype={"alpha": str})
    assert drawn["frame"].max() == 300
    assert set(drawn["alpha"]) == {"2^-6", "2^-7", "2^-12"}


def test_a_finished_scale_has_nothing_to_do(played):
    assert played.pending() == {}


def test_games_are_published_next_to_mountain_car(played):
    """Figure 9 has two seeds where figure 8 has one: curves over other seeds are other curves."""
    done = played.run("metatrace", "publish", "config/tiny.yaml", "--output", "published")
    assert done.returncode == 0, done.stderr
    folder = played.folder / "published"
    text = (folder / "README.md").read_text()
    assert "13 runs, 5 episodes, 3,600 observed frames." in text.split("\n## ")[0].replace("\n", " ")
    assert "Not run: Drifting mountain car; MinAtar;" in text and "(figures/figure_9.png)" in text
    scores, curves = (pd.read_parquet(folder / f"{name}.parquet") for name in ("scores", "curves"))
    lengths = scores.groupby("environment")["frames"].agg(lambda frames: frames.fillna(0).unique().tolist())
    assert len(scores) == 13 and lengths.to_dict() == {"asterix": [300], "catch": [300], "mountain_car": [0]}
    assert curves.loc[curves["environment"] == "mountain_car", "episode"].max() == 5
    (alpha,) = (played.folder / TABLES / "figure_9/chosen.txt").read_text().split()
    both = curves[(curves["environment"] == "catch") & (curves["method"] == "mixed") & (curves["alpha"] == alpha)]
    assert both.groupby("seeds")["frame"].max().to_dict() == {"0": 300, "0, 1": 300}


def test_a_missing_trial_runs_no_game_again(played):
    times = played.folder / "results/tiny/frame_times_atari.json"
    kept = times.read_bytes()
    assert set(json.loads(kept)) == {"none", "mixed"} and np.all(np.array(list(json.loads(kept).values())) > 0)
    times.unlink()
    try:
        assert set(played.pending()) <= {"frame_times_atari"}
    finally:
        times.write_bytes(kept)


@pytest.mark.slow
def test_the_explorer_has_every_alpha_that_is_chosen_when_more_are_chosen(played, tmp_path):
    shutil.copytree(played.folder, tmp_path / "project")
    project = Project(tmp_path / "project")
    project.edit("config/tiny.yaml", "best: 1", "best: 2")
    thinned = f"{TABLES}/figure_9/thinned.json"
    project.make(thinned)
    chosen = (project.folder / TABLES / "figure_9/chosen.txt").read_text().split()
    settings = json.loads((project.folder / thinned).read_text())["settings"]
    assert {alpha for _, _, alpha, _, _ in settings} == set(chosen)
    assert len(chosen) == 2


def test_whoever_asks_for_much_is_told_how_long_it_takes_and_what_takes_less(tmp_path, all_kernels):
    project = Project.copy_to(tmp_path / "project", all_kernels)
    (project.folder / "config" / "tiny.yaml").write_text(CONFIG)
    project.edit("metatrace/pipeline/plan.py", "_FEW = 1_000_000", "_FEW = 100")
    told = project.make("results/tiny/runs/catch/none/alpha~2^-6/mu~0/drift~0/seed~0.npz")
    assert "Atari: 1 run to learn" in told
    assert "none: 300 observed frames at" in told and "about 1 minute on 1 core\n" in told
    assert "config/preview.yaml" in told
    assert "Atari:" not in project.make("-n")
