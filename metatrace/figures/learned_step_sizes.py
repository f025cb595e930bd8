"""Step-sizes that were learned, over examples: one panel per method."""

import math

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from metatrace.analysis import tables
from metatrace.figures import style
from metatrace.figures.errors import NAMES
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS

# Published values by group of inputs: of Sutton (1992) the mean and half the range of the relevant ones, and the most
# of the irrelevant; of Degris and others (2024) the best step-size of the input whose weight flips.
PUBLISHED = {"relevant": (0.115, 0.145), "irrelevant": (0.0, 0.007), "flipping": (0.33, 0.33)}
_COLOURS = ("#0072b2", "#d55e00")


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    (table,) = tables.read_all(job.tables, "step_size_curves")
    table = drawn_table(table)
    return draw(table, job), table


def drawn_table(curves: pd.DataFrame) -> pd.DataFrame:
    """The rows of `step_size_curves`, by method, group and example; values are the group's geometric mean step-size."""
    shown = curves.assign(**{name: curves[name].map(_exp) for name in ("mean", "low", "high")})
    groups = list(dict.fromkeys(shown["group"]))
    return style.in_orders(shown, {"method": style.in_order(shown["method"]), "group": groups}, "example")


def _exp(value: float) -> float:
    return math.exp(value)


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """One panel per method, one line per group of inputs; published values are grey."""
    methods, groups = style.in_order(table["method"]), list(dict.fromkeys(table["group"]))
    published = [group for group in groups if group in PUBLISHED]
    looks = {
        group: style.Look(group, colour, line)
        for group, colour, line in zip(groups, _COLOURS, ("-", (0, (4.0, 1.5))), strict=True)
    }
    figure = style.new_figure(3.6, job)
    panels = figure.subplots(1, len(methods), sharey=True, squeeze=False)[0]
    for panel, method in zip(panels, methods, strict=True):
        here = table[table["method"] == method]
        style.curves(panel, here, "group", looks, over="example")
        for group in published:
            low, high = PUBLISHED[group]
            panel.axhspan(low, high, color="#bbbbbb", alpha=0.35, lw=0, zorder=0.5)
            if low > 0:  # else only what it is below was published
                panel.axhline((low + high) / 2, color="#888888", ls=":", lw=1.0, zorder=0.6)
        panel.set_xlim(0, job.facts["length"])
        panel.set_ylim(0, 1.06 * max(table["high"].max(), table["mean"].max(), *(PUBLISHED[g][1] for g in published)))
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 2.5, 5, 10]))
        panel.xaxis.set_major_formatter(EngFormatter(sep=""))
        panel.set_xlabel("Examples")
        panel.set_title(NAMES.get(method, METHODS[method].name), loc="left", pad=5)
    panels[0].set_ylabel(r"Step-size $\alpha_i$ (geometric mean)")
    style.legend(figure, [*looks.values(), style.Look("published", "#888888", ":")], "Inputs")
    return figure
