"""Errors of regression against step-sizes: of one figure, or of several with one column of panels per target scale."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullFormatter, NullLocator

from metatrace.analysis import tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import parse
from metatrace.runs.key import UNTUNED

# Published best errors on Sutton's task (1992), whose targets are ±1; y* = 0 for ever has an error of 5.
PUBLISHED = {"none": 3.5, "idbd": 1.5}
SUTTONS = ("tracking_scales", "1")  # the environment and the scale of which they are
# Of LMS on the same task without its irrelevant inputs: the α with the least error.
PUBLISHED_ALPHA = {"tracking": (0.12, 0.14)}
# Of the error / squared scale: what lies above is a run that is about to diverge, or has.
_SHOWN = (1.0, 8.0)
_TICKS = (1, 1.5, 2, 3, 4, 5, 6, 8)
NAMES = {UNTUNED: "LMS"}
_ERROR = "Error / squared target scale"


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    table = drawn_table(*tables.read_all(job.tables, "errors"))
    return draw(table, job), table


def drawn_table(errors: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Args:
      errors: of `analysis.errors.make`.

    Returns:
      quantity (alpha or mu: what the error is drawn against), environment, target_scale, method, alpha, mu, drift,
      value, low, high (error / squared target scale), runs, diverged; by target scale, quantity and method.
    """
    squared = errors["target_scale"].map(lambda token: parse(token, "figure")) ** 2
    parts = {"value": errors["error"], "low": errors["error_low"], "high": errors["error_high"]}
    table = errors[["environment", "target_scale", "method", "alpha", "mu", "drift", "runs", "diverged"]].assign(
        quantity=np.where(errors["method"].map(lambda method: METHODS[method].has_mu), "mu", "alpha"),
        **{name: column / squared for name, column in parts.items()},
    )
    scales = sorted(set(table["target_scale"]), key=lambda token: parse(token, "figure"))
    orders = {"target_scale": scales, "quantity": ["alpha", "mu"], "method": style.in_order(table["method"])}
    return style.in_orders(table, orders)


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """One row of panels per quantity, α above μ, and one column per target scale; one line per method.

    Dotted level lines are the published best errors, where targets are ±1; a grey band is a published best α. Errors
    beyond the axis leave the panel.
    """
    scales = list(dict.fromkeys(table["target_scale"]))
    rows = [quantity for quantity in ("alpha", "mu") if quantity in set(table["quantity"])]
    methods = style.in_order(table["method"])
    looks = {method: style.method_look(method, NAMES.get(method, ""), marked=True) for method in methods}
    figure = style.new_figure(0.7 + (2.4 if len(scales) > 1 else 3.4) * len(rows), job)
    panels = figure.subplots(len(rows), len(scales), sharey=True, squeeze=False)
    for number, quantity in enumerate(rows):
        for panel, scale in zip(panels[number], scales, strict=True):
            here = table[(table["quantity"] == quantity) & (table["target_scale"] == scale)]
            _panel(panel, here, quantity, looks)
            if number == 0 and len(scales) > 1:
                panel.set_title(f"Targets of ±{scale}", pad=5)
        panels[number][0].set_ylabel(_ERROR if len(scales) > 1 else "Error")
    style.legend(figure, [looks[method] for method in methods], "Method")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, quantity: str, looks: dict[str, style.Look]) -> None:
    shown = set(zip(rows["environment"], rows["target_scale"], strict=True))
    for method, look in looks.items():
        here = rows[rows["method"] == method]
        for _, line in here.groupby("mu" if quantity == "alpha" else "alpha", sort=False):
            points = line.assign(x=[parse(token, "figure") for token in line[quantity]]).sort_values("x")
            axes.fill_between(points["x"], points["low"], points["high"], color=look.colour, alpha=0.13, lw=0, zorder=1)
            mark: dict[str, Any] = {"marker": look.marker, "ms": 6, "mew": 0.5, "mec": look.edge}
            axes.plot(points["x"], points["value"], **look.line(1.4), **mark, zorder=3, label=method)
        if shown == {SUTTONS} and method in PUBLISHED and not here.empty:
            axes.axhline(PUBLISHED[method], color=look.colour, ls=":", lw=1.2, zorder=0.9)
    name = style.ALPHA if quantity == "alpha" else r"Meta-step-size $\mu$ ($\theta$ of IDBD)"
    decade_axis(axes, rows[quantity], name)
    for environment in {environment for environment, _ in shown} & PUBLISHED_ALPHA.keys():
        axes.axvspan(*PUBLISHED_ALPHA[environment], color="#bbbbbb", alpha=0.35, lw=0, zorder=0.5)
        return
    error_axis(axes)


def error_axis(axes: Axes) -> None:
    """The axis of errors: the range in which step-sizes are worth comparing."""
    axes.set_yscale("log")
    axes.set_ylim(*_SHOWN)
    axes.yaxis.set_major_locator(FixedLocator(_TICKS))
    axes.yaxis.set_major_formatter(FormatStrFormatter("%g"))
    axes.yaxis.set_minor_locator(NullLocator())


def decade_axis(axes: Axes, tokens: Sequence[str] | pd.Series, name: str) -> None:
    """A log₁₀ axis around the tokens, with plain numbers where it spans little."""
    positions = sorted({parse(token, "figure") for token in tokens})
    axes.set_xlabel(name)
    if not positions:
        axes.set_xticks([])  # any number would look like a token
        return
    axes.set_xscale("log")
    axes.set_xlim(positions[0] / 1.3, positions[-1] * 1.3)
    axes.xaxis.set_minor_formatter(NullFormatter())
    if positions[-1] / positions[0] < 10:
        axes.xaxis.set_major_locator(FixedLocator(positions[:: -(-len(positions) // 6)]))
        axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        axes.xaxis.set_minor_locator(FixedLocator(positions))
