"""Every method at its best μ, as in the paper's figure 6: one panel per drift rate, one line per method."""

import math

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metatrace.analysis import points, tables
from metatrace.analysis.groups import SETTING
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import label
from metatrace.runs.key import NO_MU

_STRIP = 3  # as many best μ as fit side by side above a panel


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    curves, best = tables.read_all(job.tables, "curves", "best_mu")
    curves = points.of_episodes(curves)
    return draw(curves, best, title=job.title, note=job.note), drawn_table(curves, best)


def draw(curves: pd.DataFrame, best: pd.DataFrame, *, title: str, note: str) -> Figure:
    """Draws the learning curves of the best μ of every method and drift.

    Args:
      curves: rows of `Tables.curves` of one environment and α.
      best: rows of `best_mu` of the same.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      one panel per drift, ascending, all with the same axes; above each the best μ of every tuned method, in
      the style of its line; one legend of the methods. What is drawn is `drawn_table` of the same tables.
    """
    table = drawn_table(curves, best)
    drifts, methods = style.descending(table["drift"])[::-1], style.in_order(table["method"])
    columns = min(len(drifts), 2)
    rows = math.ceil(len(drifts) / columns)
    with style.theme():
        figure = style.new_figure(0.4 + (3.9 if len(drifts) == 1 else 2.75 * rows), title=title, note=note)
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, drift in zip(axes.flat, drifts, strict=False):
            _panel(panel, table[table["drift"] == drift], drift)
        style.trim(axes, len(drifts), style.EPISODE)
        for panel in axes[:, 0]:
            panel.set_ylabel(style.RETURN)
        style.episode_axis(axes[0, 0], table)
        axes[0, 0].set_ylim(*style.value_range(table))
        style.shared_legend(figure, [style.method_handle(METHODS[method]) for method in methods], "Tuning")
    return figure


def drawn_table(curves: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point: the table to save next to it.

    Returns:
      the rows of `curves` at the best μ of their method and drift, by drift (ascending), method and episode.

    Raises:
      ValueError: there are several environments or α, two best μ of one method and drift, or a best μ without a curve.
    """
    for frame in (curves, best):
        style.only(frame, ("environment", "alpha"))
    parts = []
    for drift in style.descending(best["drift"])[::-1]:
        for method in style.in_order(best["method"]):
            chosen = best.loc[(best["drift"] == drift) & (best["method"] == method), SETTING]
            if chosen.empty:
                continue
            style.only(chosen, ("mu",))
            part = curves.merge(chosen, on=SETTING)
            if part.empty:
                raise ValueError(f"there is no curve of {' '.join(chosen.iloc[0])}, which is the best")
            parts.append(part.sort_values("episode"))
    return pd.concat(parts, ignore_index=True)


def _panel(axes: Axes, rows: pd.DataFrame, drift: str) -> None:
    handles = []
    for method in style.in_order(rows["method"]):
        look, curve = METHODS[method], rows[rows["method"] == method]
        style.curve(axes, curve, colour=look.colour, line_style=look.line_style, label=method)
        (mu,) = curve["mu"].unique()
        if mu != NO_MU:
            handles.append(style.method_handle(look, f"${label(mu)}$"))
    heading, lines = rf"Drift rate ${label(drift)}$", math.ceil(len(handles) / _STRIP)
    if handles:
        # In a strip between title and panel: inside the panel it would cover curves.
        axes.legend(
            handles=handles,
            loc="lower center",
            bbox_to_anchor=(0.5, 1),
            ncols=min(len(handles), _STRIP),
            frameon=False,
            borderpad=0.2,
            borderaxespad=0,
            handlelength=2.8,
            columnspacing=1.2,
        )
        heading += r", best $\mu$:"
    axes.set_title(heading, pad=5 + 16 * lines)
    sns.despine(ax=axes)
