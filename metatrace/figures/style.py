"""What all figures share: theme, palette, dashes, legend and foot line, and files of stable bytes."""

import io
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
import matplotlib.style
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter, NullLocator

from metatrace.methods import METHODS, Dashes, Method
from metatrace.numbers import label as token_label
from metatrace.numbers import parse
from metatrace.runs import atomic

WIDTH = 9.0  # inches; at 100 dots an inch the 900 pixels that a report's column gives a figure
REFERENCE_COLOUR = "#000000"
REFERENCE_DASHES = (5.0, 2.0)
BAND_OPACITY = 0.13
NOTE_SIZE = 8.0
# Neighbours in a palette always differ in their dashes, so that a grey print can be read.
_DASHES: tuple[Dashes, ...] = ((), (4.5, 1.3), (1.2, 1.0), (6.0, 1.2, 1.2, 1.2))
_MARKERS = "osD^vPX*p"


# What is drawn of the scores: a column of the tables, and its heading.
SCORES = {"final": "Final return", "auc": "Mean return (AUC)"}
SPREAD = r"Spread of AUC over $\alpha$"
RETURN = "Return (trailing mean)"
EPISODE = "Training episode"
ALPHA = r"Initial $\alpha$"

_RC: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so every machine has the same
    "mathtext.fontset": "dejavusans",
    "axes.titlesize": 9.5,
    "axes.labelsize": 9.0,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 9.0,
    "figure.titlesize": 11.5,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
    "xtick.major.width": 0.8,
    "ytick.major.width": 0.8,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "lines.solid_capstyle": "butt",
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


@contextmanager
def theme() -> Iterator[None]:
    """The project's look, for drawing and saving alike; nothing of the reader's matplotlibrc remains."""
    settings = sns.plotting_context("paper") | sns.axes_style("ticks") | _RC
    with matplotlib.style.context("default", after_reset=True), matplotlib.rc_context(settings):
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


def line_style(index: int) -> Any:
    """The dashes as matplotlib's linestyle."""
    return as_line_style(dashes(index))


def as_line_style(pattern: Dashes) -> Any:
    """An on-off pattern as matplotlib's linestyle."""
    return (0, pattern) if pattern else "-"


