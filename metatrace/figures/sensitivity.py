"""How much the initial α matters: scores against α, and their spread over α against μ."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metatrace.analysis import tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import descending, parse
from metatrace.runs.key import UNTUNED


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    assert job.reference is not None
    shown = [tables.read_all(folder, "settings", "spread") for folder in (job.tables, job.reference)]
    table = drawn_table(*shown)
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """Final return and AUC against α, with one line per μ; and the AUC's spread over α, with one point per μ.

    The untuned method is dashed and black.
    """
    looks = style.token_looks(descending(table.loc[~table["reference"], "mu"]), marked=True)
    untuned = {mu: style.method_look(UNTUNED, "untuned") for mu in table.loc[table["reference"], "mu"].unique()}
    figure = style.new_figure(3.4, job)
    *scores, spreads = figure.subplots(1, 3, width_ratios=[1, 1, 0.8])
    style.score_panels(scores, table, "mu", looks | untuned)
    _spread_panel(spreads, table[table["quantity"] == "spread"].set_index("mu"), looks, untuned)
    style.legend(figure, [*looks.values(), *untuned.values()], r"$\mu$")
    return figure


def drawn_table(shown: tuple[pd.DataFrame, ...], reference: tuple[pd.DataFrame, ...]) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Args:
      shown: settings and spread of one environment, method and drift.
      reference: those of the untuned method.

    Returns:
      quantity (final, auc or spread), environment, method, reference (whether untuned), alpha
      (missing for a spread), mu, drift, value, low, high.
    """
    parts = []
    for is_reference, (settings, spread) in ((False, shown), (True, reference)):
        parts += [(score, settings.assign(reference=is_reference)) for score in style.SCORES]
        parts.append(("spread", spread.assign(reference=is_reference, alpha=None)))
    return style.values(parts, "environment", "method", "reference", "alpha", "mu", "drift")


def _spread_panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, style.Look], untuned: dict[str, style.Look]) -> None:
    tuned = rows.loc[list(looks), ["value", "low", "high"]].to_numpy()
    x = [parse(mu, "figure") for mu in looks]
    axes.plot(x, tuned[:, 0], color="#888888", lw=1.0, zorder=2, label="spread")
    for place, (value, low, high), (mu, look) in zip(x, tuned, looks.items(), strict=True):
        axes.vlines(place, low, high, color=look.colour, lw=1.4, zorder=3)
        axes.plot(place, value, look.marker, color=look.colour, ms=5.5, mew=0.6, mec="white", zorder=4, label=mu)
    for mu, look in untuned.items():
        style.constant_line(axes, rows.loc[[mu]], look, mu)
    style.spread_axes(axes, looks)
