"""How the mean β of groups of weights evolves, and where it ends (the paper's figure 7, b, d and f).

A run on drifting mountain car keeps the mean log step-size of each group of weights at the end of every episode; `meta`
names the groups. For mixed Metatrace it is β̂ + β_i.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metatrace.analysis.aggregate import curve_table
from metatrace.analysis.groups import SETTING, by_setting
from metatrace.analysis.smoothing import trailing_mean
from metatrace.runs.results import Run


def curves(runs: Sequence[Run], *, window: int) -> pd.DataFrame:
    """The trailing mean over `window` episodes of each group's β, mean over runs with intervals.

    Returns:
      one row per setting, group and kept episode: environment, method, alpha, mu, drift, group, episode, mean,
      low, high, runs.
    """
    return curve_table(
        ({**setting._asdict(), "group": group}, trailing_mean(values[:, :, column], window))
        for setting, members in by_setting(runs).items()
        for values in [_beta_of(members)]
        for column, group in enumerate(members[0].meta["beta_groups"])
    )


def final(runs: Sequence[Run], *, final: int) -> pd.DataFrame:
    """Each group's mean β over the last `final` episodes of every run.

    Returns:
      one row per run and group: environment, method, alpha, mu, drift, seed, group, beta.
    """
    rows = [
        [*setting, run.key.seed, group, beta]
        for setting, members in by_setting(runs).items()
        for run, betas in zip(members, _beta_of(members)[:, -final:].mean(axis=1), strict=True)
        for group, beta in zip(run.meta["beta_groups"], betas, strict=True)
    ]
    return pd.DataFrame(rows, columns=[*SETTING, "seed", "group", "beta"])


def _beta_of(runs: Sequence[Run]) -> np.ndarray:
    """The β of the runs of a setting: (runs, episodes, groups)."""
    return np.stack([run.beta for run in runs if run.beta is not None])
