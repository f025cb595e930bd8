"""The explorer: one HTML file, usable offline, on which a reader picks curves, single runs and tables.

The scripts reports/explorer*.js draw with Vega-Lite, whose libraries are inlined. The page holds its data as JSON: the
thinned figures, with runs that several figures share there once, and the tables and verdicts, one list per column.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import vl_convert
from matplotlib import colormaps
from matplotlib.colors import to_hex, to_rgb

from metatrace.analysis import tables
from metatrace.analysis.groups import SETTING
from metatrace.errors import UserError
from metatrace.figures import planes, style
from metatrace.methods import METHODS
from metatrace.report import inlining
from metatrace.report.claims_json import entries, name_of
from metatrace.report.context import EXPLORER_FILES
from metatrace.runs import atomic
from metatrace.runs.atomic import remedy

# How many colours from dark to light: enough for any choice of step-sizes.
_SHADES = 33
_DIGITS = 7
_RESIDUE = 1e-15  # of the largest number in a column
_VEGA_LITE = "6.4"


def page(words: Mapping[str, Any], folder: Path, template: Path) -> bytes:
    """The page. The same results and words give the same bytes.

    Args:
      words: of `context.explorer_context`.
      folder: `results/<scale>/tables`.
      template: the folder of `EXPLORER_FILES`.

    Raises:
      UserError: a table, a thinned figure or a part of the template is missing or damaged.
    """
    thinned = {
        figure["name"]: _read(folder / figure["name"] / "thinned.json")
        for figure in words["figures"]
        if not figure["members"]
    }
    shown = {
        "words": words,
        "looks": looks(),
        **curves(words, thinned),
        "tables": {
            name: columns(_put_together(name, words, folder))
            for name in words["tables"]
            if any(name in figure["tables"] for figure in words["figures"])
        },
    }
    if "verdicts" in words["tables"]:
        shown["tables"]["verdicts"] = columns(_verdicts(folder / "claims.json"))
    text, parts = inlining.read_parts(template, EXPLORER_FILES)
    parts["data"] = inlining.as_data(shown)
    parts["libraries"] = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=_VEGA_LITE)
    return inlining.fill(text, parts, template / EXPLORER_FILES[0])


def curves(words: Mapping[str, Any], thinned: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The curves and runs of all figures, each once.

    Figures share runs if readings, setting, seeds and smoothing are the same. A figure that compares others has theirs.

    Returns:
      `grids`; and `curves`, each with `figures` (names), `variant`, `environment`, `method`, `alpha`, `mu`, `drift`,
      `smoothing`, `axis`, `measure`, `decimals`, `seeds`, `grid`, `mean`, `low`, `high`, `run_grid`, `runs`; and where
      runs keep β, `beta_groups`, `beta_grid`, `beta`.
    """
    numbers: dict[tuple[int, ...], int] = {}
    known: dict[tuple[Any, ...], dict[str, Any]] = {}
    for figure in words["figures"]:
        if figure["members"]:
            continue
        made = thinned[figure["name"]]
        grids = [numbers.setdefault(tuple(grid), len(numbers)) for grid in made["grids"]]
        betas = made.get("beta", [None] * len(made["settings"]))
        for setting, (grid, mean, low, high), (run_grid, runs), beta in zip(
            made["settings"], made["curves"], made["runs"], betas, strict=True
        ):
            key = (figure["variant"], *setting, figure["smoothing"], tuple(made["seeds"]))
            curve = known.setdefault(
                key,
                {
                    "figures": [],
                    "variant": figure["variant"],
                    **dict(zip(SETTING, setting, strict=True)),
                    "smoothing": figure["smoothing"],
                    "axis": made["axis"],
                    "measure": made["measure"],
                    "decimals": made["decimals"][setting[0]],
                    "seeds": made["seeds"],
                    "grid": grids[grid],
                    "mean": mean,
                    # A single run has no interval.
                    "low": low if any(step is not None for step in low) else [],
                    "high": high if any(step is not None for step in high) else [],
                    "run_grid": grids[run_grid],
                    "runs": runs,
                    **(
                        {"beta_groups": made["beta_groups"], "beta_grid": grids[beta[0]], "beta": beta[1]}
                        if beta
                        else {}
                    ),
                },
            )
            curve["figures"].append(figure["name"])
    for figure in words["figures"]:
        for curve in known.values():
            if set(figure["members"]) & set(curve["figures"]):
                curve["figures"].append(figure["name"])
    return {"grids": list(map(list, numbers)), "curves": list(known.values())}


