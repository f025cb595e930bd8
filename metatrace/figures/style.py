"""What all figures share: theme, looks, order of rows, panels, axes, legend and foot line; files of stable bytes."""

import io
import math
import os
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import matplotlib
import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter, NullLocator

from metatrace.analysis.tables import as_csv
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS, Dashes
from metatrace.numbers import descending, parse
from metatrace.numbers import label as token_label
from metatrace.runs import atomic

# seaborn takes SciPy along where it can, for densities, which nothing here draws; both take twice as long to import.
sys.modules.setdefault("scipy", None)  # type: ignore[arg-type]  # so Python is told that a module is not there
import seaborn as sns  # noqa: E402  # after that

if sys.modules["scipy"] is None:
    del sys.modules["scipy"]

WIDTH = 9.0  # inches; at 100 dots an inch the 900 pixels that a report's column gives a figure
BAND_OPACITY = 0.13
NOTE_SIZE = 8.0
# Neighbours in a palette always differ in their dashes, so that a grey print can be read.
_DASHES: tuple[Dashes, ...] = ((), (4.5, 1.3), (1.2, 1.0), (6.0, 1.2, 1.2, 1.2))
_MARKERS = "osD^vPX*p"


# What is drawn of the scores: a column of the tables, and its heading.
SCORES = {"final": "Final return", "auc": "Mean return (AUC)"}
RETURN = "Return (trailing mean)"
EPISODE = "Training episode"
ALPHA = r"Initial $\alpha$"

_TICKS = {
    "color": "#555555",
    "labelcolor": "#222222",
    "labelsize": 8.0,
    "major.size": 3.0,
    "major.width": 0.8,
}
_RC: dict[str, Any] = {
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so every machine has the same
    "axes.titlesize": 9.5,
    "axes.labelsize": 9.0,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 9.0,
    "figure.titlesize": 11.5,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "lines.solid_capstyle": "butt",
    **{f"{axis}tick.{key}": value for axis in "xy" for key, value in _TICKS.items()},
    # Text as outlines looks the same on machines without the font.
    "svg.fonttype": "path",
    "svg.hashsalt": "metatrace",
    "pdf.fonttype": 42,
}
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "ModDate": None},
    "png": {},
}


class Look(NamedTuple):
    """How a line looks, and its name in the legend."""

    name: str
    colour: str
    line_style: Any = "-"
    marker: str = ""

    def line(self, width: float) -> dict[str, Any]:
        """The line of that width, as matplotlib's keyword arguments."""
        return {"color": self.colour, "ls": self.line_style, "lw": width}

    def handle(self, width: float = 1.6) -> Line2D:
        """Its entry in a legend."""
        return Line2D([], [], **self.line(width), marker=self.marker, ms=5, mec=self.edge, label=self.name)

    @property
    def edge(self) -> str:
        """The colour of its marker's edge: a letter is all edge."""
        return self.colour if self.marker.startswith("$") else "white"


@contextmanager
def theme() -> Iterator[None]:
    """The project's look, for drawing and saving alike; nothing of the reader's matplotlibrc remains."""
    settings = sns.plotting_context("paper") | sns.axes_style("ticks") | _RC
    with matplotlib.style.context(["default", settings], after_reset=True):
        yield


def palette(count: int) -> list[str]:
    """`count` colours from dark to light, as hex.

    Viridis without its lightest fifth: lightness rises strictly, so the order survives grey print
    and colour blindness, and the lightest still stands out on white.
    """
    last = 0.8
    colours = matplotlib.colormaps["viridis"]
    return [to_hex(colours(last * i / max(count - 1, 1))) for i in range(count)]


def dashes(index: int) -> Dashes:
    """The on-off pattern of line number `index`, in line widths; () is solid."""
    return _DASHES[index % len(_DASHES)]


def token_looks(tokens: Sequence[str], *, marked: bool = False) -> dict[str, Look]:
    """The look of each number token's line, with or without markers; by dashes and marker alone 36 lines differ."""
    looks = {}
    for i, (token, colour) in enumerate(zip(tokens, palette(len(tokens)), strict=True)):
        line_style = (0, dashes(i)) if dashes(i) else "-"
        looks[token] = Look(f"${token_label(token)}$", colour, line_style, _MARKERS[i % len(_MARKERS)] * marked)
    return looks


def method_look(token: str, name: str = "", *, marked: bool = False) -> Look:
    """The look of a method's line, by default with its short name and without its marker."""
    method = METHODS[token]
    return Look(name or method.short, method.colour, method.line_style, method.marker * marked)


def in_order(methods: Iterable[str]) -> list[str]:
    """The distinct methods, in the order in which figures show them."""
    order = list(METHODS)
    return sorted(set(methods), key=order.index)


