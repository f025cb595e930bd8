import numpy as np
import pandas as pd
import pytest
from made_tables import JOB, make_drifting
from marks import slow
from matplotlib.backends.backend_agg import FigureCanvasAgg

from metatrace import methods as registry
from metatrace.domains.registry import methods_of
from metatrace.figures import best_mu, style
from metatrace.numbers import label

METHODS = ["none", "scalar", "vector", "mixed"]
DRIFTS = ["4e-6", "6e-6", "8e-6", "1e-5"]  # as text, the last would come first
MUS = [f"2^-{k}" for k in range(6, 13)]


def made(methods=METHODS, drifts=DRIFTS, mus=MUS, **options):
    curves, best, _ = make_drifting(methods, drifts, mus, **options)
    return curves, best


def draw(curves, best):
    return best_mu.draw(best_mu.drawn_table(curves, best), JOB)


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def rows_of(curves, best, method, drift):
    """The rows of the best μ, and that μ."""
    (mu,) = best.loc[(best["method"] == method) & (best["drift"] == drift), "mu"]
    here = (curves["method"] == method) & (curves["drift"] == drift) & (curves["mu"] == mu)
    return curves[here].sort_values("episode"), mu


def check_strips(figure):
    """Fails where the best μ above a panel cover it, its title or the panel above."""
    canvas = FigureCanvasAgg(figure)
    with style.theme():
        canvas.draw()
    renderer = canvas.get_renderer()
    panels = [axes.get_window_extent(renderer) for axes in figure.axes]
    for axes, panel in zip(figure.axes, panels, strict=True):
        strip, title = (part.get_window_extent(renderer) for part in (axes.get_legend(), axes.title))
        # The layout's last digit is not the same in every process.
        assert panel.y1 - 0.01 <= strip.y0 and strip.y1 <= title.y0
        assert panel.x0 <= strip.x0 and strip.x1 <= panel.x1
        assert not any(strip.overlaps(other) for other in panels if other is not panel)


def test_every_panel_draws_and_names_the_best_mu_of_each_method(check_texts):
    curves, best = made()
    assert best.groupby("method")["mu"].nunique()["mixed"] > 1  # the best is not the same everywhere
    figure = draw(curves.sample(frac=1, random_state=0), best.sample(frac=1, random_state=0))
    assert [axes.get_title() for axes in figure.axes] == [
        rf"Drift rate ${label(drift)}$, best $\mu$:" for drift in DRIFTS
    ]
    for axes, drift in zip(figure.axes, DRIFTS, strict=True):
        assert list(lines(axes)) == METHODS
        assert len(axes.collections) == len(METHODS)
        named = []
        for method, line in lines(axes).items():
            rows, mu = rows_of(curves, best, method, drift)
            np.testing.assert_array_equal(line.get_xydata(), rows[["episode", "mean"]])
            named.append((f"${label(mu)}$", line.get_color(), line.get_linestyle()))
        strip = axes.get_legend()
        handles = strip.legend_handles
        assert named[1:] == [
            (text.get_text(), handle.get_color(), handle.get_linestyle())
            for text, handle in zip(strip.get_texts(), handles, strict=True)
        ]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["no tuning", "scalar", "vector", "mixed"]
    drawn = figure.axes[0].lines
    assert [h.get_color() for h in legend.legend_handles] == [line.get_color() for line in drawn]
    check_texts(figure)
    check_strips(figure)


def test_untuned_is_dashed_black_and_methods_look_alike_in_every_figure():
    assert len({registry.METHODS[method].dashes for method in METHODS}) == len(METHODS)
    alone = draw(*made(["none", "mixed"], DRIFTS[:1])).axes[0]
    for method, line in lines(alone).items():
        assert line.get_color() == registry.METHODS[method].colour
    assert lines(alone)["none"].get_color() == "#000000" and lines(alone)["none"].is_dashed()


def test_table_is_the_drawn_rows_in_order():
    curves, best = made()
    table = best_mu.drawn_table(curves.sample(frac=1, random_state=0), best.sample(frac=1, random_state=0))
    expected = [rows_of(curves, best, method, drift)[0] for drift in DRIFTS for method in METHODS]
    pd.testing.assert_frame_equal(table, pd.concat(expected, ignore_index=True))


def test_panels_share_axes_that_hold_every_line_and_band_of_the_best():
    curves, best = made()
    figure, table = draw(curves, best), best_mu.drawn_table(curves, best)
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
    low, high = figure.axes[0].get_ylim()
    assert low < table["low"].min() and high > table["high"].max()
    assert figure.axes[0].get_xlim() == (1, 12)


@pytest.mark.parametrize("panels", [1, slow(2), slow(3), 5])
def test_texts_fit_with_other_numbers_of_drifts(panels, check_texts):
    figure = draw(*made(drifts=[*DRIFTS, "2e-5"][:panels]))
    assert len(figure.axes) == panels
    assert all(axes.get_xlabel() == "Training episode" for axes in figure.axes[-min(panels, 2) :])
    check_texts(figure)
    check_strips(figure)


def test_texts_fit_with_every_method(check_texts):
    methods = methods_of("drifting_mountain_car")
    figure = draw(*made(methods, DRIFTS, ["0.0015"]))
    assert list(lines(figure.axes[0])) == methods
    check_texts(figure)
    check_strips(figure)


def test_where_methods_have_several_step_sizes_the_best_is_named_too(check_texts):
    figure = draw(*made(["none", "mixed", "adam"], DRIFTS, MUS, alphas=("2^-5", "2^-10")))
    for axes in figure.axes:
        names = [text.get_text() for text in axes.get_legend().get_texts()]
        assert [name.count("$") for name in names] == [2, 4, 2]
        assert axes.get_title().endswith(r"best $\alpha$ (and $\mu$):")
    check_texts(figure)
    check_strips(figure)


def test_untuned_alone_names_no_mu(check_texts):
    figure = draw(*made(["none"], DRIFTS[:1]))
    (axes,) = figure.axes
    assert axes.get_title() == rf"Drift rate ${label(DRIFTS[0])}$" and axes.get_legend() is None
    assert list(lines(axes)) == ["none"]
    check_texts(figure)


def test_no_band_where_the_interval_is_unknown(check_texts):
    figure = draw(*made(["mixed"], DRIFTS[:1], seeds=1, episodes=1))
    (axes,) = figure.axes
    assert list(lines(axes)) == ["mixed"] and not axes.collections
    assert lines(axes)["mixed"].get_marker() == "o"  # or one episode would show nothing
    assert [tick for tick in axes.get_xticks() if 0.5 <= tick <= 1.5] == [1]
    check_texts(figure)
