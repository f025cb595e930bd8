"""Final return and AUC of a method over α and μ, and without tuning below."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from metatrace.analysis import tables
from metatrace.figures import planes, style
from metatrace.figures.kinds.kind import PictureJob


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    assert job.reference is not None
    shown = [tables.read_all(folder, "settings")[0] for folder in (job.tables, job.reference)]
    return draw(*shown, title=job.title, note=job.note), drawn_table(*shown)


def draw(settings: pd.DataFrame, reference: pd.DataFrame, *, title: str, note: str) -> Figure:
    """Draws final return and AUC at every α and μ.

    Args:
      settings: rows of `Tables.settings` of one environment, method and drift.
      reference: rows of `Tables.settings` of the untuned method.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      two panels, one below the other: one cell per setting, α to the right and μ upward, lighter for higher
      returns, with its number; the best with tuning is framed. The untuned method at the same α is set apart
      below. What is drawn is `drawn_table` of the same tables.
    """
    table = drawn_table(settings, reference)
    tuned = table[~table["reference"]]
    alphas, mus = style.descending(tuned["alpha"])[::-1], style.descending(tuned["mu"])
    low, high = float(table["value"].min()), float(table["value"].max())
    # With a range of zero width, every cell would be the darkest.
    colours = ScalarMappable(Normalize(low, max(high, low + 1)), colormaps["viridis"])
    with style.theme():
        figure, axes = planes.stacked([len(mus) + planes.GAP + 1] * len(style.SCORES), title=title, note=note)
        for panel, (quantity, heading) in zip(axes, style.SCORES.items(), strict=True):
            rows = table[table["quantity"] == quantity]
            best = _panel(panel, rows, alphas, mus, colours)
            panel.set_title(heading, loc="left", pad=5)
            panel.set_title(f"framed: the best, {planes.number(best)}", loc="right", pad=5, size=style.NOTE_SIZE)
        axes[-1].set_xlabel(style.ALPHA)
        planes.colour_bar(figure, axes, colours, "Return")
    return figure


def drawn_table(settings: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per cell: the table to save next to it.

    Returns:
      quantity (final or auc), environment, method, reference (whether untuned), alpha, mu, drift, value,
      low, high; of the untuned method only at the α of the other one.

    Raises:
      ValueError: several environments, methods or drifts, or an untuned method with several μ.
    """
    style.only(settings, ("environment", "method", "drift"))
    style.only(reference, ("environment", "method", "mu", "drift"))
    parts = []
    for quantity in style.SCORES:
        for is_reference, frame in ((False, settings), (True, reference)):
            part = style.as_values(frame[frame["alpha"].isin(settings["alpha"])], quantity)
            parts.append(part.assign(reference=is_reference))
    keys = ["quantity", "environment", "method", "reference", "alpha", "mu", "drift", "value", "low", "high"]
    return pd.concat([part[keys] for part in parts], ignore_index=True)


def _panel(axes: Axes, rows: pd.DataFrame, alphas: list[str], mus: list[str], colours: ScalarMappable) -> float:
    """Draws a panel, and frames the best value with tuning; of equal ones, that at the largest μ and smallest α."""
    (untuned,) = rows.loc[rows["reference"], "mu"].unique().tolist() or ["0"]
    values = planes.grid(rows[~rows["reference"]], "value", alphas, mus)
    below = planes.grid(rows[rows["reference"]], "value", alphas, [untuned])
    top = len(mus) + planes.GAP
    for part, start in ((values, 0.0), (below, top)):
        planes.cells(axes, part, [[planes.number(value) for value in row] for row in part], colours, top=start)
    row, column = divmod(int(np.nanargmax(values)), len(alphas))
    axes.add_patch(
        Rectangle((column, row), 1, 1, fill=False, ec="black", lw=2.2, zorder=3, clip_on=False, label="best")
    )
    planes.axis_of_tokens(axes, alphas, [*planes.named(mus), (top, "untuned")])
    axes.set_ylabel(r"$\mu$", rotation=0, labelpad=2, va="center")
    return float(values[row, column])
