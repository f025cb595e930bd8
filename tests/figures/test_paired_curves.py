import numpy as np
import pandas as pd
import pytest
from made_tables import JOB, make
from marks import slow

from metatrace.figures import paired_curves, style
from metatrace.numbers import label

ALPHAS = [f"2^-{k}" for k in range(3, 14)]
MUS = [f"2^-{k}" for k in range(7, 16)]


def made(alphas=ALPHAS, mus=MUS, methods=("nosid", "scalar"), **options):
    return pd.concat([make(method, alphas, mus, **options).curves for method in methods])


def draw(curves):
    return paired_curves.draw(paired_curves.drawn_table(curves), JOB)


def test_panels_show_both_methods_at_the_ends_and_the_middle_of_alpha(check_texts):
    curves = made()
    figure = draw(curves.sample(frac=1, random_state=0))
    shown = ["2^-7", "2^-9", "2^-10", "2^-12", "2^-13", "2^-15"]
    assert [axes.get_title() for axes in figure.axes] == [rf"$\mu = {label(mu)}$" for mu in shown]
    for axes, mu in zip(figure.axes, shown, strict=True):
        pairs = [(method, alpha) for alpha in ("2^-3", "2^-8", "2^-13") for method in ("scalar", "nosid")]
        assert len(axes.lines) == len(axes.collections) == len(pairs)
        for line, (method, alpha) in zip(axes.lines, pairs, strict=True):
            assert line.get_label() == method
            at = (curves["mu"] == mu) & (curves["alpha"] == alpha) & (curves["method"] == method)
            np.testing.assert_array_equal(line.get_xydata(), curves.loc[at, ["episode", "mean"]])
    check_texts(figure)


def test_a_colour_is_an_alpha_and_a_line_style_a_method():
    lines = draw(made()).axes[0].lines
    assert [line.get_color() for line in lines] == [c for c in style.palette(3) for _ in range(2)]
    assert [line.is_dashed() for line in lines] == [False, True] * 3


def test_table_is_the_drawn_rows():
    curves = made()
    table = paired_curves.drawn_table(curves)
    assert len(table) == 6 * 3 * 2 * 12
    assert len(table.merge(curves)) == len(table)
    assert list(table["mu"].unique()) == ["2^-7", "2^-9", "2^-10", "2^-12", "2^-13", "2^-15"]


@pytest.mark.parametrize(
    "options",
    [
        {"seeds": 1, "episodes": 1},
        slow({"alphas": ["2^-10"]}),
        {"mus": ["0.001"]},
        slow({"mus": MUS[:4]}),
        slow({"mus": MUS[:2]}),
    ],
)
def test_draws_small_scales(options, check_texts):
    check_texts(draw(made(**options)))


def test_evenly_keeps_the_ends():
    assert paired_curves._evenly(ALPHAS, 3) == ["2^-3", "2^-8", "2^-13"]
    assert paired_curves._evenly(ALPHAS[:3], 6) == ALPHAS[:3]