def values(shown: Iterable[tuple[str, pd.DataFrame]], *columns: str) -> pd.DataFrame:
    """Quantities of several tables, one below the other.

    Returns:
      quantity, the `columns` as far as a table has them, value, low and high.
    """
    parts = [
        frame.rename(columns={quantity: "value", f"{quantity}_low": "low", f"{quantity}_high": "high"})
        .assign(quantity=quantity)
        .reindex(columns=["quantity", *columns, "value", "low", "high"])
        for quantity, frame in shown
    ]
    return pd.concat(parts, ignore_index=True)


def in_orders(frame: pd.DataFrame, orders: Mapping[str, Sequence[str]], *last: str) -> pd.DataFrame:
    """The rows, sorted by the columns of `orders`, each as it lists its values, and then by the columns `last`."""
    return frame.sort_values(
        [*orders, *last],
        key=lambda column: column.map(orders[str(column.name)].index) if column.name in orders else column,
        ignore_index=True,
    )


def new_figure(height: float, job: PictureJob) -> Figure:
    """An empty figure with the job's title above and its note below, both kept clear of the axes.

    Not from pyplot, which would keep every figure alive.
    """
    lines = textwrap.wrap(job.note, 130)
    foot = 0.06 + 0.16 * len(lines)  # inches
    figure = Figure(figsize=(WIDTH, height + foot))
    figure.set_layout_engine(
        "constrained", rect=(0, foot / (height + foot), 1, height / (height + foot)), w_pad=0.08, h_pad=0.06
    )
    if job.title:
        figure.suptitle("\n".join(textwrap.wrap(job.title, 80)), x=0.012, ha="left", weight="bold", parse_math=False)
    if lines:
        look: dict[str, Any] = {"size": NOTE_SIZE, "color": "#555555", "linespacing": 1.3}
        figure.text(0.012, 0.07 / (height + foot), "\n".join(lines), ha="left", va="bottom", **look)
    return figure


def panels(
    count: int, columns: int, x_label: str, heights: tuple[float, float, float], job: PictureJob, *, sharey: Any = True
) -> Figure:
    """A figure with a grid of panels for returns (`figure.axes`), which share their axes.

    Args:
      heights: in inches, of what stands around the panels, of a row of panels, and of a single panel.
    """
    around, row, alone = heights
    rows = math.ceil(count / columns)
    figure = new_figure(around + (alone if count == 1 else row * rows), job)
    axes = figure.subplots(rows, columns, sharex=True, sharey=sharey, squeeze=False)
    for number, panel in enumerate(axes.flat):
        if number >= count:
            panel.remove()
        elif number + columns >= count:
            # The lowest panel of its column, even if the last row is not full.
            panel.tick_params(labelbottom=True)
            panel.set_xlabel(x_label)
    for panel in axes[:, 0]:
        panel.set_ylabel(RETURN)
    return figure


def mu_panels(curves: pd.DataFrame, count: int, job: PictureJob) -> Figure:
    """A figure for learning curves with a panel per μ."""
    figure = panels(count, min(count, 2 if count == 4 else 3), EPISODE, (0.5, 2.5, 3.7), job)
    curve_axes(figure.axes[0], curves)
    return figure


def curve_axes(axes: Axes, curves: pd.DataFrame) -> None:
    """The range of all episodes, with ticks that half the width holds, and of all returns."""
    last = int(curves["episode"].max())
    # A single episode would make an axis of no length.
    axes.set_xlim(*((1, last) if last > 1 else (0.5, 1.5)))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1, steps=[1, 2, 2.5, 5, 10]))
    axes.set_ylim(*value_range(curves))


def value_range(rows: pd.DataFrame, *others: float) -> tuple[float, float]:
    """The range of all lines and bands, and of `others`, a little wider."""
    shown = np.append(rows[["mean", "low", "high"]].to_numpy(), others)
    shown = shown[np.isfinite(shown)]
    low, high = float(shown.min()), float(shown.max())
    # Of a range near zero the ticks would show nothing but rounding.
    margin = max(0.04 * (high - low), 0.1)
    return low - margin, high + margin


def curve(axes: Axes, rows: pd.DataFrame, look: Look, label: str, *, width: float = 1.3, over: str = "episode") -> None:
    """One line of means over the column `over`, with a band if low and high are known."""
    rows = rows.sort_values(over)
    if rows["low"].notna().any():
        band: dict[str, Any] = {"color": look.colour, "alpha": BAND_OPACITY, "lw": 0, "zorder": 1}
        # Bands of a thousand points each would make up most of a vector file.
        axes.fill_between(rows[over], rows["low"], rows["high"], rasterized=True, **band)
    mark = "o" if len(rows) == 1 else ""  # a line of one point would not be seen
    axes.plot(rows[over], rows["mean"], **look.line(width), marker=mark, ms=4, zorder=2, label=label)


def curves(axes: Axes, rows: pd.DataFrame, column: str, looks: Mapping[str, Look], over: str = "episode") -> None:
    """One curve per value of a column, as far as there are rows of it."""
    for value, look in looks.items():
        here = rows[rows[column] == value]
        if not here.empty:
            curve(axes, here, look, value, over=over)


