"""Made tables for the figure tests."""

import numpy as np

from metatrace.analysis.aggregate import Tables, aggregate
from metatrace.results import Run, RunTuple


def make(method: str, alphas: list[str], mus: list[str], *, seeds: int = 3, episodes: int = 12) -> Tables:
    rng = np.random.default_rng(len(method))
    runs = [
        Run(
            RunTuple("mountain_car", method, alpha, mu, "0", seed),
            rng.uniform(-200, -100, episodes),
            np.ones(episodes, np.int64),
            {},
        )
        for alpha in alphas
        for mu in mus
        for seed in range(seeds)
    ]
    return aggregate(runs, window=3, final=5, spread_alpha_max=2**-5)
