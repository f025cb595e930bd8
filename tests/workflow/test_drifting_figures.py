"""Figures 6 and 7 by the real Snakemake, on a scale of a few episodes."""

import pandas as pd
import pytest
from project import Project

from metatrace.mountain_car.settings import BETA_GROUPS
from metatrace.results import load_run

CONFIG = """\
scale: tiny
statistics: {final_episodes: 10}
figures:
  figure_6:
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


@pytest.fixture(scope="module")
def drifting(tmp_path_factory):
    project = Project.copy_to(tmp_path_factory.mktemp("drift") / "project")
    (project.folder / "config" / "tiny.yaml").write_text(CONFIG)
    project.make()
    return project


def test_figure_7_is_drawn_from_runs_of_figure_6(drifting):
    runs = drifting.results("results/tiny/runs/**/*")
    assert len(runs) == 2 * (1 + 2 * 2) * 2
    for path in runs:
        run = load_run(drifting.folder / path)
        assert run.tuple.path("results/tiny/runs") == path
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
    drawn = pd.read_csv(
        drifting.folder / "results/tiny/figures/figure_6.csv", dtype={"drift": str, "mu": str}
    )
    chosen = {(row.method, row.drift, row.mu) for row in best.itertuples()}
    assert set(drawn[["method", "drift", "mu"]].itertuples(index=False, name=None)) == chosen


def test_nothing_is_left_to_do_and_the_report_has_both(drifting):
    assert drifting.pending() == {}
    report = (drifting.folder / "results/tiny/report.html").read_text()
    for words in (
        "Figure 6: the best",
        "Figure 7: all",
        "figure_6_best_mu.csv",
        "figure_6_by_drift.svg",
        "drift_and_noise",
    ):
        assert words in report


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        (
            "metatrace/analysis/best.py",
            "key=lambda mu: -finals",
            "key=lambda mu: 0 - finals",
            {
                "best_mu": 1,
                "table_as_csv": 1,
                "draw_best_mu": 1,
                "by_drift": 1,
                "explorer": 1,
                "html_report": 1,
            },
        ),
        (
            "metatrace/analysis/beta.py",
            "values[:, -final:]",
            "values[:, 0 - final :]",
            {
                "aggregate_beta": 1,
                "table_as_csv": 3,
                "thin": 1,
                "mu_and_beta": 1,
                "claims": 1,
                "explorer": 1,
                "html_report": 1,
            },
        ),
        (
            "metatrace/figures/mu_and_beta.py",
            "import pandas as pd",
            "import pandas",
            {"mu_and_beta": 1, "html_report": 1},
        ),
        ("config/tiny.yaml", "beta_mu: 2^-9", "beta_mu: 2^-6", {"mu_and_beta": 1, "html_report": 1}),
    ],
)
def test_an_edit_reruns_what_it_touches_and_nothing_else(drifting, file, old, new, expected):
    path = drifting.folder / file
    before = path.read_text()
    drifting.edit(file, old, new)
    try:
        pending = drifting.pending()
    finally:
        path.write_text(before)
    # The sections' targets come along with what they gather.
    assert {job: count for job, count in pending.items() if job not in ("figure_6", "figure_7")} == expected
    assert drifting.pending() == {}
