"""Performance profiles: the share of every method's runs that ends above a return, one panel per drift rate."""

import pandas as pd
from matplotlib.figure import Figure

from metatrace.analysis import tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import descending, label


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    (profiles,) = tables.read_all(job.tables, "profiles")
    table = drawn_table(profiles)
    return draw(table, job), table


def drawn_table(profiles: pd.DataFrame) -> pd.DataFrame:
    """The rows of `over_seeds.profiles`, by drift (ascending), method and return."""
    orders = {"drift": descending(profiles["drift"])[::-1], "method": style.in_order(profiles["method"])}
    return style.in_orders(profiles, orders, "final")


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """One panel per drift, ascending, all with the same axes; one line per method."""
    drifts, methods = descending(table["drift"])[::-1], style.in_order(table["method"])
    looks = {method: style.method_look(method) for method in methods}
    figure = style.panels(len(drifts), min(len(drifts), 2), "Final return", (0.4, 2.4, 3.4), job)
    for panel, drift in zip(figure.axes, drifts, strict=True):
        style.curves(panel, table[table["drift"] == drift], "method", looks, over="final")
        panel.set_title(rf"Drift rate ${label(drift)}$", pad=5)
    figure.axes[0].set_xlim(table["final"].min(), table["final"].max())
    figure.axes[0].set_ylim(-0.03, 1.03)
    for panel in figure.axes:
        if panel.get_ylabel():
            panel.set_ylabel("Share of runs above it")
    style.legend(figure, looks.values(), "Tuning")
    return figure
