"""Two methods compared over α and μ: how their scores differ, and where significantly."""

import pandas as pd
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure

from metatrace.analysis import tables
from metatrace.analysis.paired import SCORES
from metatrace.figures import planes, style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS
from metatrace.numbers import descending

# Colours are linear up to a difference of two, and go by its logarithm beyond: where one method fails
# differences are a hundred times those elsewhere.
_LINEAR = 2.0


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    table = drawn_table(*tables.read_all(job.tables, "differences"))
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """Two panels, AUC and final return, with one cell per setting, α to the right and μ upward.

    The diverging colours are white at 0. A difference has its sign, and is bold with a star if it is significant.
    """
    alphas, mus = descending(table["alpha"])[::-1], descending(table["mu"])
    first, second = (_name(table[column].iloc[0]) for column in ("first", "second"))
    limit = max(float(table["difference"].abs().max()), 2 * _LINEAR)
    # Every kind of colour vision can tell orange from violet; in grey, the sign in the cell tells them apart.
    colours = ScalarMappable(SymLogNorm(_LINEAR, vmin=-limit, vmax=limit, base=10), colormaps["PuOr"])
    figure, axes = planes.stacked(len(SCORES), len(mus), job)
    for panel, score in zip(axes, SCORES, strict=True):
        rows = table[table["score"] == score]
        values, marked = (planes.grid(rows, column, alphas, mus) for column in ("difference", "significant"))
        planes.cells(panel, values, colours, marked=marked == 1)
        planes.token_axes(panel, alphas, mus)
        found = f"{planes.MARK} significant at {int(rows['significant'].sum())} of {len(rows)} settings"
        planes.headings(panel, f"{style.SCORES[score]}: {first} minus {second}", found)
    bar = planes.colour_bar(figure, axes, colours, "Difference")
    ticks = sorted([0.0, *(sign * tick for tick in (100.0, 10.0, 1.0) for sign in (-1, 1) if tick <= limit)])
    bar.set_ticks(ticks, labels=[planes.number(tick, signed=True).removesuffix(".0") for tick in ticks])
    bar.minorticks_off()
    return figure


def drawn_table(differences: pd.DataFrame) -> pd.DataFrame:
    """All that the figure draws, one row per cell.

    Args:
      differences: of `analysis.paired.differences`.

    Returns:
      score (auc or final), environment, first, second, drift, alpha, mu, runs, difference, low, high,
      significant.
    """
    shown = ["difference", "low", "high", "significant"]
    columns = ["score", "environment", "first", "second", "drift", "alpha", "mu", "runs", *shown]
    parts = [differences.rename(columns={f"{score}_{name}": name for name in shown}) for score in SCORES]
    scored = [part.assign(score=score)[columns] for score, part in zip(SCORES, parts, strict=True)]
    return pd.concat(scored, ignore_index=True)


def _name(method: str) -> str:
    """The method in running text: "unnormalized scalar"."""
    name, _, kind = METHODS[method].short.partition(",\n")
    return f"{kind} {name}" if kind else name