def score_panels(axes: Sequence[Axes], table: pd.DataFrame, column: str, looks: Mapping[str, Look]) -> None:
    """Final return and AUC (of `values`) over α: a panel each, and in it a line per value of a column."""
    axes[1].sharey(axes[0])
    axes[1].tick_params(labelleft=False)
    axes[0].set_ylabel("Return")
    for panel, (quantity, heading) in zip(axes, SCORES.items(), strict=True):
        rows = table[table["quantity"] == quantity]
        for value, look in looks.items():
            here = rows[rows[column] == value]
            if not here.empty:
                _score_line(panel, here, look, value)
        token_axis(panel, rows["alpha"], ALPHA)
        panel.set_title(heading, pad=5)


def _score_line(axes: Axes, rows: pd.DataFrame, look: Look, label: str) -> None:
    x = np.array([parse(token, "figure") for token in rows["alpha"]])
    order = np.argsort(x)
    x, (value, low, high) = x[order], rows[["value", "low", "high"]].to_numpy()[order].T
    if len(x) > 1:
        axes.fill_between(x, low, high, color=look.colour, alpha=BAND_OPACITY, lw=0, zorder=1)
    else:
        axes.vlines(x, low, high, color=look.colour, lw=1.2, zorder=1)
    axes.plot(x, value, **look.line(1.4), marker=look.marker, ms=3.8, mew=0.5, mec="white", zorder=2, label=label)


def constant_line(axes: Axes, rows: pd.DataFrame, look: Look, label: str) -> None:
    """Values that depend on nothing, of the columns value, low and high: level lines with their bands."""
    for value, low, high in rows[["value", "low", "high"]].to_numpy():
        axes.axhspan(low, high, color=look.colour, alpha=0.1, lw=0, zorder=1)
        axes.axhline(value, **look.line(1.4), zorder=2, label=label)


def spread_axes(axes: Axes, mus: Iterable[str], *, labels: int = 6) -> None:
    """The axes of the spread of AUC over α against μ."""
    token_axis(axes, mus, r"$\mu$", labels=labels)
    axes.set_ylim(bottom=0)
    axes.set_title(r"Spread of AUC over $\alpha$", pad=5)
    axes.set_ylabel(r"Standard deviation over $\alpha$")


def token_axis(axes: Axes, tokens: Iterable[str], name: str, *, labels: int = 6) -> None:
    """A log₂ axis with a tick at every token and at most so many `labels`; without ticks if there are no tokens."""
    ordered = descending(tokens)[::-1]
    if not ordered:
        axes.set_xticks([])  # any number would look like a token
        return
    positions = [parse(token, "figure") for token in ordered]
    step = -(-len(ordered) // labels)
    axes.set_xscale("log", base=2)
    axes.set_xticks(positions[::step], [f"${token_label(token)}$" for token in ordered[::step]])
    axes.xaxis.set_minor_locator(FixedLocator(positions) if step > 1 else NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(positions[0] / 2**0.5, positions[-1] * 2**0.5)
    axes.set_xlabel(name)


def legend(figure: Figure, entries: Iterable[Look | Line2D], title: str) -> None:
    """One legend for all panels, at the right and outside of them."""
    figure.legend(
        handles=[entry.handle() if isinstance(entry, Look) else entry for entry in entries],
        title=title,
        loc="outside right center",
        frameon=False,
        handlelength=3.2,
        labelspacing=0.55,
        alignment="left",
    )


def legend_above(axes: Axes, entries: Sequence[Look], corner: Any, x: float, **options: Any) -> None:
    """A legend between a panel and its title: inside the panel it would cover curves."""
    options |= {"frameon": False, "borderpad": 0.2, "borderaxespad": 0, "handlelength": 2.8}
    axes.legend(handles=[entry.handle() for entry in entries], loc=corner, bbox_to_anchor=(x, 1), **options)


@theme()
def save(figure: Figure, table: pd.DataFrame, prefix: str | os.PathLike[str]) -> None:
    """Writes prefix.svg, prefix.pdf and prefix.png (150 dots an inch), and the table that they show as prefix.csv.

    Each is written atomically. The same figure gives the same bytes, whatever the clock and SOURCE_DATE_EPOCH say. Its
    layout is fixed from then on.
    """
    _fix_layout(figure)
    for suffix, metadata in _METADATA.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix, dpi=150, facecolor="white", metadata=metadata)
        atomic.write_atomically(f"{os.fspath(prefix)}.{suffix}", buffer.getvalue())
    atomic.write_atomically(f"{os.fspath(prefix)}.csv", as_csv(table))


def _fix_layout(figure: Figure) -> None:
    """Lays the panels out, to a millionth of the figure.

    The solver's last digit differs from process to process, and the ids of an SVG are hashes of it.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine(None)  # "none" would leave one that has every file drawn twice
    for axes in figure.axes:
        x, y, width, height = (round(float(edge), 6) for edge in axes.get_position(original=True).bounds)
        axes.set_position((x, y, width, height))
