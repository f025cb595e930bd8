"""The explorer: one HTML file on which a reader picks curves, single runs and tables, without a network.

The chart is Vega-Lite, written by Altair; its libraries are inlined. All else is reports/explorer.html, .css
and .js. The page holds its data as JSON: what `thinned` made of every figure, put together so that runs which
several figures share are there once, and the tables, a list a column.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import vl_convert
from matplotlib import colormaps
from matplotlib.colors import to_hex, to_rgb

from metatrace.analysis import tables
from metatrace.errors import UserError
from metatrace.figures import style
from metatrace.methods import METHODS
from metatrace.runs.atomic import remedy

# Of the colours from dark to light, as many as any choice of step-sizes needs.
_SHADES = 33
_DIGITS = 7
_MARK = "/*{}*/"


def read_words(text: str) -> dict[str, Any]:
    """What the page says, of JSON.

    Raises:
      UserError: it is no JSON, or not what `presentation.explorer` makes.
    """
    try:
        words = json.loads(text)
    except ValueError:
        words = None
    needed = {"scale", "figures", "methods", "environments", "variants", "tables", "code", "fingerprint"}
    if not isinstance(words, dict) or not needed <= words.keys():
        raise UserError(f"--words: is no JSON with {', '.join(sorted(needed))}; see `presentation.explorer`")
    return words


def page(words: Mapping[str, Any], folder: Path, template: Path) -> bytes:
    """The page; the same results and words give the same bytes.

    Args:
      words: of `presentation.explorer`.
      folder: of the tables, `results/<scale>/tables`.
      template: where explorer.html, explorer.css and explorer.js lie.

    Raises:
      UserError: a table, a thinned figure or a part of the template is missing or damaged.
    """
    thinned = {figure["name"]: _read(folder / figure["name"] / "thinned.json") for figure in words["figures"]}
    shown = {
        "words": words,
        "looks": looks(),
        "chart": chart(),
        **curves(words, thinned),
        "tables": {
            name: columns(_put_together(name, words, folder))
            for name in words["tables"]
            if any(name in figure["tables"] for figure in words["figures"])
        },
    }
    text, look, behaviour = (_text(template / f"explorer.{suffix}") for suffix in ("html", "css", "js"))
    data = json.dumps(shown, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    parts = {
        "style": look,
        # The one character with which a script's end begins for HTML; JSON has another way to write it.
        "data": data.replace("<", "\\u003c"),
        "libraries": vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version),
        "behaviour": behaviour,
    }
    for name, part in parts.items():
        if text.count(_MARK.format(name)) != 1:
            raise UserError(f"{template}/explorer.html: has no single place for the {name}, {_MARK.format(name)}")
        if re.search(r"<!--|</script|</style", part, re.IGNORECASE):
            raise UserError(f"{template}: the {name} cannot stand in a page, for it holds an end tag or a comment")
    return re.sub(r"/\*(\w+)\*/", lambda mark: parts[mark[1]], text).encode()


def curves(words: Mapping[str, Any], thinned: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The curves and runs of all figures, each once.

    Runs are the same where their readings, setting, seeds and smoothing are.

    Returns:
      `grids`; and `curves`, for each `figures` (names), `variant`, `environment`, `method`, `alpha`, `mu`,
      `drift`, `smoothing`, `axis`, `decimals`, `seeds`, `grid`, `mean`, `low`, `high`, `run_grid`, `runs`.
    """
    grids: list[list[int]] = []
    numbers: dict[tuple[int, ...], int] = {}
    known: dict[tuple[Any, ...], dict[str, Any]] = {}

    def number(grid: list[int]) -> int:
        if tuple(grid) not in numbers:
            numbers[tuple(grid)] = len(grids)
            grids.append(grid)
        return numbers[tuple(grid)]

    for figure in words["figures"]:
        made = thinned[figure["name"]]
        for setting, curve, runs in zip(made["settings"], made["curves"], made["runs"], strict=True):
            key = (figure["variant"], *setting, figure["smoothing"], tuple(made["seeds"]))
            if key in known:
                known[key]["figures"].append(figure["name"])
                continue
            environment, method, alpha, mu, drift = setting
            known[key] = {
                "figures": [figure["name"]],
                "variant": figure["variant"],
                "environment": environment,
                "method": method,
                "alpha": alpha,
                "mu": mu,
                "drift": drift,
                "smoothing": figure["smoothing"],
                "axis": made["axis"],
                "decimals": made["decimals"][environment],
                "seeds": made["seeds"],
                "grid": number(made["grids"][curve[0]]),
                "mean": curve[1],
                # A single run has no interval.
                "low": curve[2] if any(step is not None for step in curve[2]) else [],
                "high": curve[3] if any(step is not None for step in curve[3]) else [],
                "run_grid": number(made["grids"][runs[0]]),
                "runs": runs[1],
            }
    return {"grids": grids, "curves": list(known.values())}


