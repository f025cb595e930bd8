"""Runs by setting: (environment, method, α, μ, drift), all tokens.

Settings are ordered by environment, method, drift (ascending), μ and α (descending), the runs of a setting by seed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from metatrace.numbers import parse
from metatrace.runs.results import Run


class Setting(NamedTuple):
    """What runs that differ only in their seed share."""

    environment: str
    method: str
    alpha: str
    mu: str
    drift: str


SETTING = list(Setting._fields)
Groups = dict[Setting, list[Run]]


def by_setting(runs: Sequence[Run]) -> Groups:
    """The runs of each setting, from all runs of a grid: every setting has the same seeds."""
    groups: Groups = {}
    for run in sorted(runs, key=lambda run: run.key.seed):
        groups.setdefault(Setting(*(getattr(run.key, key) for key in SETTING)), []).append(run)
    return {setting: groups[setting] for setting in sorted(groups, key=_order)}


def per_run(groups: Groups, measure: Callable[[Run], Mapping[str, Any]]) -> pd.DataFrame:
    """One row per run: its setting, its seed, and what `measure` says of it."""
    return pd.DataFrame(
        [
            {**setting._asdict(), "seed": run.key.seed, **measure(run)}
            for setting, members in groups.items()
            for run in members
        ]
    )


def _order(setting: Setting) -> tuple[str, str, float, float, float]:
    alpha, mu, drift = (parse(token, "run", zero=True) for token in (setting.alpha, setting.mu, setting.drift))
    return setting.environment, setting.method, drift, -mu, -alpha
