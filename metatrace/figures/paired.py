"""Two methods compared over α and μ: how their scores differ, and where significantly."""

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure

from metatrace.analysis import tables
from metatrace.figures import planes, style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS

MARK = "*"
_SCORES = ("auc", "final")
# Colours are linear up to a difference of two, and go by its logarithm beyond: where one method fails
# differences are a hundred times those elsewhere.
_LINEAR = 2.0


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    (differences,) = tables.read_all(job.tables, "differences")
    return draw(differences, title=job.title, note=job.note), drawn_table(differences)


def draw(differences: pd.DataFrame, *, title: str, note: str) -> Figure:
    """Draws the difference of AUC and of final return at every α and μ.

    Args:
      differences: of `analysis.paired.differences`.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      two panels, one below the other: one cell per setting, α to the right and μ upward, in a diverging colour that
      is white at 0; each has the difference with its sign, bold and with a star if it is significant.
      What is drawn is `drawn_table` of the same table.
    """
    table = drawn_table(differences)
    alphas, mus = style.descending(table["alpha"])[::-1], style.descending(table["mu"])
    first, second = (_name(table[column].iloc[0]) for column in ("first", "second"))
    limit = max(float(table["difference"].abs().max()), 2 * _LINEAR)
    # Every kind of colour vision can tell orange from violet; in grey, the sign in the cell tells them apart.
    colours = ScalarMappable(SymLogNorm(_LINEAR, vmin=-limit, vmax=limit, base=10), colormaps["PuOr"])
    with style.theme():
        figure, axes = planes.stacked([len(mus)] * len(_SCORES), title=title, note=note)
        for panel, score in zip(axes, _SCORES, strict=True):
            rows = table[table["score"] == score]
            _panel(panel, rows, alphas, mus, colours)
            panel.set_title(f"{style.SCORES[score]}: {first} minus {second}", loc="left", pad=5)
            panel.set_title(
                f"{MARK} significant at {int(rows['significant'].sum())} of {len(rows)} settings",
                loc="right",
                pad=5,
                size=style.NOTE_SIZE,
            )
        axes[-1].set_xlabel(style.ALPHA)
        bar = planes.colour_bar(figure, axes, colours, "Difference")
        ticks = [sign * tick for tick in (100.0, 10.0, 1.0) for sign in (-1, 1) if tick <= limit]
        ticks = sorted([*ticks, 0.0])
        bar.set_ticks(ticks, labels=[planes.number(tick, signed=True).removesuffix(".0") for tick in ticks])
        bar.minorticks_off()
    return figure


def drawn_table(differences: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per cell: the table to save next to it.

    Returns:
      score (auc or final), environment, first, second, drift, alpha, mu, runs, difference, low, high,
      significant.

    Raises:
      ValueError: several environments, drifts or pairs of methods.
    """
    keys = ["environment", "first", "second", "drift"]
    style.only(differences, keys)
    parts = []
    for score in _SCORES:
        shown = ["difference", "low", "high", "significant"]
        part = differences.rename(columns={f"{score}_{name}": name for name in shown})
        parts.append(part.assign(score=score)[["score", *keys, "alpha", "mu", "runs", *shown]])
    return pd.concat(parts, ignore_index=True)


def _panel(axes: Axes, rows: pd.DataFrame, alphas: list[str], mus: list[str], colours: ScalarMappable) -> None:
    values = planes.grid(rows, "difference", alphas, mus)
    marked = planes.grid(rows, "significant", alphas, mus) == 1
    texts = [
        [planes.number(value, signed=True) + (f" {MARK}" if mark else "") for value, mark in zip(*row, strict=True)]
        for row in zip(values, marked, strict=True)
    ]
    planes.cells(axes, values, texts, colours, bold=marked)
    planes.axis_of_tokens(axes, alphas, planes.named(mus))
    axes.set_ylabel(r"$\mu$", rotation=0, labelpad=8, va="center")


def _name(method: str) -> str:
    """The method in running text: "unnormalized scalar"."""
    name, _, kind = METHODS[method].short.partition(",\n")
    return f"{kind} {name}" if kind else name
