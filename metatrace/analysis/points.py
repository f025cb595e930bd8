"""Which points of a long curve are kept where not all can be seen."""

import numpy as np
import pandas as pd

# Of a drawn curve, of up to `smoothing.MOST_POINTS` in its table: a panel is a few hundred dots wide, and a
# report of a thousand curves must open in a browser.
MOST_DRAWN = 250


def kept(count: int, most: int) -> np.ndarray:
    """Which of `count` points are kept: all of up to `most`, else `most` as even as can be.

    Returns:
      positions from 0, ascending; the first and the last are among them.
    """
    if count < 1 or most < 2:
        raise ValueError(f"{most} of {count} points; there must be at least 2 of 1")
    return np.unique(np.round(np.linspace(0, count - 1, min(count, most))).astype(int))


def of_episodes(curves: pd.DataFrame, most: int = MOST_DRAWN) -> pd.DataFrame:
    """The rows of a table of curves at `most` of its episodes, the same for all curves."""
    episodes = np.unique(curves["episode"].to_numpy())
    return curves[curves["episode"].isin(episodes[kept(len(episodes), most)])] if len(episodes) else curves
