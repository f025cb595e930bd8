from dataclasses import replace

import numpy as np
import pytest
from made_tables import JOB, make
from marks import slow

from metatrace.figures import learning_curves

ALPHAS = [f"2^-{k}" for k in range(3, 14)]
MUS = [f"2^-{k}" for k in range(6, 12)]


def draw(curves):
    return learning_curves.draw(curves, JOB)


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def test_every_panel_line_band_and_legend_entry_is_there(check_texts):
    curves = make("scalar", ALPHAS, MUS).curves
    figure = draw(curves.sample(frac=1, random_state=0))  # in any order
    assert [axes.get_title() for axes in figure.axes] == [rf"$\mu = 2^{{-{k}}}$" for k in range(6, 12)]
    for axes, mu in zip(figure.axes, MUS, strict=True):
        assert list(lines(axes)) == ALPHAS
        assert len(axes.collections) == len(ALPHAS)
        for alpha, line in lines(axes).items():
            rows = curves[(curves["mu"] == mu) & (curves["alpha"] == alpha)]
            np.testing.assert_array_equal(line.get_xydata(), rows[["episode", "mean"]])
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"$2^{{-{k}}}$" for k in range(3, 14)]
    drawn = figure.axes[0].lines
    assert [h.get_color() for h in legend.legend_handles] == [line.get_color() for line in drawn]
    check_texts(figure)


def test_panels_share_axes_that_hold_every_line_and_band():
    curves = make("scalar", ALPHAS[:3], MUS).curves
    figure = draw(curves)
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
    low, high = figure.axes[0].get_ylim()
    assert low < curves["low"].min() and high > curves["high"].max()


def test_untuned_is_a_single_panel_without_mu(check_texts):
    figure = draw(make("none", ALPHAS, ["0"]).curves)
    (axes,) = figure.axes
    assert axes.get_title() == "" and len(axes.lines) == len(ALPHAS)
    check_texts(figure)


@pytest.mark.parametrize("panels", [2, slow(3), slow(4), 5])
def test_texts_fit_with_other_numbers_of_panels(panels, check_texts):
    figure = draw(make("scalar", ALPHAS[:3], MUS[:panels]).curves)
    assert len(figure.axes) == panels
    check_texts(figure)


def test_no_band_where_the_interval_is_unknown():
    figure = draw(make("scalar", ALPHAS[:2], MUS[:1], seeds=1).curves)
    assert len(figure.axes[0].lines) == 2 and not figure.axes[0].collections


def test_title_and_note_are_there_and_a_long_note_is_broken(check_texts):
    note = "A note of many words. " * 15
    figure = learning_curves.draw(make("scalar", ["2^-5"], ["2^-6"], episodes=1).curves, replace(JOB, note=note))
    assert figure.get_suptitle() == "A title"
    assert figure.texts[-1].get_text().replace("\n", " ") == note.strip()
    assert "\n" in figure.texts[-1].get_text()
    check_texts(figure)
