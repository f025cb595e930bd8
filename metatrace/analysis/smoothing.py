"""The smoothing of the paper's learning curves."""

import numpy as np

MOST_POINTS = 1000


def trailing_mean(returns: np.ndarray, window: int) -> np.ndarray:
    """The paper's "average of the last 20 episodes", at every episode.

    yₜ = (1/n) Σ_{i = t−n+1}^{t} xᵢ with n = min(window, t + 1): all episodes, as long as there are fewer than `window`.

    Args:
      returns: (…, episodes), the return of each episode.
      window: at least 1, in episodes.

    Returns:
      (…, episodes), float64, in the unit of `returns`.
    """
    values = np.asarray(returns, np.float64)
    episodes = values.shape[-1]
    head = min(window - 1, episodes)
    smooth = np.empty_like(values)
    smooth[..., :head] = np.cumsum(values[..., :head], axis=-1) / np.arange(1, head + 1)
    if episodes >= window:
        # Not a difference of cumulative sums: it would lose the digits of small values after large ones.
        windows = np.lib.stride_tricks.sliding_window_view(values, window, axis=-1)
        smooth[..., head:] = windows.mean(axis=-1)
    return smooth


def drawn_episodes(episodes: int) -> np.ndarray:
    """The episodes (0-based) at which a curve is kept: all if there are at most `MOST_POINTS`, else every kth.

    k is the smallest that keeps no more than `MOST_POINTS`; the last episode is always kept. A trailing mean changes
    little within k episodes, and no screen shows more points.
    """
    step = -(-episodes // MOST_POINTS)
    return np.arange(episodes - 1, -1, -step)[::-1]
