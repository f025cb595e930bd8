"""Learning curves as in the paper's figures 1 to 5: one panel per μ, one line per initial α."""

import math

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from metatrace.figures import style
from metatrace.numbers import label


def draw(curves: pd.DataFrame, *, title: str, note: str) -> Figure:
    """Draws learning curves.

    Args:
      curves: rows of `Tables.curves` of one environment, method and drift; this is also the table
        to save beside the figure. Bands are drawn if low and high are known.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      one panel per μ (without a name if the only μ is 0, the untuned one), all with the same axes; one
      legend, α in descending order.
    """
    style.only(curves, ("environment", "method", "drift"))
    alphas, mus = style.descending(curves["alpha"]), style.descending(curves["mu"])
    columns = _columns(len(mus))
    rows = math.ceil(len(mus) / columns)
    with style.theme():
        figure = style.new_figure(0.5 + (3.7 if len(mus) == 1 else 2.5 * rows), title=title, note=note)
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, mu in zip(axes.flat, mus, strict=False):
            _panel(panel, curves[curves["mu"] == mu], alphas)
            if mus != ["0"]:
                panel.set_title(rf"$\mu = {label(mu)}$", pad=4)
        style.trim(axes, len(mus), "Training episode")
        for panel in axes[:, 0]:
            panel.set_ylabel("Return (trailing mean)")
        axes[0, 0].set_xlim(*_episodes(curves))
        axes[0, 0].set_ylim(*_range(curves))
        handles = [
            Line2D([], [], color=colour, ls=style.line_style(i), lw=1.6, label=f"${label(alpha)}$")
            for i, (alpha, colour) in enumerate(zip(alphas, style.palette(len(alphas)), strict=True))
        ]
        style.shared_legend(figure, handles, r"Initial $\alpha$")
    return figure


def _panel(axes: Axes, curves: pd.DataFrame, alphas: list[str]) -> None:
    for i, (alpha, colour) in enumerate(zip(alphas, style.palette(len(alphas)), strict=True)):
        curve = curves[curves["alpha"] == alpha]
        if not curve.empty:
            style.curve(axes, curve, colour=colour, line_style=style.line_style(i), label=alpha)
    sns.despine(ax=axes)


def _columns(panels: int) -> int:
    if panels <= 2 or panels == 4:
        return min(panels, 2)
    return 3


def _episodes(curves: pd.DataFrame) -> tuple[float, float]:
    last = int(curves["episode"].max())
    # A single episode would make an axis of no length.
    return (1, last) if last > 1 else (0.5, 1.5)


def _range(curves: pd.DataFrame) -> tuple[float, float]:
    """The range of all lines and bands, a little wider."""
    values = curves[["mean", "low", "high"]].to_numpy()
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin
