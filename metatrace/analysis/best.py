"""The best meta-step-size of each method and drift, as the paper's figure 6 chooses it."""

from typing import Any

import numpy as np
import pandas as pd

from metatrace.analysis import intervals

CASE = ["environment", "method", "alpha", "drift"]


def best_mu(scores: pd.DataFrame) -> pd.DataFrame:
    """The μ with the highest mean return over the final episodes, and its lead over the runner-up.

    The same runs choose and score the best μ, so its score is biased upward if several μ are similar. The interval of
    the difference to the runner-up shows how similar; it pairs runs of the same seed.

    Args:
      scores: of `aggregate`; all settings of a case have the same seeds.

    Returns:
      one row per case (environment, method, alpha, drift), in the order of `scores`: these, mu, runs, final, final_low,
      final_high, runner_up (the second best μ; "" if there is only one), runner_up_final, and difference,
      difference_low, difference_high (of final, best − runner-up). Of equal means, the larger μ is the best.
    """
    rows: list[dict[str, Any]] = []
    for case, runs in scores.groupby(CASE, sort=False):
        finals = {mu: group["final"].to_numpy() for mu, group in runs.groupby("mu", sort=False)}
        # A stable sort: μ are in descending order, as in `scores`.
        ranked = sorted(finals, key=lambda mu: -finals[mu].mean())
        best = finals[ranked[0]]
        low, high = intervals.mean_interval(best)
        row: dict[str, Any] = {
            **dict(zip(CASE, case, strict=True)),
            "mu": ranked[0],
            "runs": len(best),
            "final": best.mean(),
            "final_low": low,
            "final_high": high,
            "runner_up": "",
            **dict.fromkeys(("runner_up_final", "difference", "difference_low", "difference_high"), np.nan),
        }
        if len(ranked) > 1:
            second = finals[ranked[1]]
            low, high = intervals.mean_interval(best - second)
            row |= {
                "runner_up": ranked[1],
                "runner_up_final": second.mean(),
                "difference": (best - second).mean(),
                "difference_low": low,
                "difference_high": high,
            }
        rows.append(row)
    return pd.DataFrame(rows).astype(dict.fromkeys((*CASE, "mu", "runner_up"), "str"))
