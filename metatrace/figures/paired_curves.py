"""Two methods' learning curves at the same settings: one panel per μ, three α, one line style per method."""

import math

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from metatrace.analysis import points, tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import label

_PANELS, _ALPHAS = 6, 3
_LINE_STYLES = ("-", (0, (2.2, 1.2)))


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    (curves,) = tables.read_all(job.tables, "curves")
    curves = points.of_episodes(curves)
    return draw(curves, title=job.title, note=job.note), drawn_table(curves)


def draw(curves: pd.DataFrame, *, title: str, note: str) -> Figure:
    """Draws the learning curves of two methods, at a few α and μ.

    Args:
      curves: rows of `Tables.curves` of one environment and drift and of two methods.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      one panel per μ, in descending order, all with the same axes; one colour per α and one line style per method;
      one legend. What is drawn is `drawn_table` of the same table.
    """
    table = drawn_table(curves)
    alphas, mus = style.descending(table["alpha"]), style.descending(table["mu"])
    methods = style.in_order(table["method"])
    columns = style.panel_columns(len(mus))
    rows = math.ceil(len(mus) / columns)
    colours = dict(zip(alphas, style.palette(len(alphas)), strict=True))
    line_styles = dict(zip(methods, _LINE_STYLES, strict=True))
    with style.theme():
        figure = style.new_figure(0.5 + (3.7 if len(mus) == 1 else 2.5 * rows), title=title, note=note)
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, mu in zip(axes.flat, mus, strict=False):
            here = table[table["mu"] == mu]
            for alpha in alphas:
                for method in methods:
                    style.curve(
                        panel,
                        here[(here["alpha"] == alpha) & (here["method"] == method)],
                        colour=colours[alpha],
                        line_style=line_styles[method],
                        label=f"{method} {alpha}",
                    )
            panel.set_title(rf"$\mu = {label(mu)}$", pad=4)
            sns.despine(ax=panel)
        style.trim(axes, len(mus), style.EPISODE)
        for panel in axes[:, 0]:
            panel.set_ylabel(style.RETURN)
        style.episode_axis(axes[0, 0], table)
        axes[0, 0].set_ylim(*style.value_range(table))
        handles = [
            style.line_handle(colour, "-", rf"$\alpha = {label(alpha)}$", width=3) for alpha, colour in colours.items()
        ]
        handles += [
            style.line_handle("#555555", line_style, METHODS[method].short)
            for method, line_style in line_styles.items()
        ]
        style.shared_legend(figure, handles, f"{style.ALPHA}; method")
    return figure


def drawn_table(curves: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point: the table to save next to it.

    Returns:
      the rows of `curves` at up to six μ and three α, evenly spread, including the largest and the smallest;
      by μ and α (descending), method and episode.

    Raises:
      ValueError: several environments or drifts, not two methods, or a setting that only one of them has.
    """
    style.only(curves, ("environment", "drift"))
    methods = style.in_order(curves["method"])
    if len(methods) != 2:
        raise ValueError(f"a figure compares two methods, not {', '.join(methods)}")
    parts = []
    for mu in evenly(style.descending(curves["mu"]), _PANELS):
        for alpha in evenly(style.descending(curves["alpha"]), _ALPHAS):
            for method in methods:
                at = (curves["mu"] == mu) & (curves["alpha"] == alpha) & (curves["method"] == method)
                if not at.any():
                    raise ValueError(f"there is no curve of {method} at alpha {alpha} mu {mu}")
                parts.append(curves[at].sort_values("episode"))
    return pd.concat(parts, ignore_index=True)


def evenly(tokens: list[str], count: int) -> list[str]:
    """At most `count` of the tokens, evenly spread, including the first and the last."""
    if len(tokens) <= count:
        return tokens
    return [tokens[round(float(place))] for place in np.linspace(0, len(tokens) - 1, count)]
