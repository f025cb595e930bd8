"""Every μ, and how β evolves at one of them, as in the paper's figure 7: one row per method."""

import math
from string import ascii_lowercase

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metatrace.analysis import points, tables
from metatrace.analysis.groups import SETTING
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.figures.style import Look
from metatrace.methods import METHODS
from metatrace.numbers import descending, label, parse

_VALUE, _POLICY = "#b0124b", "#c58a00"
_NOISY, _VISITED = (0, (4.5, 1.3)), (0, (1.2, 1.2))
# In the order of the legend. Visited features are informative ones that were active at least once.
_GROUPS = {
    "value/informative": Look("value, informative", _VALUE),
    "value/informative/visited": Look("  of these, visited", _VALUE, _VISITED),
    "value/noisy": Look("value, noisy", _VALUE, _NOISY),
    "policy/informative": Look("policy, informative", _POLICY),
    "policy/informative/visited": Look("  of these, visited", _POLICY, _VISITED),
    "policy/noisy": Look("policy, noisy", _POLICY, _NOISY),
}
_ALIKE = Look("all groups alike", "#333333")
_INITIAL = Look("initial β (log α)", "#888888")


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    curves, beta = map(points.of_episodes, tables.read_all(job.tables, "curves", "beta"))
    table = drawn_table(curves, beta, job.facts["beta_mu"])
    return draw(table, job), table


@style.theme()
def draw(table: pd.DataFrame, job: PictureJob) -> Figure:
    """One row per method: on the left one line per μ, on the right one line per group of weights.

    All left panels have the same axes, each right panel its own range of β. It shows a single line if all groups are
    the same (one β for all), and the initial β.
    """
    returns, betas = (table[table["shows"] == shown] for shown in ("return", "beta"))
    methods, mus = style.in_order(table["method"]), style.token_looks(descending(returns["mu"]))
    initial = math.log(parse(table["alpha"].iloc[0], "figure"))
    looks: list[Look] = []
    # Tall enough for the legend.
    height = max(0.5 + 2.4 * len(methods), 0.5 + 0.2 * (len(mus) + len(_GROUPS) + 5))
    figure = style.new_figure(height, job)
    axes = figure.subplots(len(methods), 2, sharex=True, squeeze=False)
    letters = iter(ascii_lowercase)
    for method, (left, right) in zip(methods, axes, strict=True):
        if left is not axes[0, 0]:
            left.sharey(axes[0, 0])
        style.curves(left, returns[returns["method"] == method], "mu", mus)
        looks += _beta_panel(right, betas[betas["method"] == method], initial)
        shown = f"$\\mu = {label(betas['mu'].iloc[0])}$"
        for panel, what, axis in ((left, r"every $\mu$", style.RETURN), (right, shown, "Mean β (log step-size)")):
            panel.set_title(f"({next(letters)}) {METHODS[method].name}, {what}", pad=4)
            panel.set_ylabel(axis)
    style.curve_axes(axes[0, 0], returns)
    for panel in axes[-1]:
        panel.set_xlabel(style.EPISODE)
    groups = [look for look in (_ALIKE, *_GROUPS.values(), _INITIAL) if look in looks]
    entries = [_heading(r"Left: $\mu$"), *mus.values(), _heading("\nRight: β of")]
    style.legend(figure, [*entries, *(look.handle(_width(look, 1.6)) for look in groups)], "")
    return figure


def drawn_table(curves: pd.DataFrame, beta: pd.DataFrame, mu: str) -> pd.DataFrame:
    """All that the figure draws, one row per point.

    Args:
      curves: those of one environment, α and drift.
      beta: of `beta.curves`, of the same runs.
      mu: the μ at which β is shown.

    Returns:
      shows (return or beta), environment, method, alpha, mu, drift, group ("" for a return), episode,
      mean, low, high, runs; returns first, by method, μ (descending), group and episode.
    """
    table = pd.concat([curves.assign(shows="return", group=""), beta[beta["mu"] == mu].assign(shows="beta")])
    orders = {
        "shows": ["return", "beta"],
        "method": style.in_order(curves["method"]),
        "mu": descending(curves["mu"]),
        "group": ["", *_GROUPS],
    }
    columns = ["shows", *SETTING, "group", "episode", "mean", "low", "high", "runs"]
    return style.in_orders(table[columns], orders, "episode")


def _heading(text: str) -> Look:
    """An entry of the legend with text only."""
    return Look(text, "none", "")


def _width(look: Look, width: float) -> float:
    """The width of a line: thinner for the visited and for the initial β."""
    return 0.7 * width if look is _INITIAL or look.line_style == _VISITED else width


def _beta_panel(axes: Axes, rows: pd.DataFrame, initial: float) -> list[Look]:
    """Draws the groups; returns what the legend must explain."""
    axes.axhline(initial, color=_INITIAL.colour, lw=_width(_INITIAL, 1.3), zorder=1.5, label="initial")
    groups = {group: rows[rows["group"] == group] for group in _GROUPS if group in set(rows["group"])}
    looks = _GROUPS
    if len(groups) > 1 and _alike(list(groups.values())):
        groups, looks = {"all": next(iter(groups.values()))}, {"all": _ALIKE}
    for group, curve in groups.items():
        style.curve(axes, curve, looks[group], group, width=_width(looks[group], 1.3))
    axes.set_ylim(*style.value_range(rows, initial))
    return [_INITIAL, *(looks[group] for group in groups)]


def _alike(groups: list[pd.DataFrame]) -> bool:
    """Whether all groups always have the same β, apart from the rounding of their means."""
    first, *others = (group[["episode", "mean", "low", "high"]].to_numpy() for group in groups)
    return all(
        other.shape == first.shape and np.allclose(other, first, rtol=1e-9, atol=0, equal_nan=True) for other in others
    )
