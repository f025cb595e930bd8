"""All methods in one picture: scores against the initial α at the best μ, and spread over α against μ."""

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from metatrace.analysis import tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import label, parse
from metatrace.runs.key import NO_MU

_KEYS = ["environment", "method", "mu", "drift"]


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    shown = tables.read_all(job.tables, "settings", "spread", "best_over_alpha")
    return draw(*shown, title=job.title, note=job.note), drawn_table(*shown)


def draw(settings: pd.DataFrame, spread: pd.DataFrame, best: pd.DataFrame, *, title: str, note: str) -> Figure:
    """Draws every method's scores at its best μ, and how much the choice of α matters at each μ.

    Args:
      settings: rows of `Tables.settings` of one environment and drift.
      spread: rows of `Tables.spread` of the same.
      best: of `analysis.methods.best_over_alpha` of the same: one μ per method.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      above, final return and AUC against α, one line per method with its band, on one axis of returns; below, the
      spread of AUC over α against μ, one line per method with intervals as bars, the untuned method as a dashed
      line; one legend that names each best μ. What is drawn is `drawn_table` of the same tables.
    """
    table = drawn_table(settings, spread, best)
    methods = style.in_order(table["method"])
    mus = dict(best[["method", "mu"]].itertuples(index=False, name=None))
    with style.theme():
        figure = style.new_figure(5.9, title=title, note=note)
        panels = figure.subplot_mosaic([["final", "auc"], ["spread", "spread"]], height_ratios=[1.1, 1])
        panels["auc"].sharey(panels["final"])
        panels["auc"].tick_params(labelleft=False)
        for quantity, heading in style.SCORES.items():
            rows = table[table["quantity"] == quantity]
            for method in methods:
                look, here = METHODS[method], rows[rows["method"] == method]
                mark = _marker(method, mus[method])
                style.score_line(panels[quantity], here, look.colour, look.line_style, mark, method)
            style.token_axis(panels[quantity], rows["alpha"], style.ALPHA)
            panels[quantity].set_title(heading, pad=5)
        panels["final"].set_ylabel("Return")
        _spread_panel(panels["spread"], table[table["quantity"] == "spread"], mus)
        for panel in panels.values():
            sns.despine(ax=panel)
        style.shared_legend(figure, [_handle(method, mus[method]) for method in methods], r"Tuning, best $\mu$")
    return figure


def drawn_table(settings: pd.DataFrame, spread: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per point: the table to save next to it.

    Returns:
      quantity (final and auc only at the best μ, spread at every μ), environment, method, alpha (missing for
      a spread), mu, drift, value, low, high.

    Raises:
      ValueError: several environments or drifts, two best μ of one method, no score at one, or a method
        without a best μ.
    """
    for frame in (settings, spread, best):
        style.only(frame, ("environment", "drift"))
    parts = []
    for method in style.in_order([*settings["method"], *best["method"]]):
        chosen = best.loc[best["method"] == method, _KEYS]
        style.only(chosen, ("mu",))
        for quantity, frame in (("final", settings), ("auc", settings), ("spread", spread)):
            part = frame[frame["method"] == method]
            if quantity != "spread":
                part = part.merge(chosen, on=_KEYS)
            if part.empty:
                raise ValueError(f"there is no {quantity} of {' '.join(chosen.iloc[0])}, which is the best")
            part = style.as_values(part, quantity)
            parts.append(part if "alpha" in part else part.assign(alpha=None))
    keys = ["quantity", "environment", "method", "alpha", "mu", "drift", "value", "low", "high"]
    table = pd.concat([part[keys] for part in parts], ignore_index=True).astype({"alpha": "str"})
    order = ["final", "auc", "spread"]
    return table.sort_values("quantity", key=lambda column: column.map(order.index), kind="stable", ignore_index=True)


def _spread_panel(axes: Axes, rows: pd.DataFrame, mus: dict[str, str]) -> None:
    for method in style.in_order(rows["method"]):
        look, here = METHODS[method], rows[rows["method"] == method]
        if mus[method] == NO_MU:
            style.constant_line(axes, here, look.colour, look.line_style, method)
            continue
        here = here.assign(x=[parse(mu, "figure") for mu in here["mu"]]).sort_values("x")
        axes.vlines(here["x"], here["low"], here["high"], color=look.colour, lw=1.2, zorder=2)
        axes.plot(
            here["x"], here["value"], color=look.colour, ls=look.line_style, lw=1.3,
            marker=look.marker, ms=4.5, mew=0.5, mec="white", zorder=3, label=method,
        )  # fmt: skip
    tuned = rows.loc[rows["mu"] != NO_MU, "mu"]
    if tuned.empty:
        axes.set_xticks([])  # any number would look like a μ
    else:
        style.token_axis(axes, tuned, r"$\mu$", labels=16)
    axes.set_ylim(bottom=0)
    axes.set_title(style.SPREAD, pad=5)
    axes.set_ylabel(r"Standard deviation over $\alpha$")


def _marker(method: str, mu: str) -> str:
    return "" if mu == NO_MU else METHODS[method].marker


def _handle(method: str, mu: str) -> Line2D:
    text = METHODS[method].short if mu == NO_MU else f"{METHODS[method].short}, ${label(mu)}$"
    return style.method_handle(METHODS[method], text, marker=_marker(method, mu))
