"""Learning curves as in the paper's figures 1 to 5: one panel per μ, one line per initial α."""

import math

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from metatrace.analysis import points, tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import label
from metatrace.runs.key import NO_MU


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    (curves,) = tables.read_all(job.tables, "curves")
    curves = points.of_episodes(curves)
    return draw(curves, title=job.title, note=job.note), curves


def draw(curves: pd.DataFrame, *, title: str, note: str) -> Figure:
    """Draws learning curves.

    Args:
      curves: rows of `Tables.curves` of one environment, method and drift; this is also the table
        to save next to the figure. Bands where low and high are known.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      one panel per μ (without a name if the only μ is 0, the untuned one), all with the same axes; one
      legend, α in descending order.
    """
    style.only(curves, ("environment", "method", "drift"))
    alphas, mus = style.descending(curves["alpha"]), style.descending(curves["mu"])
    columns = style.panel_columns(len(mus))
    rows = math.ceil(len(mus) / columns)
    with style.theme():
        figure = style.new_figure(0.5 + (3.7 if len(mus) == 1 else 2.5 * rows), title=title, note=note)
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, mu in zip(axes.flat, mus, strict=False):
            style.token_curves(panel, curves[curves["mu"] == mu], "alpha", alphas)
            sns.despine(ax=panel)
            if mus != [NO_MU]:
                panel.set_title(rf"$\mu = {label(mu)}$", pad=4)
        style.trim(axes, len(mus), style.EPISODE)
        for panel in axes[:, 0]:
            panel.set_ylabel(style.RETURN)
        axes[0, 0].set_xlim(*style.episode_limits(curves))
        axes[0, 0].set_ylim(*style.value_range(curves))
        style.shared_legend(figure, style.token_handles(alphas), style.ALPHA)
    return figure
