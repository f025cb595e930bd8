"""Figures 6 and 7 by the real Snakemake, on a scale of a few episodes."""

import pandas as pd
import pytest
from project import Project

from metatrace.domains.mountain_car.settings import BETA_GROUPS
from metatrace.runs.results import load_run

CONFIG = """\
scale: tiny
statistics: {final_episodes: 10}
figures:
  figure_6: &six
    section: drifting_mountain_car
    title: "Figure 6: the best"
    kind: best_mu
    environment: drifting_mountain_car
    method: [none, scalar, mixed]
    alpha: [2^-6]
    mu: [2^-6, 2^-9]
    drift: ["0", "1e-5"]
    seeds: 2
    episodes: 25
    smoothing: 5
  figure_s8:
    <<: *six
    section: fresh_seeds
    title: "Figure S8: fresh seeds"
    settings_from: figure_6
    seeds: 100-101
  figure_7:
    section: drifting_mountain_car
    title: "Figure 7: all"
    kind: mu_and_beta
    environment: drifting_mountain_car
    method: [scalar, mixed]
    alpha: [2^-6]
    mu: [2^-6, 2^-9]
    beta_mu: 2^-9
    drift: ["1e-5"]
    seeds: 2
    episodes: 25
    smoothing: 5
"""
SECTIONS = ("drifting_mountain_car", "fresh_seeds")


@pytest.fixture(scope="module")
def drifting(tmp_path_factory, all_kernels):
    project = Project.copy_to(tmp_path_factory.mktemp("drift") / "project", all_kernels)
    (project.folder / "config" / "tiny.yaml").write_text(CONFIG)
    assert "checkpoint" not in project.make(*SECTIONS)  # of which Snakemake would say two lines each
    return project


def test_figure_7_is_drawn_from_runs_of_figure_6(drifting):
    runs = drifting.results("results/tiny/runs/**/*")
    fresh = [path for path in runs if "/seed~10" in path]
    assert (len(runs) - len(fresh), len(fresh)) == (2 * (1 + 2 * 2) * 2, 2 * 3 * 2)
    for path in runs:
        run = load_run(drifting.folder / path)
        assert run.key.path("results/tiny/runs") == path
        assert run.beta.shape == (25, len(BETA_GROUPS)) and tuple(run.meta["beta_groups"]) == BETA_GROUPS
        assert run.meta["readings"]["drift_and_noise"] == "signs_persist"


def test_the_best_mu_is_the_one_with_the_best_scores(drifting):
    tables = drifting.folder / "results/tiny/tables/figure_6"
    scores, best = pd.read_parquet(tables / "scores.parquet"), pd.read_parquet(tables / "best_mu.parquet")
    means = scores.groupby(["method", "drift", "mu"])["final"].mean()
    assert len(best) == 2 * 3
    for row in best.itertuples():
        assert row.final == means[row.method, row.drift].max()
        assert means[row.method, row.drift, row.mu] == row.final
        assert row.runner_up == "" or row.runner_up_final == means[row.method, row.drift, row.runner_up]
    drawn = pd.read_csv(drifting.folder / "results/tiny/figures/figure_6.csv", dtype={"drift": str, "mu": str})
    chosen = {(row.method, row.drift, row.mu) for row in best.itertuples()}
    assert set(drawn[["method", "drift", "mu"]].itertuples(index=False, name=None)) == chosen


def test_on_fresh_seeds_only_the_settings_run_that_figure_6_chose(drifting):
    tables = drifting.folder / "results/tiny/tables"
    setting = ["method", "alpha", "mu", "drift"]
    best, settings = (
        pd.read_parquet(tables / "figure_6/best_mu.parquet"),
        pd.read_parquet(tables / "figure_s8/settings.parquet"),
    )
    chosen = {tuple(row) for row in best[setting].astype(str).to_numpy()}
    assert {tuple(row) for row in settings[setting].astype(str).to_numpy()} == chosen
    assert {tuple(line.split()) for line in (tables / "figure_s8/chosen.txt").read_text().splitlines()} == chosen
    ran = [load_run(drifting.folder / path).key for path in drifting.results("results/tiny/runs/**/seed~10*")]
    assert {(key.method, key.alpha, key.mu, key.drift) for key in ran} == chosen and len(ran) == 2 * len(chosen)
    assert (drifting.folder / "results/tiny/figures/figure_s8_profiles.svg").exists()
    assert not (drifting.folder / "results/tiny/figures/figure_6_profiles.svg").exists()


def test_nothing_is_left_to_do_but_pages_that_nobody_asked_for(drifting):
    assert drifting.pending() == {"claims": 1, "explorer": 1, "article": 1, "try_page": 1, "html_report": 1}
    for file in ("figures/figure_6_by_drift.svg", "tables/figure_6_best_mu.csv", "figures/figure_7.svg"):
        assert (drifting.folder / "results/tiny" / file).exists()


@pytest.mark.slow
def test_then_the_verdicts_and_the_explorer_are_made_without_a_word_of_checkpoints(drifting):
    assert "checkpoint" not in drifting.make("figures")
    assert drifting.pending() == {"article": 1, "try_page": 1, "html_report": 1}
