"""Tables of a figure whose α and μ are chosen by runs of other seeds."""

import numpy as np
import pytest

from metatrace.analysis.episode_tables import make_with_best_mu
from metatrace.analysis.job import TablesJob
from metatrace.runs.key import RunKey, grid_of_runs
from metatrace.runs.results import Run, save_run

ALPHA_OF = {"none": ["2^-7"], "mixed": ["2^-9", "2^-8"]}
CHOOSING, JUDGED = (0, 1), (100, 101, 102)


def final(key: RunKey) -> float:
    """What the seeds that choose see is not what the others see."""
    best = ("2^-9", "2^-6") if key.seed in CHOOSING else ("2^-8", "2^-10")
    return -120.0 if (key.alpha, key.mu) == best else -150.0 - key.seed / 100


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    grid = {
        "environments": ["drifting_mountain_car"],
        "methods": ["none", "mixed"],
        "alphas": ["2^-7", "2^-8", "2^-9"],
        "mus": ["2^-6", "2^-10"],
        "drifts": ["1e-5"],
    }
    for key in grid_of_runs(*grid.values(), (*CHOOSING, *JUDGED), ALPHA_OF):
        save_run(key.path(folder), Run(key, np.full(20, final(key)), np.full(20, 100), {"code": "a"}))
    job = TablesJob(
        str(folder), **grid, seeds=JUDGED, runs_code={"none": "a", "mixed": "a"}, length=20, unit="episodes",
        smoothing=2, final=5, spread_alpha_max="2^-5", failed_return={}, reference="", members=[],
        alpha_of=ALPHA_OF, choosing_seeds=CHOOSING,
    )  # fmt: skip
    return make_with_best_mu(job, job.load_runs())


def test_the_best_setting_is_that_of_the_seeds_that_choose(made):
    best = made["best_mu"].set_index("method")
    assert (best.loc["mixed", "alpha"], best.loc["mixed", "mu"], best.loc["mixed", "final"]) == ("2^-9", "2^-6", -120)
    assert (best.loc["none", "alpha"], best.loc["none", "runs"]) == ("2^-7", 2)


def test_all_other_tables_are_of_the_seeds_that_are_judged(made):
    assert set(made["settings"]["runs"]) == {3} and set(made["tenths"]["seed"]) == set(JUDGED)
    chosen = made["settings"].merge(made["best_mu"][["method", "alpha", "mu"]], on=["method", "alpha", "mu"])
    assert chosen["final"].round(2).tolist() == [-151.01, -151.01]


def test_scores_have_every_run_once(made):
    scores = made["scores"]
    assert (
        set(scores["seed"]) == {*CHOOSING, *JUDGED} and not scores.duplicated(["method", "alpha", "mu", "seed"]).any()
    )
    assert len(scores) == 5 * (1 + 2 * 2)
