"""Scores of every method at its best μ against the drift rate."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metatrace.analysis import tables
from metatrace.analysis.groups import SETTING
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import label, parse

_LABEL = 0.2  # of the range of drift rates, that a label needs
_APART = 0.025  # of the range of drift rates, between neighbours: their intervals do not cover each other


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    shown = tables.read_all(job.tables, "settings", "best_mu")
    return draw(*shown, title=job.title, note=job.note), drawn_table(*shown)


def draw(settings: pd.DataFrame, best: pd.DataFrame, *, title: str, note: str) -> Figure:
    """Draws final return and AUC of every method at its best μ against the drift rate.

    Args:
      settings: rows of `Tables.settings` of one environment and α.
      best: rows of `best_mu` of the same: by final return.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      two panels with the same axis of returns: one line per method with intervals as bars, the methods slightly
      apart so that every bar can be seen; one legend. What is drawn is `drawn_table` of the same tables.
    """
    table = drawn_table(settings, best)
    drifts, methods = style.descending(table["drift"])[::-1], style.in_order(table["method"])
    with style.theme():
        figure = style.new_figure(3.6, title=title, note=note)
        axes = figure.subplots(1, 2, sharex=True, sharey=True)
        for panel, (quantity, heading) in zip(axes, style.SCORES.items(), strict=True):
            rows = table[table["quantity"] == quantity]
            for number, method in enumerate(methods):
                _line(panel, rows[rows["method"] == method], drifts, number - (len(methods) - 1) / 2)
            panel.set_title(heading, pad=5)
            panel.set_xlabel("Drift rate")
            sns.despine(ax=panel)
        axes[0].set_ylabel("Return")
        values = [parse(drift, "figure", zero=True) for drift in drifts]
        axes[0].set_xticks(values, _names(drifts, values))
        edge = 0.12 * _width(values)
        axes[0].set_xlim(values[0] - edge, values[-1] + edge)
        axes[0].set_ylim(*style.value_range(table.rename(columns={"value": "mean"})))
        handles = [style.method_handle(METHODS[method], marker=METHODS[method].marker) for method in methods]
        style.shared_legend(figure, handles, "Tuning")
    return figure


def drawn_table(settings: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point: the table to save next to it.

    Returns:
      quantity (final or auc), environment, method, alpha, mu (the best by final return), drift, runs, value,
      low, high; by method and drift (ascending).

    Raises:
      ValueError: there are several environments or α, two best μ of one method and drift, or a best μ without a score.
    """
    for frame in (settings, best):
        style.only(frame, ("environment", "alpha"))
    parts = []
    for quantity in style.SCORES:
        for method in style.in_order(best["method"]):
            chosen = best[best["method"] == method]
            for drift in style.descending(chosen["drift"])[::-1]:
                one = chosen.loc[chosen["drift"] == drift, SETTING]
                style.only(one, ("mu",))
                part = settings.merge(one, on=SETTING)
                if part.empty:
                    raise ValueError(f"there is no score of {' '.join(one.iloc[0])}, which is the best")
                parts.append(style.as_values(part, quantity))
    keys = ["quantity", *SETTING, "runs", "value", "low", "high"]
    return pd.concat([part[keys] for part in parts], ignore_index=True)


def _line(axes: Axes, rows: pd.DataFrame, drifts: list[str], place: float) -> None:
    """One method's line, `place` steps to the right of the drift rates."""
    (method,) = rows["method"].unique()
    look = METHODS[method]
    values = np.array([parse(drift, "figure", zero=True) for drift in rows["drift"]])
    x = values + place * _APART * _width([parse(drift, "figure", zero=True) for drift in drifts])
    axes.vlines(x, rows["low"], rows["high"], color=look.colour, lw=1.4, zorder=2)
    axes.plot(
        x, rows["value"], color=look.colour, ls=look.line_style, lw=1.3, marker=look.marker, ms=5.5,
        mew=0.6, mec="white", zorder=3, label=method,
    )  # fmt: skip


def _names(drifts: list[str], values: list[float]) -> list[str]:
    """The labels of the ticks; empty if the previous one is too close."""
    names: list[str] = []
    last = -np.inf
    for drift, value in zip(drifts, values, strict=True):
        is_free = value - last >= _LABEL * _width(values)
        last = value if is_free else last
        names.append(f"${label(drift)}$" if is_free else "")
    return names


def _width(values: list[float]) -> float:
    """The range of the drift rates; for a single one its value."""
    return values[-1] - values[0] or abs(values[0]) or 1.0