def coloured(tokens: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """Each token with the colour and the linestyle of its line."""
    for number, (token, colour) in enumerate(zip(tokens, palette(len(tokens)), strict=True)):
        yield token, colour, line_style(number)


def descending(tokens: Iterable[str]) -> list[str]:
    """The distinct number tokens, largest value first."""
    return sorted(set(tokens), key=lambda token: parse(token, "figure", zero=True), reverse=True)


def in_order(methods: Iterable[str]) -> list[str]:
    """The distinct methods, in the order in which figures show them."""
    order = list(METHODS)
    return sorted(set(methods), key=order.index)


def as_values(frame: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The table with a column `quantity`, and with its score or spread as value, low and high."""
    columns = {quantity: "value", f"{quantity}_low": "low", f"{quantity}_high": "high"}
    return frame.rename(columns=columns).assign(quantity=quantity)


def in_orders(frame: pd.DataFrame, orders: Mapping[str, Sequence[str]], last: str) -> pd.DataFrame:
    """The rows, sorted by the columns of `orders`, each as it lists its values, and then by the column `last`."""
    return frame.sort_values(
        [*orders, last],
        key=lambda column: column.map(orders[str(column.name)].index) if column.name in orders else column,
        ignore_index=True,
    )


def marker(index: int) -> str:
    """The marker of line number `index` of those that are no methods; with `dashes` 36 lines differ."""
    return _MARKERS[index % len(_MARKERS)]


def only(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuses a table that mixes what one figure cannot tell apart."""
    for column in columns:
        values = frame[column].unique()
        if len(values) != 1:
            raise ValueError(f"a figure shows one {column}, not {len(values)}: {', '.join(map(str, values))}")


def new_figure(height: float, *, title: str, note: str) -> Figure:
    """An empty figure with its title above and its note below, both kept clear of the axes.

    Not from pyplot, which would keep every figure alive.
    """
    lines = textwrap.wrap(note, 130)
    foot = 0.06 + 0.16 * len(lines)  # inches
    figure = Figure(figsize=(WIDTH, height + foot))
    figure.set_layout_engine(
        "constrained", rect=(0, foot / (height + foot), 1, height / (height + foot)), w_pad=0.08, h_pad=0.06
    )
    if title:
        figure.suptitle("\n".join(textwrap.wrap(title, 80)), x=0.012, ha="left", weight="bold", parse_math=False)
    if lines:
        figure.text(
            0.012,
            0.07 / (height + foot),
            "\n".join(lines),
            size=NOTE_SIZE,
            color="#555555",
            ha="left",
            va="bottom",
            linespacing=1.3,
        )
    return figure


def curve(
    axes: Axes,
    rows: pd.DataFrame,
    *,
    colour: str,
    line_style: Any,
    label: str,
    width: float = 1.3,
    over: str = "episode",
) -> None:
    """One line of means over the column `over`, with a band if low and high are known."""
    rows = rows.sort_values(over)
    if rows["low"].notna().any():
        axes.fill_between(
            rows[over],
            rows["low"],
            rows["high"],
            color=colour,
            alpha=BAND_OPACITY,
            lw=0,
            zorder=1,
            # Bands of a thousand points each would make up most of a vector file.
            rasterized=True,
        )
    axes.plot(
        rows[over],
        rows["mean"],
        color=colour,
        ls=line_style,
        lw=width,
        marker="o" if len(rows) == 1 else "",  # a line of one point would not be seen
        ms=4,
        zorder=2,
        label=label,
    )


def token_curves(axes: Axes, rows: pd.DataFrame, column: str, tokens: Sequence[str], over: str = "episode") -> None:
    """One curve per token of a column, as far as there are rows of it."""
    for token, colour, style in coloured(tokens):
        here = rows[rows[column] == token]
        if not here.empty:
            curve(axes, here, colour=colour, line_style=style, label=token, over=over)


def episode_limits(rows: pd.DataFrame) -> tuple[float, float]:
    """From the first of all episodes to the last shown; a single episode would make an axis of no length."""
    last = int(rows["episode"].max())
    return (1, last) if last > 1 else (0.5, 1.5)


def episode_axis(axes: Axes, rows: pd.DataFrame) -> None:
    """An axis over all episodes, with ticks that half the width holds."""
    axes.set_xlim(*episode_limits(rows))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1, steps=[1, 2, 2.5, 5, 10]))


def score_line(axes: Axes, rows: pd.DataFrame, colour: str, line_style: Any, mark: str, name: str) -> None:
    """One line of scores over α, of the columns alpha, value, low and high, with its band."""
    x = np.array([parse(token, "figure") for token in rows["alpha"]])
    order = np.argsort(x)
    x, (value, low, high) = x[order], rows[["value", "low", "high"]].to_numpy()[order].T
    if len(x) > 1:
        axes.fill_between(x, low, high, color=colour, alpha=BAND_OPACITY, lw=0, zorder=1)
    else:
        axes.vlines(x, low, high, color=colour, lw=1.2, zorder=1)
    axes.plot(
        x, value, color=colour, ls=line_style, lw=1.4, marker=mark, ms=3.8, mew=0.5, mec="white", zorder=2,
        label=name,
    )  # fmt: skip


