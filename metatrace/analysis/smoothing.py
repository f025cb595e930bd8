"""The smoothing of the paper's learning curves."""

import numpy as np


def trailing_mean(returns: np.ndarray, window: int) -> np.ndarray:
    """The paper's "average of the last 20 episodes", at every episode.

    yₜ = (1/n) Σ_{i = t−n+1}^{t} xᵢ with n = min(window, t + 1): where fewer than `window` episodes
    have been played, all of them.

    Args:
      returns: (…, episodes), the return of each episode.
      window: at least 1, in episodes.

    Returns:
      (…, episodes), float64, in the unit of `returns`.
    """
    if window < 1:
        raise ValueError(f"window is {window}; it must be at least 1")
    values = np.asarray(returns, np.float64)
    episodes = values.shape[-1]
    head = min(window - 1, episodes)
    smooth = np.empty_like(values)
    smooth[..., :head] = np.cumsum(values[..., :head], axis=-1) / np.arange(1, head + 1)
    if episodes >= window:
        # Not a difference of cumulative sums: that loses the digits of late small values
        # after early large ones.
        windows = np.lib.stride_tricks.sliding_window_view(values, window, axis=-1)
        smooth[..., head:] = windows.mean(axis=-1)
    return smooth
