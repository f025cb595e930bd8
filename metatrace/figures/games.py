"""Return on games, as in the paper's figures 8 and 9: a panel a game and method, a line an initial α."""

import math

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, MaxNLocator

from metatrace.figures import style
from metatrace.numbers import label

CURVE, BEST_CONSTANT = "curve", "best constant"  # the roles in the drawn table
_SETTING = ["environment", "method", "alpha", "mu", "drift"]
_UNTUNED = "none"


def draw(
    curves: pd.DataFrame, settings: pd.DataFrame, best: pd.DataFrame, *, title: str, note: str, frames: int
) -> Figure:
    """Draws the learning curves of every game, method and initial step-size.

    Args:
      curves: rows of `analysis.games.curves`; a setting of which no episode ended has none.
      settings: rows of `analysis.games.settings` of the same: which panels and lines there are.
      best: rows of `analysis.games.best_constant`: the best constant α of each game.
      title: above the panels.
      note: a small line at the foot: scale, seeds, frames.
      frames: observed frames of every run, where all axes end.

    Returns:
      of several games a row a game, in the order of `settings`, and a column a method, each row with an axis
      of returns of its own; of one game a panel a method. A panel with tuning also shows the best constant
      α, and names it above. What is drawn is `drawn_table` of the same tables.
    """
    table = drawn_table(curves, best)
    games, methods = list(dict.fromkeys(settings["environment"])), style.in_order(settings["method"])
    alphas = style.descending(settings["alpha"])
    places = [(game, method) for game in games for method in methods]
    columns = len(methods) if len(games) > 1 else min(len(methods), 2)
    rows = math.ceil(len(places) / columns)
    with style.theme():
        height = 0.6 + (3.9 if rows == 1 else 2.75 * rows if len(games) == 1 else 1.95 * rows)
        figure = style.new_figure(height, title=title, note=note)
        axes = figure.subplots(
            rows, columns, sharex=True, sharey="row" if len(games) > 1 else True, squeeze=False
        )
        for panel, (game, method) in zip(axes.flat, places, strict=False):
            here = (table["environment"] == game) & (table["panel_method"] == method)
            _panel(panel, table[here], alphas)
            if len(games) == 1 or game == games[0]:
                panel.set_title(style.METHODS[method].name.capitalize().replace("\n", " "), loc="left", pad=5)
        style.trim(axes, len(places), "Observed frames")
        for row, first in enumerate(axes[:, 0]):
            name = f"{games[row].replace('_', ' ')}\n" if len(games) > 1 else ""
            first.set_ylabel(f"{name}Return (trailing mean)" if not name else f"{name}Return")
            shown = table[table["environment"] == games[row]] if len(games) > 1 else table
            first.set_ylim(*(style.value_range(shown) if len(shown) else (0, 1)))
        axes[0, 0].set_xlim(0, frames)
        axes[0, 0].xaxis.set_major_locator(
            MaxNLocator(5, integer=True, min_n_ticks=2, steps=[1, 2, 2.5, 5, 10])
        )
        axes[0, 0].xaxis.set_major_formatter(EngFormatter(sep=""))
        handles = [
            Line2D([], [], color=colour, ls=style.line_style(i), lw=1.6, label=f"${label(alpha)}$")
            for i, (alpha, colour) in enumerate(zip(alphas, style.palette(len(alphas)), strict=True))
        ]
        style.shared_legend(figure, handles, r"Initial $\alpha$")
    return figure


def drawn_table(curves: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, a row a point: the table to save beside it.

    Returns:
      the rows of `curves`, each with panel_method (the method of the panel that it is drawn in) and role
      (`curve`); and once more in every panel with tuning those of the best constant α (`best constant`).

    Raises:
      ValueError: two μ of one method, drifts, or two best α of one game.
    """
    for game, rows in best.groupby("environment"):
        if len(rows) > 1:
            raise ValueError(f"a figure shows one best constant α of {game}, not {', '.join(rows['alpha'])}")
    for _, rows in curves.groupby("method"):
        style.only(rows, ("mu", "drift"))
    parts = [curves.assign(panel_method=curves["method"], role=CURVE)]
    untuned = curves[curves["method"] == _UNTUNED].merge(
        best[["environment", "alpha"]], on=["environment", "alpha"]
    )
    tuned = [method for method in style.in_order(curves["method"]) if method != _UNTUNED]
    parts += [untuned.assign(panel_method=method, role=BEST_CONSTANT) for method in tuned]
    return pd.concat(parts, ignore_index=True)


def _panel(axes: Axes, rows: pd.DataFrame, alphas: list[str]) -> None:
    for i, (alpha, colour) in enumerate(zip(alphas, style.palette(len(alphas)), strict=True)):
        curve = rows[(rows["alpha"] == alpha) & (rows["role"] == CURVE)]
        if not curve.empty:
            style.curve(axes, curve, colour=colour, line_style=style.line_style(i), label=alpha, over="frame")
    best = rows[rows["role"] == BEST_CONSTANT]
    if not best.empty:
        (alpha,) = best["alpha"].unique()
        dashes = (0, style.REFERENCE_DASHES)
        style.curve(
            axes, best, colour=style.REFERENCE_COLOUR, line_style=dashes, label=BEST_CONSTANT, over="frame"
        )
        handle = Line2D([], [], color=style.REFERENCE_COLOUR, ls=dashes, lw=1.6)
        # Above the panel, beside its title: within it would cover curves.
        axes.legend(
            [handle],
            [rf"best constant $\alpha = {label(alpha)}$"],
            loc="lower right",
            bbox_to_anchor=(1, 1),
            frameon=False,
            borderpad=0.2,
            borderaxespad=0,
            handlelength=2.8,
        )
    if rows.empty:
        axes.text(
            0.5,
            0.5,
            "no episode has ended",
            transform=axes.transAxes,
            ha="center",
            va="center",
            color="#777777",
            size=style.NOTE_SIZE,
        )
    sns.despine(ax=axes)
