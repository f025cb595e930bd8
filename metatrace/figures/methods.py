"""All methods in one picture: scores against the initial α at the best μ, and spread over α against μ."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metatrace.analysis import tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import label, parse
from metatrace.runs.key import NO_MU

_KEYS = ["environment", "method", "mu", "drift"]


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    table = drawn_table(*tables.read_all(job.tables, "settings", "spread", "best_over_alpha"))
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """Above, final return and AUC against α; below, the spread of AUC over α against μ: one line per method.

    The untuned method's spread is a level line. The legend names each best μ.
    """
    scores = table[table["quantity"] != "spread"]
    mus = dict(zip(scores["method"], scores["mu"], strict=True))
    looks = {method: _look(method, mus[method]) for method in style.in_order(mus)}
    figure = style.new_figure(5.9, job)
    panels = figure.subplot_mosaic([["final", "auc"], ["spread", "spread"]], height_ratios=[1.1, 1])
    style.score_panels([panels["final"], panels["auc"]], scores, "method", looks)
    _spread_panel(panels["spread"], table[table["quantity"] == "spread"], looks)
    style.legend(figure, looks.values(), r"Tuning, best $\mu$")
    return figure


def drawn_table(settings: pd.DataFrame, spread: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Args:
      settings, spread: those of one environment and drift.
      best: of `best_over_alpha`, of the same runs: one μ per method.

    Returns:
      quantity (final and auc only at the best μ, spread at every μ), environment, method, alpha (missing for
      a spread), mu, drift, value, low, high; by quantity and method.
    """
    at_best = settings.merge(best[_KEYS], on=_KEYS)
    parts = [("final", at_best), ("auc", at_best), ("spread", spread.assign(alpha=None))]
    table = style.values(parts, "environment", "method", "alpha", "mu", "drift")
    return style.in_orders(table, {"quantity": [name for name, _ in parts], "method": style.in_order(best["method"])})


def _spread_panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, style.Look]) -> None:
    for method, look in looks.items():
        here = rows[rows["method"] == method]
        if not look.marker:
            style.constant_line(axes, here, look, method)
            continue
        here = here.assign(x=[parse(mu, "figure") for mu in here["mu"]]).sort_values("x")
        axes.vlines(here["x"], here["low"], here["high"], color=look.colour, lw=1.2, zorder=2)
        mark: dict[str, Any] = {"marker": look.marker, "ms": 4.5, "mew": 0.5, "mec": "white"}
        axes.plot(here["x"], here["value"], **look.line(1.3), **mark, zorder=3, label=method)
    style.spread_axes(axes, rows.loc[rows["mu"] != NO_MU, "mu"], labels=16)


def _look(method: str, mu: str) -> style.Look:
    """The look of a method at its best μ; without a marker if it has none."""
    if mu == NO_MU:
        return style.method_look(method)
    return style.method_look(method, f"{METHODS[method].short}, ${label(mu)}$", marked=True)
