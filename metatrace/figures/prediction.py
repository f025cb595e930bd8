"""Errors of predictions against the meta-step-size, and what step-sizes tiles and noise end with."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metatrace.analysis import tables
from metatrace.domains.registry import ENVIRONMENTS
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import descending, label, parse

# How many times the least error still fits on a panel: whoever predicts 0 is off by about ten times as much.
_MOST_ERROR = 12
# Step-sizes outside of this range are not shown.
_STEP_SIZES = (2.0**-16, 2.0**-2)
_STYLES = {"tiles": "-", "noise": (0, (1.2, 1.2))}
_TILES, _NOISE = style.Look("tiles", "#555555"), style.Look("noise", "#555555", _STYLES["noise"])


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    folders = [job.tables, *([job.reference] if job.reference else [])]
    table = drawn_table(
        pd.concat([tables.read_all(folder, "prediction_errors")[0] for folder in folders], ignore_index=True)
    )
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """One column per drift rate, ascending: above the error, below the step-sizes of tuned methods.

    A method's place on the horizontal axis is its μ, that of the untuned one its α. All errors have the same axis, and
    all step-sizes.
    """
    drifts = descending(table["drift"])[::-1]
    drifting = ENVIRONMENTS[table["environment"].iloc[0]].has_drift
    looks = {method: _look(method) for method in style.in_order(table["method"])}
    shown = table[np.isfinite(table["value"])]
    errors, step_sizes = (shown[(shown["quantity"] == "final") == is_error] for is_error in (True, False))
    has_step_sizes = not step_sizes.empty
    figure = style.new_figure(3.3 + 2.6 * has_step_sizes, job)
    axes = figure.subplots(1 + has_step_sizes, len(drifts), sharex=True, sharey="row", squeeze=False)
    for column, drift in enumerate(drifts):
        _lines(axes[0, column], errors[errors["drift"] == drift], looks, {"final": "-"})
        if has_step_sizes:
            _lines(axes[1, column], step_sizes[step_sizes["drift"] == drift], looks, _STYLES)
        if drifting:
            axes[0, column].set_title(f"Drift rate ${label(drift)}$", pad=5)
        style.token_axis(axes[-1, column], table["x"], r"$\mu$ (no tuning: $\alpha$)", labels=8)
    least = errors["value"].min()
    axes[0, 0].set_yscale("log", base=2)
    axes[0, 0].set_ylim(0.9 * least, _MOST_ERROR * least)
    axes[0, 0].yaxis.set_major_formatter("{x:g}")
    axes[0, 0].set_ylabel("Final error")
    entries = list(looks.values())
    if has_step_sizes:
        axes[1, 0].set_yscale("log", base=2)
        axes[1, 0].set_ylim(*_STEP_SIZES)
        axes[1, 0].set_ylabel(r"Mean $\alpha$ at the end")
        entries += [_TILES, *([_NOISE] if "noise" in set(step_sizes["quantity"]) else [])]
    style.legend(figure, entries, "Tuning")
    return figure


def drawn_table(errors: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point, also where an error is too large for the panel.

    Args:
      errors: `prediction_errors` of `analysis.prediction`, of one environment.

    Returns:
      quantity (final, the error; tiles and noise, mean step-sizes of tuned methods where there are any), environment,
      method, alpha, mu, drift, x (the token of its place: μ, or α of an untuned method), runs, value, low, high; by
      quantity, method, drift (ascending) and x (descending).
    """
    tuned = errors["method"].map(lambda method: METHODS[method].has_mu)
    errors = errors.assign(x=errors["mu"].where(tuned, errors["alpha"]))
    groups = [(group, errors[tuned]) for group in _STYLES if errors.loc[tuned, group].notna().any()]
    columns = ["environment", "method", "alpha", "mu", "drift", "x", "runs"]
    table = style.values([("final", errors), *groups], *columns)
    orders = {
        "quantity": ["final", *_STYLES],
        "method": style.in_order(table["method"]),
        "drift": descending(table["drift"])[::-1],
        "x": descending(table["x"]),
    }
    return style.in_orders(table, orders)


def _lines(axes: Axes, rows: pd.DataFrame, looks: dict[str, style.Look], styles: Mapping[str, Any]) -> None:
    """One line per method and quantity, with bars for intervals."""
    for method, look in looks.items():
        for quantity, line_style in styles.items():
            here = rows[(rows["method"] == method) & (rows["quantity"] == quantity)]
            if here.empty:
                continue
            here = here.assign(place=[parse(token, "figure") for token in here["x"]]).sort_values("place")
            line = {**look.line(1.3), **({} if quantity == "final" else {"ls": line_style})}
            marker = look.marker if quantity != "noise" else ""
            name = method if quantity == "final" else f"{method}, {quantity}"
            axes.vlines(here["place"], here["low"], here["high"], color=look.colour, lw=1.1, zorder=2)
            axes.plot(here["place"], here["value"], **line, marker=marker, ms=4.5, mew=0.5, mec="white", label=name)


def _look(method: str) -> style.Look:
    """The look of a method; TD(λ) is what the untuned one is here."""
    return style.method_look(method, "" if METHODS[method].has_mu else r"TD($\lambda$), constant $\alpha$", marked=True)
