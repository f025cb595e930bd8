"""Scores of every method at its best μ against the drift rate."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from metatrace.analysis import tables
from metatrace.analysis.groups import SETTING
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import descending, label, parse

_LABEL = 0.2  # of the range of drift rates, that a label needs
_APART = 0.025  # of the range of drift rates, between neighbours: their intervals do not cover each other


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    table = drawn_table(*tables.read_all(job.tables, "settings", "best_mu"))
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """Two panels, final return and AUC, with the same axis of returns and one line per method.

    Intervals are bars; the methods stand slightly apart so that every bar can be seen.
    """
    drifts = {token: _value(token) for token in descending(table["drift"])[::-1]}
    values = list(drifts.values())
    width = values[-1] - values[0] or abs(values[0]) or 1.0
    looks = {method: style.method_look(method, marked=True) for method in style.in_order(table["method"])}
    figure = style.new_figure(3.6, job)
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    for panel, (quantity, heading) in zip(axes, style.SCORES.items(), strict=True):
        for number, (method, look) in enumerate(looks.items()):
            rows = table[(table["quantity"] == quantity) & (table["method"] == method)]
            x = rows["drift"].map(_value) + (number - (len(looks) - 1) / 2) * _APART * width
            panel.vlines(x, rows["low"], rows["high"], color=look.colour, lw=1.4, zorder=2)
            mark: dict[str, Any] = {"marker": look.marker, "ms": 5.5, "mew": 0.6, "mec": "white"}
            panel.plot(x, rows["value"], **look.line(1.3), **mark, zorder=3, label=method)
        panel.set_title(heading, pad=5)
        panel.set_xlabel("Drift rate")
    axes[0].set_ylabel("Return")
    axes[0].set_xticks(values, _names(drifts, _LABEL * width))
    axes[0].set_xlim(values[0] - 0.12 * width, values[-1] + 0.12 * width)
    axes[0].set_ylim(*style.value_range(table.rename(columns={"value": "mean"})))
    style.legend(figure, looks.values(), "Tuning")
    return figure


def drawn_table(settings: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Args:
      settings: those of one environment.
      best: of `best_mu`, of the same runs: by final return.

    Returns:
      quantity (final or auc), environment, method, alpha, mu (the best by final return), drift, runs, value,
      low, high; by method and drift (ascending).
    """
    at_best = settings.merge(best[SETTING], on=SETTING)
    orders = {
        "quantity": list(style.SCORES),
        "method": style.in_order(best["method"]),
        "drift": descending(best["drift"])[::-1],
    }
    return style.in_orders(style.values([(score, at_best) for score in style.SCORES], *SETTING, "runs"), orders)


def _names(drifts: dict[str, float], apart: float) -> list[str]:
    """The labels of the ticks; empty if the previous one is less than `apart` away."""
    names: list[str] = []
    last = -np.inf
    for drift, value in drifts.items():
        is_free = value - last >= apart
        last = value if is_free else last
        names.append(f"${label(drift)}$" if is_free else "")
    return names


def _value(drift: str) -> float:
    return parse(drift, "figure", zero=True)
