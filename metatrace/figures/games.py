"""Return on games, as in the paper's figures 8 and 9: one panel per game and method, one line per initial α.

The same for other environments, over episodes where games have observed frames.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from metatrace.analysis import points, tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.figures.style import Look
from metatrace.methods import METHODS
from metatrace.numbers import descending, label
from metatrace.runs.key import UNTUNED

# What curves may go over, and the name of its axis
_AXES = {"episode": style.EPISODE, "frame": "Observed frames"}
CURVE, BEST_CONSTANT = "curve", "best constant"  # the roles in the drawn table
# Where several seeds ran, some episodes may have ended: a line needs one of every seed.
_NO_LINE = "too few episodes ended for a line"


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    curves, settings, best = tables.read_all(job.tables, "curves", "settings", "best_constant")
    if "episode" in curves:
        curves = points.of_episodes(curves)
    table = drawn_table(curves, settings, best)
    return draw(table, settings, job), table


@style.theme()
def draw(table: pd.DataFrame, settings: pd.DataFrame, job: PictureJob) -> Figure:
    """One panel per game and method; all axes end where the runs do.

    For several games one row per game, in the order of `settings`, and one column per method, each row with its own
    axis of returns; for one game one panel per method, all with the same axes. A panel with tuning also shows the best
    constant α. The legend names it, with α in descending order, if it is the same for all games; otherwise it stands
    above each panel. A panel without a line of its own says so.
    """
    games, methods = list(settings["environment"].unique()), style.in_order(settings["method"])
    looks = style.token_looks(descending(settings["alpha"]))
    references = table.loc[table["role"] == BEST_CONSTANT, "alpha"].unique()
    over = _over(table)
    places = [(game, method) for game in games for method in methods]
    several = len(games) > 1
    columns = len(methods) if several else min(len(methods), 2)
    row = 3.9 if len(places) <= columns else 1.95 if several else 2.75
    sharey = "row" if several else True
    figure = style.panels(len(places), columns, _AXES[over], (0.6, row, row), job, sharey=sharey)
    for panel, (game, method) in zip(figure.axes, places, strict=True):
        here = table[(table["environment"] == game) & (table["panel_method"] == method)]
        _panel(panel, here, looks, over, names_best=len(references) > 1)
        if not several or game == games[0]:
            name = METHODS[method].name
            # A named best constant stands between the title and the panel.
            panel.set_title(name[0].upper() + name[1:], loc="left", pad=20 if len(references) > 1 else 5)
    _return_axes(figure, figure.axes[::columns], table, games)
    axes = figure.axes[0]
    axes.set_xlim(0, job.facts["length"])
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=2, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    same = [_reference(f"{BEST_CONSTANT},\n", references[0])] if len(references) == 1 else []
    style.legend(figure, [*looks.values(), *same], style.ALPHA)
    return figure


def drawn_table(curves: pd.DataFrame, settings: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Args:
      curves: of `analysis.games.curves` or `analysis.aggregate`; settings: of the same runs.
      best: of `analysis.games.best_constant`: the best constant α of each game.

    Returns:
      the rows of `curves`, each with panel_method (the method of the panel that it is drawn in) and role
      (`curve`); and once more in every panel with tuning those of the best constant α (`best constant`).
      By game, as they first appear in `settings`, panel_method, role, α downward and frame or episode.
    """
    untuned, tuned = curves[curves["method"] == UNTUNED], settings[settings["method"] != UNTUNED]
    panels = tuned[["environment", "method"]].drop_duplicates().rename(columns={"method": "panel_method"})
    references = untuned.merge(best[["environment", "alpha"]]).merge(panels, on="environment")
    shown = [curves.assign(panel_method=curves["method"], role=CURVE), references.assign(role=BEST_CONSTANT)]
    orders = {
        "environment": list(settings["environment"].unique()),
        "panel_method": style.in_order(settings["method"]),
        "role": [CURVE, BEST_CONSTANT],
        "alpha": descending(settings["alpha"]),
    }
    return style.in_orders(pd.concat(shown, ignore_index=True), orders, _over(curves))


def _over(rows: pd.DataFrame) -> str:
    """What curves go over."""
    return next(column for column in _AXES if column in rows)


def _return_axes(figure: Figure, axes: list[Axes], table: pd.DataFrame, games: list[str]) -> None:
    """Ranges of the axes of return, and the names of games; `axes`: the first panel of each row."""
    if len(games) > 1:
        for panel, game in zip(axes, games, strict=True):
            panel.set_ylabel(game.rpartition(":")[2].replace("_", " "), weight="bold")
        figure.supylabel(style.RETURN, size=axes[0].yaxis.label.get_fontsize())
        figure.align_ylabels(axes)
    for number, panel in enumerate(axes):
        shown = table[table["environment"] == games[number]] if len(games) > 1 else table
        if shown.empty:
            panel.set_yticks([])  # any number would look like a return
        else:
            panel.set_ylim(*style.value_range(shown))


def _panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, Look], over: str, *, names_best: bool) -> None:
    """Draws a panel; without a line of its own, it says so."""
    curves, best = rows[rows["role"] == CURVE], rows[rows["role"] == BEST_CONSTANT]
    style.curves(axes, curves, "alpha", looks, over)
    if not best.empty:
        reference = _reference(f"{BEST_CONSTANT} ", best["alpha"].iloc[0])
        style.curve(axes, best, reference, BEST_CONSTANT, width=1.6, over=over)
        if names_best:
            style.legend_above(axes, [reference], "lower right", 1)
    if curves.empty:
        # With a best constant at the top left, where a rising return seldom is.
        x, y, across, up = (0.5, 0.5, "center", "center") if best.empty else (0.02, 0.96, "left", "top")
        # Without the box the grid would run through the text. It covers no line or band.
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        look: dict[str, Any] = {"color": "#777777", "size": style.NOTE_SIZE, "bbox": box, "zorder": 0.9}
        axes.text(x, y, _NO_LINE, transform=axes.transAxes, ha=across, va=up, **look)


def _reference(text: str, alpha: str) -> Look:
    return style.method_look(UNTUNED, f"{text}$\\alpha = {label(alpha)}$")
