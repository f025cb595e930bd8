"""Error over examples of a task that changes, and how far the weights of each layer move in each task."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullFormatter

from metatrace.analysis import tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob

NAMES = {"none": "backpropagation"}
ERROR, CHANGE = "error", "change"  # the quantities of the drawn table
_LAYERS = {"U": r"$\|\Delta U\|^2$, into the hidden units", "W": r"$\|\Delta W\|^2$, out of them"}


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    table = drawn_table(*tables.read_all(job.tables, "curves", "changes"))
    return draw(table, job), table


def drawn_table(curves: pd.DataFrame, changes: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Args:
      curves, changes: of `analysis.errors.make_of_tasks`.

    Returns:
      quantity (error, or change of a layer), method, alpha, layer (missing for errors), example (missing for changes),
      task (missing for errors), mean, low, high, runs; by quantity and method.
    """
    table = pd.concat([curves.assign(quantity=ERROR), changes.assign(quantity=CHANGE)], ignore_index=True)
    columns = ["quantity", "method", "alpha", "layer", "example", "task", "mean", "low", "high", "runs"]
    orders = {"quantity": [ERROR, CHANGE], "method": style.in_order(table["method"])}
    return style.in_orders(table[columns], orders, "layer", "task", "example")


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """Above the error over examples; below ‖Δw‖² of each layer over each task."""
    methods = style.in_order(table["method"])
    looks = {method: style.method_look(method, NAMES.get(method, "")) for method in methods}

    figure = style.new_figure(6.2, job)
    panels = figure.subplot_mosaic([["error", "error"], ["U", "W"]], height_ratios=[1.2, 1])
    errors, changes = (table[table["quantity"] == quantity] for quantity in (ERROR, CHANGE))
    axes = panels["error"]
    style.curves(axes, errors, "method", looks, over="example")
    axes.set_xlim(0, job.facts["length"])
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Examples")
    axes.set_ylabel(r"Error, ½$\delta^2$")
    for layer, heading in _LAYERS.items():
        axes = panels[layer]
        for method, look in looks.items():
            rows = changes[(changes["layer"] == layer) & (changes["method"] == method)]
            style.curve(axes, rows, look, method, over="task")
        axes.set_yscale("log")
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
        axes.set_title(heading, pad=5)
        axes.set_xlabel("Task")
    style.legend(figure, looks.values(), "Method")
    return figure
