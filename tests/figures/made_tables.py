"""Made tables for the figure tests."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import best
from metatrace.analysis import beta as beta_tables
from metatrace.analysis.aggregate import Tables, aggregate
from metatrace.domains.mountain_car.settings import BETA_GROUPS
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import parse
from metatrace.runs.key import RunKey, grid_of_runs
from metatrace.runs.results import Run

JOB = PictureJob(Path(), "A title", "A note")


def make(method: str, alphas: list[str], mus: list[str], *, seeds: int = 3, episodes: int = 12) -> Tables:
    rng = np.random.default_rng(len(method))
    runs = [
        Run(
            RunKey("mountain_car", method, alpha, mu, "0", seed),
            rng.uniform(-200, -100, episodes),
            np.ones(episodes, np.int64),
            {},
        )
        for alpha in alphas
        for mu in mus
        for seed in range(seeds)
    ]
    return aggregate(runs, window=3, final=5, spread_alpha_max=2**-5)


def make_drifting(
    methods: list[str], drifts: list[str], mus: list[str], **options: Any
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """As `_make_drifting`, once for equal arguments: intervals take long. The tables are copies."""
    curves, best_mu, betas = _make_drifting(tuple(methods), tuple(drifts), tuple(mus), **options)
    return curves.copy(), best_mu.copy(), betas.copy()


@cache
def _make_drifting(
    methods: tuple[str, ...],
    drifts: tuple[str, ...],
    mus: tuple[str, ...],
    *,
    alphas: tuple[str, ...] = ("2^-10",),
    seeds: int = 3,
    episodes: int = 12,
    fall: float = 1.0,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Curves, the best μ and β of drifting mountain car; the value's noisy β falls by `fall`."""
    rng = np.random.default_rng(len(methods))
    runs = []
    for run in grid_of_runs(["drifting_mountain_car"], methods, alphas, mus, drifts, range(seeds)):
        steps = np.zeros((episodes, len(BETA_GROUPS)))
        steps[1:] = rng.normal(0, 0.1, (episodes - 1, len(BETA_GROUPS)))
        beta = math.log(parse(run.alpha, "")) + steps.cumsum(axis=0)
        beta[:, BETA_GROUPS.index("value/noisy")] -= np.linspace(0, fall, episodes)
        if run.method == "scalar":
            beta[:] = beta[:, :1]
        meta = {"beta_groups": list(BETA_GROUPS)}
        lengths = np.ones(episodes, np.int64)
        runs.append(Run(run, rng.uniform(-200, -100, episodes), lengths, meta, beta=beta))
    tables = aggregate(runs, window=3, final=5, spread_alpha_max=2**-5)
    return tables.curves, best.best_mu(tables.scores), beta_tables.curves(runs, window=3)
