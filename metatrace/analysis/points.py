"""Which points of a long curve are kept if not all can be seen."""

import numpy as np
import pandas as pd

# Points of a drawn curve, out of at most `smoothing.MOST_POINTS` in its table: a panel is a few hundred dots wide, and
# a report with a thousand curves must open in a browser.
MOST_DRAWN = 250


def kept(count: int, most: int) -> np.ndarray:
    """Which of `count` points are kept: all if there are at most `most`, else `most`, spread as evenly as possible.

    Returns:
      positions from 0, ascending, including the first and the last.
    """
    return np.unique(np.round(np.linspace(0, count - 1, min(count, most))).astype(int))


def of_episodes(curves: pd.DataFrame, most: int = MOST_DRAWN) -> pd.DataFrame:
    """The rows of a table of curves at `most` of its episodes, the same for all curves."""
    episodes = np.unique(curves["episode"].to_numpy())
    return curves[curves["episode"].isin(episodes[kept(len(episodes), most)])]
