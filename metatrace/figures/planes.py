"""What pictures over the plane of α and μ share: coloured cells with a number in each."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import label

ROW = 0.27  # inches, of a cell
GAP = 0.35  # of a row, above rows that are set apart from the plane
TEXT_SIZE = 8.0
MINUS = "\N{MINUS SIGN}"
MARK = "*"
_WITH_NUMBERS = 14  # the most columns that leave room for "−104.3" in a cell


def grid(rows: pd.DataFrame, column: str, alphas: Sequence[str], mus: Sequence[str]) -> np.ndarray:
    """A column of a table over the plane.

    Args:
      rows: with `alpha` and `mu`, at most one row per setting.

    Returns:
      (mus, alphas), NaN where there is no such setting.
    """
    values = rows.set_index(["mu", "alpha"])[column].unstack()
    return values.reindex(index=list(mus), columns=list(alphas)).to_numpy(np.float64)


def cells(
    axes: Axes, values: np.ndarray, colours: ScalarMappable, *, top: float = 0.0, marked: np.ndarray | None = None
) -> None:
    """Draws values as cells of one unit, the first row uppermost and y downward, with their numbers if there is room.

    Args:
      values: (rows, columns); NaN gives an empty cell.
      colours: from value to colour.
      top: where the first row begins, in rows.
      marked: (rows, columns), the cells whose text is bold and has a star; all numbers then have a sign.
    """
    n_rows, n_columns = values.shape
    axes.pcolormesh(
        np.arange(n_columns + 1),
        top + np.arange(n_rows + 1),
        np.ma.masked_invalid(values),
        norm=colours.norm,  # type: ignore[arg-type]  # a Norm, of which Normalize is one
        cmap=colours.cmap,
        edgecolors="white",
        linewidth=0.6,
    )
    if n_columns > _WITH_NUMBERS:
        return
    shades = colours.to_rgba(values)
    for row, column in np.argwhere(np.isfinite(values)):
        bold = marked is not None and marked[row, column]
        axes.text(
            column + 0.5,
            top + row + 0.5,
            number(values[row, column], signed=marked is not None) + (f" {MARK}" if bold else ""),
            ha="center",
            va="center_baseline",
            size=TEXT_SIZE,
            weight="bold" if bold else "normal",
            color="white" if luminance(shades[row, column]) < 0.179 else "black",
        )


def token_axes(axes: Axes, alphas: Sequence[str], mus: Sequence[str], *, below: Sequence[str] = ()) -> None:
    """The names of columns and rows; `below`: those of the rows that are set apart below the plane."""
    tops = [*range(len(mus)), *(len(mus) + GAP + i for i in range(len(below)))]
    axes.grid(False)
    axes.set_xlim(0, len(alphas))
    axes.set_ylim(tops[-1] + 1, 0)
    step = -(-len(alphas) // _WITH_NUMBERS)
    shown = alphas[::step]
    axes.set_xticks([step * i + 0.5 for i in range(len(shown))], [f"${label(token)}$" for token in shown])
    axes.set_yticks([top + 0.5 for top in tops], [*(f"${label(token)}$" for token in mus), *below])
    axes.set_ylabel(r"$\mu$", rotation=0, labelpad=2 if below else 8, va="center")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def stacked(panels: int, rows: float, job: PictureJob) -> tuple[Figure, list[Axes]]:
    """A figure with panels of cells, one below the other; `rows`: of cells in each."""
    figure = style.new_figure(0.5 + sum([ROW * rows + 0.55] * panels), job)
    axes = list(figure.subplots(panels, 1, height_ratios=[rows] * panels, squeeze=False)[:, 0])
    axes[-1].set_xlabel(style.ALPHA)
    return figure, axes


def headings(axes: Axes, left: str, right: str) -> None:
    """What stands above a panel: its name, and a small remark."""
    axes.set_title(left, loc="left", pad=5)
    axes.set_title(right, loc="right", pad=5, size=style.NOTE_SIZE)


def colour_bar(figure: Figure, axes: Sequence[Axes], colours: ScalarMappable, name: str) -> Colorbar:
    """A colour bar to the right of all panels."""
    bar = figure.colorbar(colours, ax=list(axes), pad=0.015, fraction=0.04, aspect=40)
    bar.ax.tick_params(length=0)
    bar.outline.set_visible(False)
    bar.set_label(name)
    return bar


def number(value: float, *, signed: bool = False) -> str:
    """A value with one decimal and a typographic minus; with its sign in any case if `signed`."""
    text = f"{value:{'+' if signed else ''}.1f}"
    return {"-0.0": "0.0", "+0.0": "0.0"}.get(text, text).replace("-", MINUS)


def luminance(colour: object) -> float:
    """The relative luminance of a colour, from 0 to 1, as WCAG 2 defines it for the contrast of text."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]  # type: ignore[arg-type]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))
