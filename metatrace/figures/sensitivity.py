"""How much the initial α matters: scores against α, and their spread over α against μ."""

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from metatrace.analysis import tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import parse

_UNTUNED = style.REFERENCE_COLOUR, style.as_line_style(style.REFERENCE_DASHES)


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    assert job.reference is not None
    settings, spread = tables.read_all(job.tables, "settings", "spread")
    reference, reference_spread = tables.read_all(job.reference, "settings", "spread")
    shown = (settings, spread, reference, reference_spread)
    return draw(*shown, title=job.title, note=job.note), drawn_table(*shown)


def draw(
    settings: pd.DataFrame,
    spread: pd.DataFrame,
    reference: pd.DataFrame | None,
    reference_spread: pd.DataFrame | None = None,
    *,
    title: str,
    note: str,
) -> Figure:
    """Draws final return and AUC against the initial α, and the AUC's spread over α against μ.

    Args:
      settings: rows of `Tables.settings` of one environment, method and drift.
      spread: rows of `Tables.spread` of the same.
      reference: rows of `Tables.settings` of the untuned method, or None.
      reference_spread: the row of `Tables.spread` of the untuned method, or None.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      three panels: two with one line per μ, with bands if intervals are known, and one with one point per μ;
      the untuned method in dashed black. What is drawn is `drawn_table` of the same tables.
    """
    table = drawn_table(settings, spread, reference, reference_spread)
    tuned, untuned = table[~table["reference"]], table[table["reference"]]
    mus = style.descending(tuned["mu"])
    with style.theme():
        figure = style.new_figure(3.4, title=title, note=note)
        *scores, spreads = figure.subplots(1, 3, width_ratios=[1, 1, 0.8])
        scores[1].sharey(scores[0])
        for axes, quantity in zip(scores, style.SCORES, strict=True):
            for number, (mu, colour, line_style) in enumerate(style.coloured(mus)):
                rows = tuned[(tuned["quantity"] == quantity) & (tuned["mu"] == mu)]
                style.score_line(axes, rows, colour, line_style, style.marker(number), mu)
            rows = untuned[untuned["quantity"] == quantity]
            if not rows.empty:
                style.score_line(axes, rows, *_UNTUNED, "", "none")
            style.token_axis(axes, table.loc[table["quantity"] == quantity, "alpha"], style.ALPHA)
        scores[1].tick_params(labelleft=False)
        scores[0].set_ylabel("Return")
        _spread_panel(spreads, tuned[tuned["quantity"] == "spread"], untuned, mus)
        for axes, heading in zip(figure.axes, (*style.SCORES.values(), style.SPREAD), strict=True):
            axes.set_title(heading, pad=5)
            sns.despine(ax=axes)
        style.shared_legend(figure, _handles(mus, not untuned.empty), r"$\mu$")
    return figure


def drawn_table(
    settings: pd.DataFrame,
    spread: pd.DataFrame,
    reference: pd.DataFrame | None,
    reference_spread: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """All that the figure draws, one row per point: the table to save next to it.

    Returns:
      quantity (final, auc or spread), environment, method, reference (whether untuned), alpha
      (missing for a spread), mu, drift, value, low, high.
    """
    parts = []
    for is_reference, scores, spreads in ((False, settings, spread), (True, reference, reference_spread)):
        for quantity, frame in (*((score, scores) for score in style.SCORES), ("spread", spreads)):
            if frame is None or frame.empty:
                continue
            style.only(frame, ("environment", "method", "drift", *(["mu"] if is_reference else [])))
            part = style.as_values(frame, quantity).assign(reference=is_reference)
            parts.append(part if "alpha" in part else part.assign(alpha=None))
    keys = ["quantity", "environment", "method", "reference", "alpha", "mu", "drift", "value", "low", "high"]
    return pd.concat([part[keys] for part in parts], ignore_index=True).astype({"alpha": "str"})


def _spread_panel(axes: Axes, rows: pd.DataFrame, untuned: pd.DataFrame, mus: list[str]) -> None:
    rows = rows.set_index("mu")
    shown = [mu for mu in mus if mu in rows.index]
    x = [parse(mu, "figure") for mu in shown]
    value, low, high = rows.loc[shown, ["value", "low", "high"]].to_numpy().T
    axes.plot(x, value, color="#888888", lw=1.0, zorder=2, label="spread")
    for i, mu in enumerate(shown):
        number = mus.index(mu)
        colour, marker = style.palette(len(mus))[number], style.marker(number)
        axes.vlines(x[i], low[i], high[i], color=colour, lw=1.4, zorder=3)
        axes.plot(x[i], value[i], marker, color=colour, ms=5.5, mew=0.6, mec="white", zorder=4, label=mu)
    style.constant_line(axes, untuned[untuned["quantity"] == "spread"], *_UNTUNED, "none")
    style.token_axis(axes, pd.Series(shown), r"$\mu$")
    axes.set_ylim(bottom=0)
    axes.set_ylabel(r"Standard deviation over $\alpha$")


def _handles(mus: list[str], with_reference: bool) -> list[Line2D]:
    handles = style.token_handles(mus, markers=True)
    return [*handles, style.line_handle(*_UNTUNED, "untuned")] if with_reference else handles