def columns(frame: pd.DataFrame) -> dict[str, Any]:
    """A table as its columns: numbers to 7 digits, null where there is none; texts by number in a list."""
    made: dict[str, Any] = {}
    for name in frame:
        values = frame[name]
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            made[str(name)] = {"numbers": [_rounded(value) for value in values]}
        else:
            texts = list(dict.fromkeys(map(_as_text, values)))
            places = {text: place for place, text in enumerate(texts)}
            made[str(name)] = {"texts": texts, "places": [places[_as_text(value)] for value in values]}
    return made


def looks() -> dict[str, Any]:
    """Colours and dashes, as the figures have them; and for dark pages lighter ones."""
    viridis = colormaps["viridis"]
    return {
        "methods": {
            name: {
                "name": method.name,
                "light": method.colour,
                "dark": lighter(method.colour),
            }
            for name, method in METHODS.items()
        },
        "shades": [to_hex(viridis(i / (_SHADES - 1))) for i in range(_SHADES)],
        "dashes": [list(style.dashes(i)) or [1, 0] for i in range(4)],
    }


def lighter(colour: str, least: float = 0.35) -> str:
    """The colour, mixed with white until its luminance is at least `least`: to be seen on a dark page."""
    mixed = to_rgb(colour)
    while _luminance(mixed) < least:
        mixed = tuple(part + 0.05 * (1 - part) for part in mixed)  # type: ignore[assignment]  # three parts
    return str(to_hex(mixed))


def chart() -> dict[str, Any]:
    """The chart in Vega-Lite, without data: the page puts in rows, sizes, panels and the scales' domains.

    It has a layer for bands, runs, lines and targets; the page leaves out those that have nothing to show.

    Rows: `kind` (curve or run), `line` (which of them belong together), `x`, `y`, for a curve `low` and
    `high`, and what names it: `panel`, `colour`, `dash`, `name`, `last`.
    """
    is_curve, is_run = alt.datum.kind == "curve", alt.datum.kind == "run"
    pointed = alt.selection_point(name="pointed", fields=["name"], on="pointerover", clear="pointerout")
    x = alt.X("x:Q", title=None, scale=alt.Scale(nice=False, zero=False))
    y = alt.Y("y:Q", title="Return", scale=alt.Scale(zero=False))
    colour = alt.Color("colour:N", title=None, sort=None)
    dash = alt.StrokeDash("dash:N", title=None, sort=None)
    band = (
        alt.Chart(name="bands")
        .mark_area(opacity=0.16, aria=False)
        .encode(x, alt.Y("low:Q", title="Return"), alt.Y2("high:Q"), alt.Color("colour:N"), alt.Detail("line:N"))
    )
    single = (
        alt.Chart(name="runs")
        .mark_line(strokeWidth=0.8, opacity=0.45, aria=False)
        .encode(x, y, colour, alt.Detail("line:N"))
    )
    line = (
        alt.Chart(name="lines")
        .mark_line(aria=False)
        .encode(
            x,
            y,
            colour,
            dash,
            alt.Detail("line:N"),
            strokeWidth=alt.condition(pointed, alt.value(3.2), alt.value(1.7), empty=False),
        )
    )
    # A wide invisible line, for the pointer to hit.
    hit = (
        alt.Chart(name="targets")
        .mark_line(strokeWidth=11, opacity=0, aria=False)
        .encode(
            x,
            y,
            alt.Detail("line:N"),
            tooltip=[alt.Tooltip("name:N", title="Curve"), alt.Tooltip("last:N", title="At the end")],
        )
    )
    layers = alt.layer(
        band.transform_filter(is_curve),
        single.transform_filter(is_run),
        line.transform_filter(is_curve),
        hit.transform_filter(is_curve).add_params(pointed),
        data=alt.NamedData("rows"),
    )
    panels = layers.facet(facet=alt.Facet("panel:N", title=None), columns=1)
    made: dict[str, Any] = json.loads(panels.to_json(validate=True))
    made["config"] = {}
    return made


def _put_together(name: str, words: Mapping[str, Any], folder: Path) -> pd.DataFrame:
    """One table of all figures that have it, with a column for the figure."""
    parts = []
    for figure in words["figures"]:
        if name in figure["tables"]:
            part = tables.read(folder / figure["name"] / f"{name}.parquet")
            part.insert(0, "figure", figure["short"])
            if len(words["variants"]) > 1:
                part.insert(1, "readings", words["variants"][figure["variant"]])
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _rounded(value: Any) -> float | int | None:
    if pd.isna(value) or not math.isfinite(value):
        return None
    if float(value).is_integer():
        return int(value)
    return float(f"{float(value):.{_DIGITS}g}")


def _as_text(value: Any) -> str:
    return "" if pd.isna(value) else str(value)


def _luminance(parts: Iterable[float]) -> float:
    """The relative luminance of a colour, as WCAG 2 defines it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _read(path: Path) -> dict[str, Any]:
    try:
        made = json.loads(_text(path))
        if not {"axis", "decimals", "seeds", "grids", "settings", "curves", "runs"} <= made.keys():
            raise ValueError("no thinned figure")
    except (ValueError, AttributeError):
        raise UserError(f"{path}: is cut short, garbled or no thinned figure; {remedy(path)}") from None
    return dict(made)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is cut short or garbled; {remedy(path)}") from None
