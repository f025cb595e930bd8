"""Every μ, and how β evolves at one of them, as in the paper's figure 7: one row per method."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from metatrace.analysis import points, tables
from metatrace.errors import UserError
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.methods import METHODS, Dashes
from metatrace.numbers import label, parse


class Look(NamedTuple):
    """How the line of a group of weights looks: its name in words, colour and on-off pattern."""

    name: str
    colour: str
    dashes: Dashes


_VALUE, _POLICY = "#b0124b", "#c58a00"
_NOISY_DASHES, _VISITED_DASHES = (4.5, 1.3), (1.2, 1.2)
# In the order of the legend. Visited features are informative ones that were active at least once.
_GROUPS = {
    "value/informative": Look("value, informative", _VALUE, ()),
    "value/informative/visited": Look("  of these, visited", _VALUE, _VISITED_DASHES),
    "value/noisy": Look("value, noisy", _VALUE, _NOISY_DASHES),
    "policy/informative": Look("policy, informative", _POLICY, ()),
    "policy/informative/visited": Look("  of these, visited", _POLICY, _VISITED_DASHES),
    "policy/noisy": Look("policy, noisy", _POLICY, _NOISY_DASHES),
}
_ALIKE = Look("all groups alike", "#333333", ())
_INITIAL = Look("initial β (log α)", "#888888", ())
_KEYS = ["environment", "method", "alpha", "mu", "drift", "group", "episode", "mean", "low", "high", "runs"]


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    """The picture and the table that it draws, of a figure's tables."""
    curves, beta = tables.read_all(job.tables, "curves", "beta")
    mu = job.facts["beta_mu"]
    if mu not in set(beta["mu"]):
        raise UserError(f"{job.tables}: has no β at μ {mu!r}; beta_mu must be one of the figure's meta-step-sizes")
    curves, beta = points.of_episodes(curves), points.of_episodes(beta)
    return draw(curves, beta, mu=mu, title=job.title, note=job.note), drawn_table(curves, beta, mu)


def draw(curves: pd.DataFrame, beta: pd.DataFrame, *, mu: str, title: str, note: str) -> Figure:
    """Draws learning curves of every μ next to the mean β of the groups of weights at one μ.

    Args:
      curves: rows of `Tables.curves` of one environment, α and drift.
      beta: rows of `beta.curves` of the same.
      mu: the μ at which β is shown.
      title: above the panels.
      note: a small line at the foot: scale, seeds, episodes.

    Returns:
      one row per method: on the left one line per μ, all with the same axes; on the right one line per group, each
      with its own range of β, or a single line if all groups are the same (one β for all), and the
      initial β. One legend for the left and the right panels. What is drawn is `drawn_table` of
      the same tables.
    """
    table = drawn_table(curves, beta, mu)
    returns, betas = (table[table["shows"] == shown] for shown in ("return", "beta"))
    methods, mus = style.in_order(table["method"]), style.descending(returns["mu"])
    initial = math.log(parse(table["alpha"].iloc[0], "figure"))
    looks: list[Look] = []
    with style.theme():
        # Tall enough for the legend.
        height = max(0.5 + 2.4 * len(methods), 0.5 + 0.2 * (len(mus) + len(_GROUPS) + 5))
        figure = style.new_figure(height, title=title, note=note)
        axes = figure.subplots(len(methods), 2, sharex=True, squeeze=False)
        for number, (method, (left, right)) in enumerate(zip(methods, axes, strict=True)):
            style.token_curves(left, returns[returns["method"] == method], "mu", mus)
            sns.despine(ax=left)
            looks += _beta_panel(right, betas[betas["method"] == method], initial)
            name = METHODS[method].name
            left.set_title(rf"({_letter(2 * number)}) {name}, every $\mu$", pad=4)
            right.set_title(rf"({_letter(2 * number + 1)}) {name}, $\mu = {label(mu)}$", pad=4)
            left.set_ylabel(style.RETURN)
            right.set_ylabel("Mean β (log step-size)")
            if number:
                left.sharey(axes[0, 0])
        style.episode_axis(axes[0, 0], table)
        axes[0, 0].set_ylim(*style.value_range(returns))
        for panel in axes[-1]:
            panel.set_xlabel(style.EPISODE)
        handles = [
            _heading(r"Left: $\mu$"),
            *style.token_handles(mus),
            _heading("\nRight: β of"),
            *(
                style.line_handle(look.colour, style.as_line_style(look.dashes), look.name, width=_width(look, 1.6))
                for look in (_ALIKE, *_GROUPS.values(), _INITIAL)
                if look in looks
            ),
        ]
        style.shared_legend(figure, handles, "")
    return figure


