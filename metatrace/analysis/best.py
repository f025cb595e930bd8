"""The best meta-step-size of each method: at each drift, as the paper's figure 6 chooses it, or over all α.

The same runs choose and score the best μ, so its score is biased upward if several μ are similar.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import intervals
from metatrace.errors import UserError
from metatrace.numbers import parse

CASE = ["environment", "method", "drift"]


def best_mu(scores: pd.DataFrame) -> pd.DataFrame:
    """The α and μ with the highest mean return over the final episodes, and the lead over the runner-up.

    The interval of the difference to the runner-up shows how similar the two are; it pairs runs of the same seed.

    Args:
      scores: of `aggregate`; all settings of a case have the same seeds.

    Returns:
      one row per case (environment, method, drift), in the order of `scores`: environment, method, alpha, drift, mu,
      runs, final, final_low, final_high, runner_up (the second best μ, with its α if the method has several; "" if
      there is only one), runner_up_final, and difference, difference_low, difference_high (of final, best −
      runner-up). Of equal means, the larger μ is the best, and then the larger α.
    """
    rows = []
    for (environment, method, drift), runs in scores.groupby(CASE, sort=False):
        has_one = runs["alpha"].nunique() == 1
        named = {}
        for (mu, alpha), group in runs.groupby(["mu", "alpha"], sort=False):
            named[str(mu) if has_one else f"{mu}, α = {alpha}"] = str(mu), str(alpha), group["final"].to_numpy()
        best = _best_of({name: finals for name, (_, _, finals) in named.items()}, "final")
        mu, alpha, finals = named[best["mu"]]
        second = named[best["runner_up"]][-1] if best["runner_up"] else np.nan
        best |= {"mu": mu} | intervals.with_interval("difference", finals - second)
        rows.append({"environment": environment, "method": method, "alpha": alpha, "drift": drift} | best)
    return pd.DataFrame(rows)


def best_over_alpha(scores: pd.DataFrame, alpha_max: float) -> pd.DataFrame:
    """The μ of each method with the highest AUC on average over the initial step-sizes.

    μ* = argmax over μ of (1/A) Σₐ m̄(α, μ), m̄ the mean over seeds, α ≤ `alpha_max`.

    Args:
      scores: of `aggregate`, as `methods.gathered`; every setting of a method has the same seeds.
      alpha_max: the largest α that counts.

    Returns:
      one row per environment, method and drift, in the order of `scores`: these, mu, alphas (how many count:
      those at which every μ of the method was run), runs (seeds), auc, auc_low, auc_high (mean over α, with
      its 95 % bootstrap interval over seeds, the α of a seed kept together), runner_up (the second best μ; ""
      where there is one only) and runner_up_auc. Of equal means the larger μ.

    Raises:
      UserError: a method with no such α. The line names it.
    """
    rows = []
    for case, runs in scores.groupby(CASE, sort=False):
        table = runs.pivot(index="seed", columns=["mu", "alpha"], values="auc")
        mus = sorted(set(runs["mu"]), key=lambda token: -parse(token, "mu", zero=True))
        shared = set.intersection(*(set(table[mu].columns) for mu in mus))
        counted = [alpha for alpha in runs["alpha"].unique() if alpha in shared and parse(alpha, "alpha") <= alpha_max]
        if not counted:
            raise UserError(
                f"{case[1]} was run at no α up to {alpha_max} with every μ; there is nothing to choose a μ by"
            )
        best = _best_of({mu: table[mu][counted].to_numpy().mean(axis=1) for mu in mus}, "auc")
        rows.append(dict(zip(CASE, case, strict=True)) | {"mu": best["mu"], "alphas": len(counted)} | best)
    return pd.DataFrame(rows)


def best_settings(settings: pd.DataFrame, among: Collection[str], score: str, quantities: Sequence[str]) -> list[str]:
    """The settings of each method and drift that did best, for runs on other seeds.

    Args:
      settings: one row per setting: method, alpha, mu, drift, and the mean `score` over seeds.
      among: those to choose from, "scalar 2^-10 2^-8 6e-6".
      quantities: what is chosen, of alpha and mu, by the mean score over all else.

    Returns:
      those with the best quantities, in the order of `settings`. Of equal means, the first.
    """
    named = settings[["method", "alpha", "mu", "drift"]].astype(str).agg(" ".join, axis=1)
    chosen: list[str] = []
    for _, rows in settings[named.isin(among)].groupby(["method", "drift"], sort=False):
        values = rows[list(quantities)].astype(str).agg(" ".join, axis=1)
        means = rows[score].groupby(values, sort=False).mean()
        chosen.extend(named[values.index[values == means.idxmax()]])
    return chosen


def _best_of(by_seed: Mapping[str, np.ndarray], score: str) -> dict[str, Any]:
    """The μ with the highest mean over seeds, and the runner-up; by μ downward the scores of each seed."""
    # The sort is stable: of equal means the larger μ goes first.
    best, *others = sorted(by_seed, key=lambda mu: -by_seed[mu].mean())
    second = others[0] if others else ""
    return {
        "mu": best,
        "runs": len(by_seed[best]),
        **intervals.with_interval(score, by_seed[best]),
        "runner_up": second,
        f"runner_up_{score}": by_seed[second].mean() if second else np.nan,
    }
