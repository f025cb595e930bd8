"""Tables of a figure whose settings are chosen by runs of other seeds."""

import numpy as np
import pandas as pd
import pytest

from metatrace.analysis.best import best_settings
from metatrace.analysis.episode_tables import make_with_best_mu
from metatrace.analysis.job import TablesJob
from metatrace.runs.key import RunKey, grid_of_runs
from metatrace.runs.results import Run, save_run

ALPHA_OF = {"none": ["2^-7"], "mixed": ["2^-9", "2^-8"]}
SETTINGS = [["none", "2^-7", "0", "1e-5"], ["mixed", "2^-9", "2^-6", "1e-5"]]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for method, alpha, mu, drift in SETTINGS:
        for seed in (100, 101, 102):
            key = RunKey("drifting_mountain_car", method, alpha, mu, drift, seed)
            save_run(key.path(folder), Run(key, np.full(20, -150.0), np.full(20, 100), {"code": "a"}))
    job = TablesJob(
        str(folder), environments=["drifting_mountain_car"], methods=["none", "mixed"],
        alphas=["2^-7", "2^-8", "2^-9"], mus=["2^-6", "2^-10"], drifts=["1e-5"], seeds=[100, 101, 102],
        runs_code={"none": "a", "mixed": "a"}, length=20, unit="episodes", smoothing=2, final=5,
        spread_alpha_max="2^-5", failed_return={}, reference="", members=[], alpha_of=ALPHA_OF, settings=SETTINGS,
    )  # fmt: skip
    return make_with_best_mu(job, job.load_runs())


def test_only_the_chosen_settings_are_in_the_tables(made):
    columns = ["method", "alpha", "mu", "drift"]
    for table in ("settings", "best_mu"):
        assert sorted(made[table][columns].astype(str).to_numpy().tolist()) == sorted(SETTINGS)
    assert len(made["scores"]) == 6 and set(made["best_mu"]["runner_up"]) == {""}


def test_methods_are_compared_in_the_order_of_the_figure(made):
    assert made["improvement"][["method", "other", "runs"]].to_numpy().tolist() == [["mixed", "none", 3]]
    assert made["interquartile"]["method"].tolist() == ["none", "mixed"]


def scores(by_setting):
    rows = [(*setting.split(), value) for setting, value in by_setting.items()]
    return pd.DataFrame(rows, columns=["method", "alpha", "mu", "drift", "score"])


def test_each_method_and_drift_has_its_best_setting():
    table = scores(
        {
            "none 2^-7 0 4e-6": -3.0,
            "mixed 2^-7 2^-6 4e-6": -2.0,
            "mixed 2^-8 2^-9 4e-6": -1.0,
            "mixed 2^-7 2^-6 6e-6": -1.0,
            "mixed 2^-8 2^-9 6e-6": -1.0,
            "mixed 2^-9 2^-9 6e-6": 0.0,
        }
    )
    among = [" ".join(row[:4]) for row in table.itertuples(index=False)][:-1]
    chosen = best_settings(table, among, "score", ["alpha", "mu"])
    assert chosen == ["none 2^-7 0 4e-6", "mixed 2^-8 2^-9 4e-6", "mixed 2^-7 2^-6 6e-6"]  # of equal ones the first


def test_one_mu_can_be_the_best_over_all_step_sizes():
    grid = grid_of_runs(["mountain_car"], ["scalar"], ["2^-3", "2^-5"], ["2^-6", "2^-8"], ["0"], [0])
    values = dict(zip(grid, (-9.0, -1.0, -4.0, -5.0), strict=True))
    table = scores({f"{key.method} {key.alpha} {key.mu} {key.drift}": value for key, value in values.items()})
    among = [" ".join(row[:4]) for row in table.itertuples(index=False)]
    assert best_settings(table, among, "score", ["mu"]) == ["scalar 2^-3 2^-8 0", "scalar 2^-5 2^-8 0"]