def token_axis(axes: Axes, tokens: pd.Series, name: str, *, labels: int = 6) -> None:
    """A log₂ axis with a tick at every token and at most so many `labels`."""
    ordered = descending(tokens.dropna())[::-1]
    values = [parse(token, "figure") for token in ordered]
    step = -(-len(ordered) // labels)
    axes.set_xscale("log", base=2)
    axes.set_xticks(values[::step], [f"${token_label(token)}$" for token in ordered[::step]])
    axes.xaxis.set_minor_locator(FixedLocator(values) if step > 1 else NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(values[0] / 2**0.5, values[-1] * 2**0.5)
    axes.set_xlabel(name)


def trim(axes: np.ndarray, panels: int, x_label: str) -> None:
    """Removes what a grid of axes (rows, columns) has beyond `panels`; labels the lowest of each column."""
    for number, panel in enumerate(axes.flat):
        if number >= panels:
            panel.remove()
        elif number + axes.shape[1] >= panels:
            # The lowest panel of its column, even if the last row is not full.
            panel.tick_params(labelbottom=True)
            panel.set_xlabel(x_label)


def panel_columns(panels: int) -> int:
    """How many panels stand side by side."""
    return min(panels, 2 if panels == 4 else 3)


def constant_line(axes: Axes, rows: pd.DataFrame, colour: str, line_style: Any, name: str) -> None:
    """Values that depend on nothing, of the columns value, low and high: level lines with their bands."""
    for value, low, high in rows[["value", "low", "high"]].to_numpy():
        axes.axhspan(low, high, color=colour, alpha=0.1, lw=0, zorder=1)
        axes.axhline(value, color=colour, ls=line_style, lw=1.4, zorder=2, label=name)


def value_range(rows: pd.DataFrame, *others: float) -> tuple[float, float]:
    """The range of all lines and bands, and of `others`, a little wider."""
    values = np.append(rows[["mean", "low", "high"]].to_numpy(), others)
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    # Of a range near zero the ticks would show nothing but rounding.
    margin = max(0.04 * (high - low), 0.1)
    return low - margin, high + margin


def line_handle(colour: str, line_style: Any, text: str, *, marker: str = "", width: float = 1.6) -> Line2D:
    """An entry of a legend."""
    return Line2D([], [], color=colour, ls=line_style, lw=width, marker=marker, ms=5, mec="white", label=text)


def method_handle(method: Method, text: str = "", *, marker: str = "") -> Line2D:
    """The entry of a method, by default with its short name."""
    return line_handle(method.colour, method.line_style, text or method.short, marker=marker)


def token_handles(tokens: Sequence[str], *, markers: bool = False) -> list[Line2D]:
    """An entry for each token, as `coloured` shows them, with or without its marker."""
    return [
        line_handle(colour, style, f"${token_label(token)}$", marker=marker(i) if markers else "")
        for i, (token, colour, style) in enumerate(coloured(tokens))
    ]


def shared_legend(figure: Figure, handles: Sequence[Artist], title: str) -> None:
    """One legend for all panels, at the right and outside of them."""
    figure.legend(
        handles=list(handles),
        title=title,
        loc="outside right center",
        frameon=False,
        handlelength=3.2,
        labelspacing=0.55,
        alignment="left",
    )


def save(figure: Figure, prefix: str | os.PathLike[str]) -> None:
    """Writes prefix.svg, prefix.pdf and prefix.png (150 dots an inch), each atomically.

    The same figure gives the same bytes, whatever the clock and SOURCE_DATE_EPOCH say. Its layout is
    fixed from then on.
    """
    _fix_layout(figure)
    for suffix, metadata in _METADATA.items():
        buffer = io.BytesIO()
        with theme():
            figure.savefig(buffer, format=suffix, dpi=150, facecolor="white", metadata=metadata)
        atomic.write_atomically(f"{os.fspath(prefix)}.{suffix}", buffer.getvalue())


def _fix_layout(figure: Figure) -> None:
    """Lays the panels out, to a millionth of the figure.

    The solver's last digit differs from process to process, and the ids of an SVG are hashes of it.
    """
    with theme():
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        x, y, width, height = (round(float(edge), 6) for edge in axes.get_position(original=True).bounds)
        axes.set_position((x, y, width, height))


def save_table(frame: pd.DataFrame, prefix: str | os.PathLike[str]) -> None:
    """Writes prefix.csv, the table that a figure draws; floats read back to the same value."""
    text = frame.to_csv(index=False, lineterminator="\n")
    atomic.write_atomically(f"{os.fspath(prefix)}.csv", text.encode())
