"""Runs by setting: (environment, method, α, μ, drift), all tokens.

Settings are ordered by environment, method, drift (ascending), μ and α (descending), the runs of a setting by seed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from metatrace.errors import UserError
from metatrace.numbers import parse
from metatrace.runs.results import Run

SETTING = ["environment", "method", "alpha", "mu", "drift"]


class Setting(NamedTuple):
    """What runs that differ only in their seed share."""

    environment: str
    method: str
    alpha: str
    mu: str
    drift: str


def by_setting(runs: Sequence[Run], *, same_episodes: bool = True) -> dict[Setting, list[Run]]:
    """The runs of each setting.

    Args:
      same_episodes: whether all runs of a setting must have the same number of episodes. Runs of games have the same
        number of frames instead.

    Raises:
      UserError: there are no runs, or their seeds or episodes do not match. The line names the setting.
    """
    if not runs:
        raise UserError("there are no runs to aggregate; name at least one run file")
    groups: dict[Setting, list[Run]] = {}
    for run in runs:
        groups.setdefault(Setting(*(getattr(run.key, key) for key in SETTING)), []).append(run)
    groups = {key: sorted(groups[key], key=lambda run: run.key.seed) for key in sorted(groups, key=_order)}
    expected = [run.key.seed for run in next(iter(groups.values()))]
    first = describe(next(iter(groups)))
    for setting, members in groups.items():
        seeds = [run.key.seed for run in members]
        if len(set(seeds)) != len(seeds):
            twice = next(seed for seed in seeds if seeds.count(seed) > 1)
            raise UserError(f"{describe(setting)}: seed {twice} is given more than once")
        if seeds != expected:
            raise UserError(
                f"{describe(setting)}: has {_seeds(seeds)}, but {first} has {_seeds(expected)};"
                " every setting needs the same seeds"
            )
        episodes = {len(run.returns) for run in members}
        if same_episodes and len(episodes) > 1:
            raise UserError(
                f"{describe(setting)}: its runs have {', '.join(map(str, sorted(episodes)))} episodes;"
                " they must all have the same number"
            )
    return groups


def _seeds(seeds: list[int]) -> str:
    return f"seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}"


def _order(setting: Setting) -> tuple[str, str, float, float, float]:
    where = describe(setting)
    drift, mu = (parse(token, where, zero=True) for token in (setting.drift, setting.mu))
    return setting.environment, setting.method, drift, -mu, -parse(setting.alpha, where)


def describe(setting: Setting) -> str:
    """The setting as an error message names it."""
    environment, method, alpha, mu, drift = setting
    return f"{environment} {method} alpha {alpha} mu {mu} drift {drift}"
