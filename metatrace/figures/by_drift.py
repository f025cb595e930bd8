"""Scores of every method at its best μ against the drift rate."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from metatrace.figures import style
from metatrace.methods import METHODS
from metatrace.numbers import label, parse

_TITLES = {"final": "Final return", "auc": "Mean return (AUC)"}
_SETTING = ["environment", "method", "alpha", "mu", "drift"]
_LABEL = 0.2  # the part of the range of drift rates that a label needs
_APART = 0.025  # the part of that range between neighbours: their intervals do not cover each other


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
        for panel, (quantity, heading) in zip(axes, _TITLES.items(), strict=True):
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
        handles = [
            Line2D(
                [], [], color=look.colour, ls=look.line_style, lw=1.6, marker=METHODS[method].marker, ms=5,
                mec="white", label=look.short,
            )
            for method in methods
            for look in [METHODS[method]]
        ]  # fmt: skip
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
    for quantity in _TITLES:
        for method in style.in_order(best["method"]):
            chosen = best[best["method"] == method]
            for drift in style.descending(chosen["drift"])[::-1]:
                one = chosen.loc[chosen["drift"] == drift, _SETTING]
                style.only(one, ("mu",))
                part = settings.merge(one, on=_SETTING)
                if part.empty:
                    raise ValueError(f"there is no score of {' '.join(one.iloc[0])}, which is the best")
                columns = {quantity: "value", f"{quantity}_low": "low", f"{quantity}_high": "high"}
                parts.append(part.rename(columns=columns).assign(quantity=quantity))
    keys = ["quantity", *_SETTING, "runs", "value", "low", "high"]
    return pd.concat([part[keys] for part in parts], ignore_index=True)


def _line(axes: Axes, rows: pd.DataFrame, drifts: list[str], place: float) -> None:
    """One method's line, `place` steps to the right of the drift rates."""
    (method,) = rows["method"].unique()
    look = METHODS[method]
    values = np.array([parse(drift, "figure", zero=True) for drift in rows["drift"]])
    x = values + place * _APART * _width([parse(drift, "figure", zero=True) for drift in drifts])
    axes.vlines(x, rows["low"], rows["high"], color=look.colour, lw=1.4, zorder=2)
    axes.plot(
        x, rows["value"], color=look.colour, ls=look.line_style, lw=1.3, marker=METHODS[method].marker, ms=5.5,
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
