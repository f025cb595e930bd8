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
from metatrace.numbers import descending
from metatrace.runs.key import NO_MU


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    assert job.reference is not None
    shown = [tables.read_all(folder, "settings")[0] for folder in (job.tables, job.reference)]
    table = drawn_table(*shown)
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """Two panels, final return and AUC, with one cell per setting, α to the right and μ upward.

    A lighter cell is a higher return, and has its number; the best with tuning is framed. The untuned method at the
    same α is set apart below.
    """
    tuned = table[~table["reference"]]
    alphas, mus = descending(tuned["alpha"])[::-1], descending(tuned["mu"])
    low, high = float(table["value"].min()), float(table["value"].max())
    # With a range of zero width, every cell would be the darkest.
    colours = ScalarMappable(Normalize(low, max(high, low + 1)), colormaps["viridis"])
    figure, axes = planes.stacked(len(style.SCORES), len(mus) + planes.GAP + 1, job)
    for panel, (quantity, heading) in zip(axes, style.SCORES.items(), strict=True):
        best = _panel(panel, table[table["quantity"] == quantity], alphas, mus, colours)
        planes.headings(panel, heading, f"framed: the best, {planes.number(best)}")
    planes.colour_bar(figure, axes, colours, "Return")
    return figure


def drawn_table(settings: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per cell.

    Args:
      settings: those of one environment, method and drift.
      reference: those of the untuned method.

    Returns:
      quantity (final or auc), environment, method, reference (whether untuned), alpha, mu, drift, value,
      low, high; of the untuned method only at the α of the other one.
    """
    untuned = reference[reference["alpha"].isin(settings["alpha"])]
    parts = [settings.assign(reference=False), untuned.assign(reference=True)]
    shown = [(quantity, part) for quantity in style.SCORES for part in parts]
    return style.values(shown, "environment", "method", "reference", "alpha", "mu", "drift")


def _panel(axes: Axes, rows: pd.DataFrame, alphas: list[str], mus: list[str], colours: ScalarMappable) -> float:
    """Draws a panel, and frames the best value with tuning; of equal ones, that at the largest μ and smallest α."""
    values = planes.grid(rows[~rows["reference"]], "value", alphas, mus)
    planes.cells(axes, values, colours)
    untuned = planes.grid(rows[rows["reference"]], "value", alphas, [NO_MU])
    planes.cells(axes, untuned, colours, top=len(mus) + planes.GAP)
    row, column = divmod(int(np.nanargmax(values)), len(alphas))
    axes.add_patch(
        Rectangle((column, row), 1, 1, fill=False, ec="black", lw=2.2, zorder=3, clip_on=False, label="best")
    )
    planes.token_axes(axes, alphas, mus, below=["untuned"])
    return float(values[row, column])