def columns(frame: pd.DataFrame) -> dict[str, Any]:
    """A table as its columns: numbers to 7 digits, None if missing; texts as positions in a list of texts."""
    made: dict[str, Any] = {}
    for name in frame:
        values = frame[name]
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            made[str(name)] = {"numbers": _without_residues([_rounded(value) for value in values])}
        else:
            places, texts = pd.factorize(values.astype("object").where(values.notna(), "").map(str))
            made[str(name)] = {"texts": texts.tolist(), "places": places.tolist()}
    return made


def looks() -> dict[str, Any]:
    """The figures' colours and dashes, and lighter colours for dark pages."""
    viridis = colormaps["viridis"]
    return {
        "methods": {
            token: {"name": method.name, "light": method.colour, "dark": lighter(method.colour)}
            for token, method in METHODS.items()
        },
        "shades": [to_hex(viridis(i / (_SHADES - 1))) for i in range(_SHADES)],
        "dashes": [list(style.dashes(i)) or [1, 0] for i in range(4)],
    }


def lighter(colour: str, least: float = 0.35) -> str:
    """The colour, mixed with white until its luminance is at least `least`, so that it shows on a dark page."""
    mixed = to_rgb(colour)
    while planes.luminance(mixed) < least:
        mixed = tuple(part + 0.05 * (1 - part) for part in mixed)  # type: ignore[assignment]  # three parts
    return str(to_hex(mixed))


def _put_together(name: str, words: Mapping[str, Any], folder: Path) -> pd.DataFrame:
    """A table of all figures that have it, as one, with a column for the figure."""
    parts = []
    for figure in words["figures"]:
        if name in figure["tables"]:
            part = tables.read(folder / figure["name"] / f"{name}.parquet")
            part.insert(0, "figure", figure["short"])
            if len(words["variants"]) > 1:
                part.insert(1, "readings", figure["readings"])
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _verdicts(path: Path) -> pd.DataFrame:
    """What was judged, one row per part of a claim.

    Raises:
      UserError: the file is missing or damaged.
    """
    rows = [
        {
            "claim": name_of(claim),
            "verdict": claim["verdict"],
            "why": claim["why"],
            "part": part["part"],
            **{name: part[name] for name in ("statistic", "value", "low", "high")},
            "threshold": part["wanted"],
            "result": part["part_verdict"],
            "seeds": part["seeds"],
            "statement": claim["statement"],
        }
        for claim in entries(path)
        for part in claim["parts"]
    ]
    return pd.DataFrame(rows).astype(dict.fromkeys(("value", "low", "high"), "float64"))


def _rounded(value: Any) -> float | int | None:
    if pd.isna(value) or not math.isfinite(value):
        return None
    if float(value).is_integer():
        return int(value)
    return float(f"{float(value):.{_DIGITS}g}")


def _without_residues(numbers: list[float | int | None]) -> list[float | int | None]:
    """A column with zero where rounding errors alone are left, as of a mean of differences that cancel."""
    least = _RESIDUE * max((abs(number) for number in numbers if number is not None), default=0)
    return [0 if number is not None and abs(number) < least else number for number in numbers]


def _read(path: Path) -> dict[str, Any]:
    try:
        made = dict(json.loads(atomic.read_text(path, remedy(path))))
        if not {"axis", "measure", "decimals", "seeds", "grids", "settings", "curves", "runs"} <= made.keys():
            raise ValueError("not a thinned figure")
    except (ValueError, TypeError):
        raise UserError(f"{path}: is cut short, garbled or not a thinned figure; {remedy(path)}") from None
    return made
