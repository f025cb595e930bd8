"""What identifies a run, and grids of runs."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metatrace.methods import METHODS
from metatrace.methods import UNTUNED as UNTUNED

NO_MU, NO_DRIFT = "0", "0"
# What no file system has anything against, for the two signs of an environment's name that some cannot hold.
_SAFE = {"/": "~~", ":": "~"}


@dataclass(frozen=True, order=True)
class RunKey:
    """What identifies a run; α, μ and drift are number tokens."""

    environment: str
    method: str
    alpha: str
    mu: str
    drift: str
    seed: int

    def path(self, root: str | os.PathLike[str]) -> str:
        """Where the run's file lies below `root` (`results/<scale>/runs`)."""
        return (
            f"{os.fspath(root)}/{folder_of(self.environment)}/{self.method}"
            f"/alpha~{self.alpha}/mu~{self.mu}/drift~{self.drift}/seed~{self.seed}.npz"
        )


def folder_of(environment: str) -> str:
    """The folder of an environment's runs: `gymnasium~CartPole-v1` for `gymnasium:CartPole-v1`."""
    for sign, safe in _SAFE.items():
        environment = environment.replace(sign, safe)
    return environment


def environment_in(folder: str) -> str:
    """The environment whose runs a folder has."""
    for sign, safe in _SAFE.items():
        folder = folder.replace(safe, sign)
    return folder


def grid_of_runs(
    environments: Sequence[str],
    methods: Sequence[str],
    alphas: Sequence[str],
    mus: Sequence[str],
    drifts: Sequence[str],
    seeds: Sequence[int],
    alpha_of: Mapping[str, Sequence[str]] | None = None,
) -> tuple[RunKey, ...]:
    """Every combination, seeds innermost. A method without a meta-step-size is there once, with μ 0.

    Args:
      alpha_of: the α of methods that have others than `alphas`.
    """
    own = alpha_of or {}
    return tuple(
        RunKey(environment, method, alpha, mu, drift, seed)
        for environment in environments
        for drift in drifts
        for method in methods
        for mu in (mus if METHODS[method].has_mu else (NO_MU,))
        for alpha in own.get(method, alphas)
        for seed in seeds
    )
