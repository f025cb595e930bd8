"""Two methods' learning curves at the same settings: one panel per μ, three α, one line style per method."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from metatrace.analysis import points, tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import descending, label

_PANELS, _ALPHAS = 6, 3
_LINE_STYLES = ("-", (0, (2.2, 1.2)))


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    (curves,) = tables.read_all(job.tables, "curves")
    table = drawn_table(points.of_episodes(curves))
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """One panel per μ, in descending order, all with the same axes; a colour is an α, a line style a method."""
    alphas, mus = descending(table["alpha"]), descending(table["mu"])
    colours = dict(zip(alphas, style.palette(len(alphas)), strict=True))
    line_styles = dict(zip(style.in_order(table["method"]), _LINE_STYLES, strict=True))
    figure = style.mu_panels(table, len(mus), job)
    for panel, mu in zip(figure.axes, mus, strict=True):
        for alpha, colour in colours.items():
            here = table[(table["mu"] == mu) & (table["alpha"] == alpha)]
            looks = {method: style.Look("", colour, line_style) for method, line_style in line_styles.items()}
            style.curves(panel, here, "method", looks)
        panel.set_title(rf"$\mu = {label(mu)}$", pad=4)
    by_colour = [style.Look(rf"$\alpha = {label(alpha)}$", colour).handle(3) for alpha, colour in colours.items()]
    by_style = [style.Look(METHODS[method].short, "#555555", look) for method, look in line_styles.items()]
    style.legend(figure, [*by_colour, *by_style], f"{style.ALPHA}; method")
    return figure


def drawn_table(curves: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Returns:
      the rows of `curves` at up to six μ and three α, evenly spread, including the largest and the smallest;
      by μ and α (descending), method and episode.
    """
    orders = {
        "mu": _evenly(descending(curves["mu"]), _PANELS),
        "alpha": _evenly(descending(curves["alpha"]), _ALPHAS),
        "method": style.in_order(curves["method"]),
    }
    shown = curves[curves["mu"].isin(orders["mu"]) & curves["alpha"].isin(orders["alpha"])]
    return style.in_orders(shown, orders, "episode")


def _evenly(tokens: list[str], count: int) -> list[str]:
    """At most `count` of the tokens, evenly spread, including the first and the last."""
    if len(tokens) <= count:
        return tokens
    return [tokens[round(float(place))] for place in np.linspace(0, len(tokens) - 1, count)]
