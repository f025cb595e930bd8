"""Return on games, as in the paper's figures 8 and 9: one panel per game and method, one line per initial α."""

import math

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, MaxNLocator

from metatrace.analysis import tables
from metatrace.analysis.groups import SETTING
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import label
from metatrace.runs.key import UNTUNED

CURVE, BEST_CONSTANT = "curve", "best constant"  # the roles in the drawn table
_REFERENCE = style.as_line_style(style.REFERENCE_DASHES)
# Where several seeds ran, some episodes may have ended: a line needs one of every seed.
_NO_LINE, _NOT_RUN = "too few episodes ended for a line", "not run"


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    curves, settings, best = tables.read_all(job.tables, "curves", "settings", "best_constant")
    figure = draw(curves, settings, best, title=job.title, note=job.note, frames=job.facts["length"])
    return figure, drawn_table(curves, best, settings)


def draw(
    curves: pd.DataFrame, settings: pd.DataFrame, best: pd.DataFrame, *, title: str, note: str, frames: int
) -> Figure:
    """Draws the learning curves of every game, method and initial step-size.

    Args:
      curves: rows of `analysis.games.curves`; a setting without a finished episode has none.
      settings: rows of `analysis.games.settings` of the same; they decide which panels and lines there are.
      best: rows of `analysis.games.best_constant`: the best constant α of each game.
      title: above the panels.
      note: a small line at the foot: scale, seeds, frames.
      frames: observed frames of every run, where all axes end.

    Returns:
      for several games one row per game, in the order of `settings`, and one column per method, each row with its
      own axis of returns; for one game one panel per method, all with the same axes. A panel with tuning also
      shows the best constant α. The legend names it, with α in descending order, if it is the same for all
      games; otherwise it stands above each panel. A panel without a line of its own says so. What is drawn is
      `drawn_table` of the same tables.

    Raises:
      ValueError: as `drawn_table`.
    """
    table = drawn_table(curves, best, settings)
    games, methods = list(settings["environment"].unique()), style.in_order(settings["method"])
    alphas = style.descending(settings["alpha"])
    references = table.loc[table["role"] == BEST_CONSTANT, "alpha"].unique()
    asked = set(zip(settings["environment"], settings["method"], strict=True))
    places = [(game, method) for game in games for method in methods]
    several = len(games) > 1
    columns = len(methods) if several else min(len(methods), 2)
    rows = math.ceil(len(places) / columns)
    with style.theme():
        height = 0.6 + (3.9 if rows == 1 else (1.95 if several else 2.75) * rows)
        figure = style.new_figure(height, title=title, note=note)
        axes = figure.subplots(rows, columns, sharex=True, sharey="row" if several else True, squeeze=False)
        for panel, (game, method) in zip(axes.flat, places, strict=False):
            here = table[(table["environment"] == game) & (table["panel_method"] == method)]
            missing = _NO_LINE if (game, method) in asked else _NOT_RUN
            _panel(panel, here, alphas, missing=missing, names_best=len(references) > 1)
            if not several or game == games[0]:
                name = METHODS[method].name
                panel.set_title(name[0].upper() + name[1:], loc="left", pad=5)
        style.trim(axes, len(places), "Observed frames")
        _return_axes(axes[:, 0], table, games)
        axes[0, 0].set_xlim(0, frames)
        axes[0, 0].xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=2, steps=[1, 2, 2.5, 5, 10]))
        axes[0, 0].xaxis.set_major_formatter(EngFormatter(sep=""))
        handles = style.token_handles(alphas)
        if len(references) == 1:
            handles.append(_reference(f"{BEST_CONSTANT},\n$\\alpha = {label(references[0])}$"))
        style.shared_legend(figure, handles, style.ALPHA)
    return figure


