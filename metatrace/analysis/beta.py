"""How the mean β of groups of weights evolves, and where it ends (the paper's figure 7, b, d and f).

A run on drifting mountain car keeps the mean log step-size of each group of weights at the end of every episode; `meta`
names the groups. For mixed Metatrace it is β̂ + β_i.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metatrace.analysis.aggregate import curve_table
from metatrace.analysis.groups import Setting, by_setting
from metatrace.analysis.smoothing import trailing_mean
from metatrace.errors import UserError
from metatrace.runs.results import Run


def curves(runs: Sequence[Run], *, window: int) -> pd.DataFrame:
    """The trailing mean over `window` episodes of each group's β, mean over runs with intervals.

    Returns:
      one row per setting, group and kept episode: environment, method, alpha, mu, drift, group, episode, mean,
      low, high, runs.

    Raises:
      UserError: a run has no β, or that of other groups than the other runs of its setting.
    """
    return curve_table(
        ({**setting._asdict(), "group": group}, trailing_mean(values[:, :, column], window))
        for setting, members in by_setting(runs).items()
        for names, values in [_beta_of(setting, members)]
        for column, group in enumerate(names)
    )


def final(runs: Sequence[Run], *, final: int) -> pd.DataFrame:
    """Each group's mean β over the last `final` episodes of every run.

    Returns:
      one row per run and group: environment, method, alpha, mu, drift, seed, group, beta.

    Raises:
      UserError: as `curves`.
    """
    rows = []
    for setting, members in by_setting(runs).items():
        names, values = _beta_of(setting, members)
        ends = values[:, -final:].mean(axis=1)
        rows += [
            [*setting, run.key.seed, group, beta]
            for run, betas in zip(members, ends, strict=True)
            for group, beta in zip(names, betas, strict=True)
        ]
    return pd.DataFrame(rows, columns=[*Setting._fields, "seed", "group", "beta"])


def _beta_of(setting: Setting, runs: Sequence[Run]) -> tuple[list[str], np.ndarray]:
    """The groups' names, and (runs, episodes, groups)."""
    names = runs[0].meta.get("beta_groups", [])
    values = [run.beta for run in runs if run.beta is not None]
    what = f"runs of {setting.method} on {setting.environment}"
    if len(values) < len(runs):
        raise UserError(f"{what} keep no β, so they have no such table")
    if any(run.meta.get("beta_groups", []) != names for run in runs) or any(
        value.shape[1] != len(names) for value in values
    ):
        raise UserError(f"{what} keep the β of different groups of weights; rebuild them with the same code")
    return names, np.stack(values)
