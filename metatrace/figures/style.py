"""What all figures share: theme, palette, dashes, legend and foot line, and files of stable bytes."""

import io
import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
import matplotlib.style
import pandas as pd
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from metatrace import results
from metatrace.numbers import parse

WIDTH = 9.0  # inches; at 100 dots an inch the 900 pixels that a report's column gives a figure
REFERENCE_COLOUR = "#000000"
REFERENCE_DASHES = (5.0, 2.0)
BAND_OPACITY = 0.13
NOTE_SIZE = 8.0
# Neighbours in a palette always differ in their dashes, so that a grey print can be read.
_DASHES: tuple[tuple[float, ...], ...] = ((), (4.5, 1.3), (1.2, 1.0), (6.0, 1.2, 1.2, 1.2))
MARKERS = "osD^vPX*"

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
    # Text as outlines looks alike where the reader's machine lacks the font.
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


def dashes(index: int) -> tuple[float, ...]:
    """The on-off pattern of line number `index`, in line widths; () is solid."""
    return _DASHES[index % len(_DASHES)]


def line_style(index: int) -> Any:
    """The dashes as matplotlib's linestyle."""
    pattern = dashes(index)
    return (0, pattern) if pattern else "-"


def descending(tokens: Iterable[str]) -> list[str]:
    """The distinct number tokens, largest value first."""
    return sorted(set(tokens), key=lambda token: parse(token, "figure", zero=True), reverse=True)


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
        figure.suptitle("\n".join(textwrap.wrap(title, 80)), x=0.012, ha="left", weight="bold")
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

    The same figure gives the same bytes, whatever the clock and SOURCE_DATE_EPOCH say.
    """
    for suffix, metadata in _METADATA.items():
        buffer = io.BytesIO()
        with theme():
            figure.savefig(buffer, format=suffix, dpi=150, facecolor="white", metadata=metadata)
        results.write_atomically(f"{os.fspath(prefix)}.{suffix}", buffer.getvalue())


def save_table(frame: pd.DataFrame, prefix: str | os.PathLike[str]) -> None:
    """Writes prefix.csv, the table that a figure draws; floats read back to the same value."""
    text = frame.to_csv(index=False, lineterminator="\n")
    results.write_atomically(f"{os.fspath(prefix)}.csv", text.encode())