def drawn_table(curves: pd.DataFrame, best: pd.DataFrame, settings: pd.DataFrame | None = None) -> pd.DataFrame:
    """All that the figure draws, one row per point: the table to save next to it.

    Args:
      curves, best, settings: as of `draw`. Without `settings` the panels are those with a curve; what
        is drawn in a panel with tuning but without a curve of its own is then left out.

    Returns:
      the rows of `curves`, each with panel_method (the method of the panel that it is drawn in) and role
      (`curve`); and once more in every panel with tuning those of the best constant α (`best constant`).
      By game, as they first appear in `settings`, panel_method, role, α downward and frame.

    Raises:
      ValueError: two μ with tuning, two drifts or two best α of one game; or a curve or a best α that
        `settings` does not have.
    """
    asked = curves if settings is None else settings
    for rows, column in (
        (asked[asked["method"] == UNTUNED], "mu"),
        (asked[asked["method"] != UNTUNED], "mu"),
        (asked, "drift"),
    ):
        if not rows.empty:
            style.only(rows, (column,))
    for game, found in best.groupby("environment"):
        if len(found) > 1:
            raise ValueError(f"a figure shows one best constant α of {game}, not {', '.join(found['alpha'])}")
    if settings is not None:
        _require_settings(settings, curves[SETTING])
        _require_settings(settings, best[["environment", "alpha"]].assign(method=UNTUNED))
    untuned = curves[curves["method"] == UNTUNED]
    tuned = asked.loc[asked["method"] != UNTUNED, ["environment", "method"]].drop_duplicates()
    references = untuned.merge(best[["environment", "alpha"]], on=["environment", "alpha"]).merge(
        tuned.rename(columns={"method": "panel_method"}), on="environment"
    )
    table = pd.concat(
        [
            curves.assign(panel_method=curves["method"], role=CURVE),
            references.assign(role=BEST_CONSTANT),
        ],
        ignore_index=True,
    )
    orders = {
        "environment": list(asked["environment"].unique()),
        "panel_method": style.in_order(asked["method"]),
        "role": [CURVE, BEST_CONSTANT],
        "alpha": style.descending(asked["alpha"]),
    }
    return style.in_orders(table, orders, "frame")


def _require_settings(settings: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Refuses rows of which there is no setting: they would be in the table, but not be drawn."""
    columns = list(rows.columns)
    known = set(settings[columns].itertuples(index=False, name=None))
    for row in rows.drop_duplicates().itertuples(index=False, name=None):
        if row not in known:
            named = ", ".join(f"{column} {value}" for column, value in zip(columns, row, strict=True))
            raise ValueError(f"there is no setting with {named}")


def _return_axes(axes: np.ndarray, table: pd.DataFrame, games: list[str]) -> None:
    """Ranges and labels of the axes of return, which the first panels (rows,) share with their rows."""
    figure = axes[0].figure
    for row, first in enumerate(axes):
        shown = table
        if len(games) > 1:
            shown = table[table["environment"] == games[row]]
            first.set_ylabel(games[row].replace("_", " "), weight="bold")
        else:
            first.set_ylabel(style.RETURN)
        if shown.empty:
            first.set_yticks([])  # any number would look like a return
        else:
            first.set_ylim(*style.value_range(shown))
    if len(games) > 1:
        figure.supylabel(style.RETURN, size=axes[0].yaxis.label.get_size())
        figure.align_ylabels(axes)


def _panel(axes: Axes, rows: pd.DataFrame, alphas: list[str], *, missing: str, names_best: bool) -> None:
    """Draws a panel; without a line of its own, it states what is `missing`."""
    curves, best = rows[rows["role"] == CURVE], rows[rows["role"] == BEST_CONSTANT]
    style.token_curves(axes, curves, "alpha", alphas, over="frame")
    if not best.empty:
        style.curve(
            axes,
            best,
            colour=style.REFERENCE_COLOUR,
            line_style=_REFERENCE,
            label=BEST_CONSTANT,
            width=1.6,
            over="frame",
        )
        if names_best:
            (alpha,) = best["alpha"].unique()
            # Above the panel, next to its title: within it would cover curves.
            axes.legend(
                handles=[_reference(rf"{BEST_CONSTANT} $\alpha = {label(alpha)}$")],
                loc="lower right",
                bbox_to_anchor=(1, 1),
                frameon=False,
                borderpad=0.2,
                borderaxespad=0,
                handlelength=2.8,
            )
    if curves.empty:
        # With a best constant at the top left, where a rising return seldom is.
        x, y, across, up = (0.5, 0.5, "center", "center") if best.empty else (0.02, 0.96, "left", "top")
        axes.text(
            x,
            y,
            missing,
            transform=axes.transAxes,
            ha=across,
            va=up,
            color="#777777",
            size=style.NOTE_SIZE,
            # Otherwise the grid would run through it. It covers no line or band.
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            zorder=0.9,
        )
    sns.despine(ax=axes)


def _reference(text: str) -> Line2D:
    return style.line_handle(style.REFERENCE_COLOUR, _REFERENCE, text)
