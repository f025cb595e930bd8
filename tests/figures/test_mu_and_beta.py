import math

import numpy as np
import pandas as pd
import pytest
from made_tables import JOB, make_drifting
from marks import slow

from metatrace.domains.mountain_car.settings import BETA_GROUPS
from metatrace.figures import mu_and_beta

METHODS = ["scalar", "vector", "mixed"]
MUS = [f"2^-{k}" for k in range(6, 13)]
MU = "2^-10"  # as text, it comes before 2^-6
GROUPS = [
    "value/informative",
    "value/informative/visited",
    "value/noisy",
    "policy/informative",
    "policy/informative/visited",
    "policy/noisy",
]


def made(methods=METHODS, drifts=("6e-6",), mus=MUS, **options):
    curves, _, beta = make_drifting(methods, drifts, mus, **options)
    return curves, beta


def draw(curves, beta):
    return mu_and_beta.draw(mu_and_beta.drawn_table(curves, beta, MU), JOB)


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def at(beta, method, group):
    return beta[(beta["method"] == method) & (beta["group"] == group) & (beta["mu"] == MU)]


def legend_texts(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_every_row_shows_all_mu_and_the_groups_at_one(check_texts):
    curves, beta = made()
    figure = draw(curves.sample(frac=1, random_state=0), beta.sample(frac=1, random_state=0))
    assert [axes.get_title() for axes in figure.axes] == [
        *(r"(a) scalar, every $\mu$", r"(b) scalar, $\mu = 2^{-10}$"),
        *(r"(c) vector, every $\mu$", r"(d) vector, $\mu = 2^{-10}$"),
        *(r"(e) mixed, every $\mu$", r"(f) mixed, $\mu = 2^{-10}$"),
    ]
    for left, right, method in zip(figure.axes[::2], figure.axes[1::2], METHODS, strict=True):
        assert list(lines(left)) == MUS and len(left.collections) == len(MUS)
        for mu, line in lines(left).items():
            rows = curves[(curves["method"] == method) & (curves["mu"] == mu)]
            np.testing.assert_array_equal(line.get_xydata(), rows[["episode", "mean"]])
        shown = {"all": GROUPS[0]} if method == "scalar" else dict(zip(GROUPS, GROUPS, strict=True))
        drawn = lines(right)
        assert set(drawn.pop("initial").get_ydata()) == {math.log(2**-10)}
        assert list(drawn) == list(shown) and len(right.collections) == len(shown)
        for name, line in drawn.items():
            np.testing.assert_array_equal(line.get_xydata(), at(beta, method, shown[name])[["episode", "mean"]])
    assert legend_texts(figure) == [
        r"Left: $\mu$",
        *(f"$2^{{-{k}}}$" for k in range(6, 13)),
        "\nRight: β of",
        "all groups alike",
        *("value, informative", "  of these, visited", "value, noisy"),
        *("policy, informative", "  of these, visited", "policy, noisy"),
        "initial β (log α)",
    ]
    check_texts(figure)


def test_legend_has_the_looks_of_the_lines():
    figure = draw(*made())
    (legend,) = figure.legends
    left, right = figure.axes[2:4]
    drawn = [*left.lines, *figure.axes[1].lines[1:], *right.lines[1:], right.lines[0]]
    handles = [handle for handle in legend.legend_handles if handle.get_linestyle() != "None"]
    assert [handle.get_color() for handle in handles] == [line.get_color() for line in drawn]
    assert [handle.is_dashed() for handle in handles] == [line.is_dashed() for line in drawn]


def test_visited_is_a_thinner_line_in_the_colour_of_its_informative_group():
    drawn = lines(draw(*made(["mixed"])).axes[1])
    colours = {drawn[f"{part}/informative"].get_color() for part in ("value", "policy")}
    assert len(colours) == 2
    for part in ("value", "policy"):
        informative, visited = drawn[f"{part}/informative"], drawn[f"{part}/informative/visited"]
        assert visited.get_color() == informative.get_color()
        assert visited.get_linewidth() < informative.get_linewidth()
        assert visited.is_dashed() and not informative.is_dashed()


def test_groups_that_differ_are_drawn_apart_whatever_the_method():
    curves, beta = made(["scalar"])
    # 1e-6 of a β is more than rounding.
    beta.loc[beta["group"] == "policy/noisy", "mean"] *= 1 + 1e-6
    assert [*lines(draw(curves, beta).axes[1])] == ["initial", *GROUPS]


def test_left_panels_share_axes_and_each_right_panel_has_its_own_beta():
    curves, beta = made(fall=75)
    figure = draw(curves, beta)
    left, right = figure.axes[::2], figure.axes[1::2]
    assert len({axes.get_ylim() for axes in left}) == 1
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    low, high = left[0].get_ylim()
    assert low < curves["low"].min() and high > curves["high"].max()
    for axes, method in zip(right, METHODS, strict=True):
        rows = beta[(beta["method"] == method) & (beta["mu"] == MU)]
        low, high = axes.get_ylim()
        assert low < rows["low"].min() and high > max(rows["high"].max(), math.log(2**-10))
    assert right[0].get_ylim()[0] > -12 and right[1].get_ylim()[0] < -75


def test_table_is_the_drawn_rows_in_order():
    curves, beta = made()
    table = mu_and_beta.drawn_table(curves.sample(frac=1, random_state=0), beta.sample(frac=1, random_state=0), MU)
    assert [*table.columns] == [
        *("shows", "environment", "method", "alpha", "mu", "drift", "group"),
        *("episode", "mean", "low", "high", "runs"),
    ]
    returns, betas = (table[table["shows"] == shown] for shown in ("return", "beta"))
    assert len(returns) + len(betas) == len(table) and (returns["group"] == "").all()
    expected = pd.concat(
        curves[(curves["method"] == method) & (curves["mu"] == mu)] for method in METHODS for mu in MUS
    )
    for frame, rows in (
        (returns, expected),
        (betas, pd.concat(at(beta, method, group) for method in METHODS for group in GROUPS)),
    ):
        shown = frame[list(rows.columns)].reset_index(drop=True)
        pd.testing.assert_frame_equal(shown, rows.reset_index(drop=True))


@pytest.mark.parametrize(
    "options",
    [
        {"seeds": 1},
        slow({"methods": ["scalar"]}),
        slow({"methods": ["mixed"]}),
        slow({"methods": METHODS[1:]}),
        slow({"methods": ["vector"], "mus": [MU]}),
        {"seeds": 1, "episodes": 1},
        slow({"fall": 75}),
        {"methods": ["mixed-unnormalized"], "mus": [f"2^-{k}" for k in range(3, 14)]},
    ],
)
def test_draws_small_scales(options, check_texts):
    figure = draw(*made(**options))
    assert len(figure.axes) == 2 * len(options.get("methods", METHODS))
    check_texts(figure)


def test_texts_fit_with_many_episodes(check_texts):
    curves, beta = made(["mixed"])
    check_texts(draw(curves.assign(episode=curves["episode"] * 1700), beta.assign(episode=beta["episode"] * 1700)))


def test_no_band_where_the_interval_is_unknown():
    figure = draw(*made(seeds=1))
    assert all(axes.lines and not axes.collections for axes in figure.axes)


def test_legend_has_no_entry_for_what_no_panel_shows():
    alone, apart = legend_texts(draw(*made(["scalar"]))), legend_texts(draw(*made(["vector"])))
    assert alone[-2:] == ["all groups alike", "initial β (log α)"] and "value, noisy" not in alone
    assert "value, noisy" in apart and "all groups alike" not in apart


def test_it_knows_every_group():
    assert sorted(GROUPS) == sorted(BETA_GROUPS)
