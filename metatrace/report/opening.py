"""The picture that opens the article: what the initial step-size does to the paper's methods, each at its best μ.

It is drawn within the page and not with the figures, so that it takes the page's colours, light and dark.
"""

import math
import re
from typing import Any

import pandas as pd

from metatrace.methods import METHODS
from metatrace.numbers import descending, parse

# The paper's methods, in the order of the legend.
_SHOWN = ("none", "scalar", "vector", "mixed")
# The picture's size, and the room for the numbers at its left and below, in units of its view box.
WIDTH, HEIGHT, LEFT, BELOW, EDGE = 640.0, 300.0, 48.0, 44.0, 8.0
_LINE = 2.5  # how thick a line is: its dashes are in such units
_STEP = 50  # between two numbers of the axis of returns
_POWER = re.compile(r"(?<=\d)\^(-?\d+)")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def opening(drawn: pd.DataFrame) -> dict[str, Any]:
    """The picture's lines and axes as places in its view box.

    Args:
      drawn: what a figure of kind `compared` draws: quantity, method, alpha, mu, value, low, high.

    Returns:
      `lines`, each with `name`, `colour`, `dashes` (as SVG has them), `mu` (as text; "" without one), `points` and
      `band` (a polygon); `alphas` and `returns`, the axes' numbers with their places.
    """
    rows = drawn[(drawn["quantity"] == "auc") & drawn["method"].isin(_SHOWN)]
    alphas = descending(rows["alpha"])
    log_alpha = {token: math.log2(parse(token, "alpha")) for token in alphas}
    first, last = log_alpha[alphas[0]], log_alpha[alphas[-1]]
    floor = _STEP * math.floor(rows["low"].fillna(rows["value"]).min() / _STEP)
    top = _STEP * math.ceil(rows["high"].fillna(rows["value"]).max() / _STEP)

    def x(token: str) -> float:
        return round(LEFT + EDGE + (first - log_alpha[token]) / ((first - last) or 1) * (WIDTH - LEFT - 2 * EDGE), 1)

    def y(value: float) -> float:
        return round(EDGE + (top - value) / ((top - floor) or 1) * (HEIGHT - BELOW - EDGE), 1)

    lines = []
    for token in _SHOWN:
        here = rows[rows["method"] == token].set_index("alpha")
        here = here.loc[[alpha for alpha in alphas if alpha in here.index]]
        if here.empty:
            continue
        method, at = METHODS[token], [x(str(alpha)) for alpha in here.index]
        edges = [*zip(at, here["high"], strict=True), *reversed([*zip(at, here["low"], strict=True)])]
        lines.append(
            {
                "name": method.label,
                "colour": method.colour,
                "dashes": " ".join(f"{_LINE * part:g}" for part in method.dashes) or "none",
                "mu": written(here["mu"].iloc[0]) if method.has_mu else "",
                "points": _path(zip(at, map(y, here["value"]), strict=True)),
                "band": "" if here["low"].isna().any() else _path((place, y(edge)) for place, edge in edges),
            }
        )
    return {
        "lines": lines,
        "alphas": [(x(token), written(token)) for token in alphas],
        "returns": [(y(value), f"{value:d}".replace("-", "−")) for value in range(floor, top + 1, _STEP)],
    }


def written(text: str) -> str:
    """A text with its powers as a reader writes them: 2^-10 as 2⁻¹⁰."""
    return _POWER.sub(lambda power: power[1].translate(_RAISED), text)


def _path(points: Any) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)
