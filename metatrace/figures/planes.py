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
from metatrace.numbers import label

ROW = 0.27  # inches, of a cell
GAP = 0.35  # of a row, above rows that are set apart from the plane
TEXT_SIZE = 8.0
MINUS = "\N{MINUS SIGN}"
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
    axes: Axes,
    values: np.ndarray,
    texts: Sequence[Sequence[str]],
    colours: ScalarMappable,
    *,
    top: float = 0.0,
    bold: np.ndarray | None = None,
) -> None:
    """Draws values as cells of one unit, the first row uppermost and y downward.

    Args:
      values: (rows, columns); NaN gives an empty cell.
      texts: of each cell; left out if there are too many columns.
      colours: from value to colour.
      top: where the first row begins, in rows.
      bold: (rows, columns), the cells whose text is bold; None: no cell.
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
    for row in range(n_rows):
        for column in range(n_columns):
            if not np.isfinite(values[row, column]):
                continue
            axes.text(
                column + 0.5,
                top + row + 0.5,
                texts[row][column],
                ha="center",
                va="center_baseline",
                size=TEXT_SIZE,
                weight="bold" if bold is not None and bold[row, column] else "normal",
                color="white" if luminance(shades[row, column]) < 0.179 else "black",
            )


def axis_of_tokens(axes: Axes, alphas: Sequence[str], rows: Sequence[tuple[float, str]]) -> None:
    """The names of columns and rows.

    Args:
      alphas: of the columns, from the left.
      rows: where each row begins, and its name.
    """
    axes.grid(False)
    axes.set_xlim(0, len(alphas))
    axes.set_ylim(rows[-1][0] + 1, 0)
    step = -(-len(alphas) // _WITH_NUMBERS)
    shown = list(alphas)[::step]
    axes.set_xticks([step * i + 0.5 for i in range(len(shown))], [f"${label(token)}$" for token in shown])
    axes.set_yticks([top + 0.5 for top, _ in rows], [name for _, name in rows])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def named(tokens: Sequence[str], top: float = 0.0) -> list[tuple[float, str]]:
    """Rows of the plane for `axis_of_tokens`: where each begins, and its name."""
    return [(top + i, f"${label(token)}$") for i, token in enumerate(tokens)]


def stacked(rows: Sequence[float], *, title: str, note: str) -> tuple[Figure, list[Axes]]:
    """A figure with a panel of cells below another.

    Args:
      rows: the number of rows of cells in each panel.
    """
    figure = style.new_figure(0.5 + sum(ROW * n + 0.55 for n in rows), title=title, note=note)
    return figure, list(figure.subplots(len(rows), 1, height_ratios=list(rows), squeeze=False)[:, 0])


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
