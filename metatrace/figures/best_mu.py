"""Every method at its best μ, as in the paper's figure 6: one panel per drift rate, one line per method."""

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metatrace.analysis import points, tables
from metatrace.analysis.groups import SETTING
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import descending, label
from metatrace.runs.key import NO_MU

_STRIP = 3  # as many best μ as fit side by side above a panel


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    curves, best = tables.read_all(job.tables, "curves", "best_mu")
    table = drawn_table(points.of_episodes(curves), best)
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """One panel per drift, ascending, all with the same axes.

    Above each panel stands the best μ of every tuned method, in the style of its line; where methods have several α,
    the best α too.
    """
    drifts, names_alpha = descending(table["drift"])[::-1], table["alpha"].nunique() > 1
    figure = style.panels(len(drifts), min(len(drifts), 2), style.EPISODE, (0.4, 2.75, 3.9), job)
    for panel, drift in zip(figure.axes, drifts, strict=True):
        _panel(panel, table[table["drift"] == drift], drift, names_alpha=names_alpha)
    style.curve_axes(figure.axes[0], table)
    style.legend(figure, map(style.method_look, style.in_order(table["method"])), "Tuning")
    return figure


def drawn_table(curves: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Args:
      curves: those of one environment.
      best: of `best_mu`, of the same runs.

    Returns:
      the rows of `curves` at the best α and μ of their method and drift, by drift (ascending), method and episode.
    """
    orders = {"drift": descending(best["drift"])[::-1], "method": style.in_order(best["method"])}
    return style.in_orders(curves.merge(best[SETTING], on=SETTING), orders, "episode")


def _panel(axes: Axes, rows: pd.DataFrame, drift: str, *, names_alpha: bool) -> None:
    methods = style.in_order(rows["method"])
    style.curves(axes, rows, "method", {method: style.method_look(method) for method in methods})
    best = {method: (alpha, mu) for method, alpha, mu in zip(rows["method"], rows["alpha"], rows["mu"], strict=True)}
    names = {method: [mu] * (mu != NO_MU) for method, (_, mu) in best.items()}
    what = r"$\mu$"
    if names_alpha:
        names = {method: [alpha, *names[method]] for method, (alpha, _) in best.items()}
        what = r"$\alpha$ (and $\mu$)"
    looks = [
        style.method_look(method, ", ".join(f"${label(token)}$" for token in names[method]))
        for method in methods
        if names[method]
    ]
    heading, lines = rf"Drift rate ${label(drift)}$", math.ceil(len(looks) / _STRIP)
    if looks:
        style.legend_above(axes, looks, "lower center", 0.5, ncols=min(len(looks), _STRIP), columnspacing=1.2)
        heading += f", best {what}:"
    axes.set_title(heading, pad=5 + 16 * lines)
