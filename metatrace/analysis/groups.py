"""Runs by setting: (environment, method, α, μ, drift), all tokens.

Settings are ordered by environment, method, drift (ascending), μ and α (descending), the runs of a setting by seed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from metatrace.errors import UserError
from metatrace.numbers import parse
from metatrace.runs.results import Run


class Setting(NamedTuple):
    """What runs that differ only in their seed share."""

    environment: str
    method: str
    alpha: str
    mu: str
    drift: str

    def __str__(self) -> str:
        """As an error message names it."""
        return f"{self.environment} {self.method} alpha {self.alpha} mu {self.mu} drift {self.drift}"


SETTING = list(Setting._fields)
Groups = dict[Setting, list[Run]]


def by_setting(runs: Sequence[Run], *, same_episodes: bool = True) -> Groups:
    """The runs of each setting.

    Args:
      same_episodes: whether all runs of a setting must have the same number of episodes. Runs of games have the same
        number of frames instead.

    Raises:
      UserError: there are no runs, or their seeds or episodes do not match. The line names the setting.
    """
    if not runs:
        raise UserError("there are no runs to aggregate; name at least one run file")
    groups: Groups = {}
    for run in sorted(runs, key=lambda run: run.key.seed):
        groups.setdefault(Setting(*(getattr(run.key, key) for key in SETTING)), []).append(run)
    groups = {setting: groups[setting] for setting in sorted(groups, key=_order)}
    first = next(iter(groups))
    expected = [run.key.seed for run in groups[first]]
    for setting, members in groups.items():
        seeds = [run.key.seed for run in members]
        twice = next((seed for seed in seeds if seeds.count(seed) > 1), None)
        if twice is not None:
            raise UserError(f"{setting}: seed {twice} is given more than once")
        if seeds != expected:
            raise UserError(
                f"{setting}: has {_seeds(seeds)}, but {first} has {_seeds(expected)};"
                " every setting needs the same seeds"
            )
        episodes = {len(run.returns) for run in members}
        if same_episodes and len(episodes) > 1:
            raise UserError(
                f"{setting}: its runs have {', '.join(map(str, sorted(episodes)))} episodes;"
                " they must all have the same number"
            )
    return groups


def per_run(groups: Groups, measure: Callable[[Run], Mapping[str, Any]]) -> pd.DataFrame:
    """One row per run: its setting, its seed, and what `measure` says of it."""
    return pd.DataFrame(
        [
            {**setting._asdict(), "seed": run.key.seed, **measure(run)}
            for setting, members in groups.items()
            for run in members
        ]
    )


def _seeds(seeds: list[int]) -> str:
    return f"seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}"


def _order(setting: Setting) -> tuple[str, str, float, float, float]:
    drift, mu = (parse(token, str(setting), zero=True) for token in (setting.drift, setting.mu))
    return setting.environment, setting.method, drift, -mu, -parse(setting.alpha, str(setting))