def drawn_table(curves: pd.DataFrame, beta: pd.DataFrame, mu: str) -> pd.DataFrame:
    """All that the figure draws, one row per point: the table to save next to it.

    Returns:
      shows (return or beta), environment, method, alpha, mu, drift, group ("" for a return), episode,
      mean, low, high, runs; returns first, by method, μ (descending), group and episode.

    Raises:
      ValueError: several environments, α or drifts, a method without a curve or without β at `mu`, or a
        group that the figure does not have.
    """
    style.only(pd.concat([curves, beta]), ("environment", "alpha", "drift"))
    at_mu = beta[beta["mu"] == mu]
    left, right = (style.in_order(frame["method"]) for frame in (curves, at_mu))
    if left != right:
        raise ValueError(
            f"a figure shows the same methods left and right, not {', '.join(left)}"
            f" and, with β at μ {mu}, {', '.join(right) or 'none'}"
        )
    unknown = sorted(set(at_mu["group"]) - set(_GROUPS))
    if unknown:
        raise ValueError(f"a figure shows the groups {', '.join(_GROUPS)}, not {', '.join(unknown)}")
    orders = {"method": left, "mu": style.descending([*curves["mu"], mu]), "group": ["", *_GROUPS]}
    halves = [
        style.in_orders(half[["shows", *_KEYS]], orders, "episode")
        for half in (curves.assign(shows="return", group=""), at_mu.assign(shows="beta"))
    ]
    return pd.concat(halves, ignore_index=True)


def _heading(text: str) -> Line2D:
    """An entry of the legend with text only."""
    return Line2D([], [], ls="", label=text)


def _letter(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[number]


def _width(look: Look, width: float) -> float:
    """The width of a line: thinner for the visited and for the initial β."""
    return 0.7 * width if look is _INITIAL or look.dashes == _VISITED_DASHES else width


def _beta_panel(axes: Axes, rows: pd.DataFrame, initial: float) -> list[Look]:
    """Draws the groups; returns what the legend must explain."""
    axes.axhline(initial, color=_INITIAL.colour, lw=_width(_INITIAL, 1.3), zorder=1.5, label="initial")
    groups = {group: rows[rows["group"] == group] for group in _GROUPS if group in set(rows["group"])}
    if len(groups) > 1 and _alike(list(groups.values())):
        groups, looks = {"all": next(iter(groups.values()))}, {"all": _ALIKE}
    else:
        looks = {group: _GROUPS[group] for group in groups}
    for group, curve in groups.items():
        look = looks[group]
        line_style = style.as_line_style(look.dashes)
        style.curve(axes, curve, colour=look.colour, line_style=line_style, label=group, width=_width(look, 1.3))
    axes.set_ylim(*style.value_range(rows, initial))
    sns.despine(ax=axes)
    return [_INITIAL, *looks.values()]


def _alike(groups: list[pd.DataFrame]) -> bool:
    """Whether all groups always have the same β, apart from the rounding of their means."""
    first, *others = (group[["episode", "mean", "low", "high"]].to_numpy() for group in groups)
    return all(
        other.shape == first.shape and np.allclose(other, first, rtol=1e-9, atol=0, equal_nan=True) for other in others
    )
