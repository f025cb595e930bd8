"""Figures 8 and 9: which panels, lines and words there are, and that the table is what is drawn."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made_tables import JOB
from marks import slow
from matplotlib.backends.backend_agg import FigureCanvasAgg

from metatrace.analysis import aggregate
from metatrace.analysis import games as tables
from metatrace.figures import games, style
from metatrace.numbers import label
from metatrace.runs.key import grid_of_runs
from metatrace.runs.results import Run

ALPHAS = ["2^-9", "2^-7", "2^-10"]  # in no order
DOWNWARD = ["2^-7", "2^-9", "2^-10"]
SWEEP = [f"2^-{k}" for k in range(6, 14)]
TWO = ("seaquest", "asterix")  # not in the order of the alphabet
FIVE = ("space_invaders", "seaquest", "asterix", "beam_rider", "freeway")
METHODS = ["none", "scalar", "vector", "mixed"]
FRAMES = 3000
NO_LINE = "too few episodes ended for a line"


def made(environments=TWO, methods=("mixed", "none"), *, alphas=ALPHAS, seeds=2, ends=10, frames=FRAMES):
    """Curves, settings and best constants of runs with `ends` episodes each."""
    rng = np.random.default_rng(5)
    runs = []
    for run in grid_of_runs(environments, methods, alphas, ["0.001"], ["0"], range(seeds)):
        at = np.sort(rng.choice(np.arange(1, frames), ends, replace=False))
        returns = rng.uniform(0, 1000 if run.environment == "asterix" else 10, ends)
        meta = {"observed_frames": frames}
        runs.append(Run(run, returns, np.ones(ends, np.int64), meta, frames=at, entropy=np.ones(ends)))
    job = SimpleNamespace(length=frames, smoothing=4, final=3, failed_return=dict.fromkeys(environments, 0.0))
    scores = tables.scores(job, runs).sort_values(
        "environment", key=lambda column: column.map(list(environments).index), kind="stable"
    )
    settings = aggregate.settings(scores)
    curves = tables.curves(job, runs)
    return curves, settings, tables.best_constant(settings)


def draw(made, frames=FRAMES):
    _, settings, _ = made
    return games.draw(games.drawn_table(*made), settings, replace(JOB, facts={"length": frames}))


def with_best(made, **alphas):
    """The same with other best constants."""
    curves, settings, best = made
    return curves, settings, best.assign(alpha=best["environment"].map(alphas))


def without(made, **values):
    """The same where too few episodes ended of the settings with these values."""
    curves, settings, best = made
    return curves[(curves[list(values)] != pd.Series(values)).any(axis=1)], settings, best


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def words(axes):
    return [text.get_text() for text in axes.texts]


def grid(figure, columns=2):
    return np.array(figure.axes).reshape(-1, columns)


def legend_texts(legend):
    return [text.get_text() for text in legend.get_texts()]


def rows_of(curves, game, method, alpha):
    here = (curves["environment"] == game) & (curves["method"] == method) & (curves["alpha"] == alpha)
    return curves[here].sort_values("frame")


def check_panels(figure):
    """Fails where panels differ in size, or where what is above or in one meets a title or leaves it."""
    canvas = FigureCanvasAgg(figure)
    with style.theme():
        canvas.draw()
    renderer = canvas.get_renderer()
    panels = [axes.get_window_extent(renderer) for axes in figure.axes]
    np.testing.assert_allclose([panel.size for panel in panels], [panels[0].size] * len(panels), atol=0.1)
    for axes, panel in zip(figure.axes, panels, strict=True):
        title = axes._left_title.get_window_extent(renderer)
        others = [other for other in panels if other is not panel]
        assert not any(title.overlaps(other) for other in others)
        for text in axes.texts:
            box = text.get_window_extent(renderer)
            assert panel.x0 <= box.x0 and box.x1 <= panel.x1 and panel.y0 <= box.y0 and box.y1 <= panel.y1
        if strip := axes.get_legend():
            box = strip.get_window_extent(renderer)
            # The layout's last digit is not the same in every process.
            assert panel.y1 - 0.01 <= box.y0 and panel.x0 <= box.x0 and box.x1 <= panel.x1 + 0.01
            assert not (axes.get_title(loc="left") and box.overlaps(title))
            assert not any(box.overlaps(other) for other in others)


def test_several_games_have_a_row_each_and_methods_a_column(check_texts):
    curves, settings, best = made()
    figure = draw((curves.sample(frac=1, random_state=0), settings, best))
    assert [axes.get_ylabel() for axes in figure.axes] == ["seaquest", "", "asterix", ""]
    assert figure.get_supylabel() == "Return (trailing mean)"
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["No tuning", "Mixed", "", ""]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", *["Observed frames"] * 2]
    for row, game in zip(grid(figure), TWO, strict=True):
        for axes, method in zip(row, ("none", "mixed"), strict=True):
            assert list(lines(axes)) == DOWNWARD + [games.BEST_CONSTANT] * (method == "mixed")
            for alpha in DOWNWARD:
                rows = rows_of(curves, game, method, alpha)
                np.testing.assert_array_equal(lines(axes)[alpha].get_xydata(), rows[["frame", "mean"]])
    check_texts(figure)
    check_panels(figure)


def test_games_share_frames_and_only_a_row_its_returns():
    made_tables = made()
    figure, table = draw(made_tables), games.drawn_table(*made_tables)
    ranges = [[axes.get_ylim() for axes in row] for row in grid(figure)]
    assert ranges[0][0] == ranges[0][1] != ranges[1][0] == ranges[1][1]
    for game, ((low, high), _) in zip(TWO, ranges, strict=True):
        rows = table[table["environment"] == game]
        assert low < rows["low"].min() and high > rows["high"].max()
    # Those of the one game would flatten the other's.
    assert ranges[0][0][1] < 20 and ranges[1][0][1] > 500
    assert {axes.get_xlim() for axes in figure.axes} == {(0, FRAMES)}


def test_one_game_has_a_panel_a_method_with_axes_alike(check_texts):
    figure = draw(made(["seaquest"], METHODS[::-1], alphas=SWEEP[::-1], seeds=1))
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["No tuning", "Scalar", "Vector", "Mixed"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["Return (trailing mean)", ""] * 2
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
    assert all(list(lines(axes))[:8] == SWEEP for axes in figure.axes)
    check_texts(figure)
    check_panels(figure)


def test_alpha_looks_alike_in_all_panels_and_in_the_legend():
    figure = draw(made(["seaquest"], METHODS, alphas=SWEEP))
    (legend,) = figure.legends
    assert legend_texts(legend)[:8] == [f"${label(alpha)}$" for alpha in SWEEP]
    for i, alpha in enumerate(SWEEP):
        drawn = [lines(axes)[alpha] for axes in figure.axes]
        looks = {(line.get_color(), line.get_linestyle()) for line in [*drawn, legend.legend_handles[i]]}
        assert len(looks) == 1
    assert len({handle.get_color() for handle in legend.legend_handles}) == len(SWEEP) + 1


def test_panels_with_tuning_alone_show_the_best_constant():
    figure = draw(with_best(made(methods=METHODS), seaquest="2^-10", asterix="2^-7"))
    for row, alpha in zip(grid(figure, 4), ("2^-10", "2^-7"), strict=True):
        assert list(lines(row[0])) == DOWNWARD
        for axes in row[1:]:
            line = lines(axes)[games.BEST_CONSTANT]
            assert line.get_color() == "#000000" and line.is_dashed()
            np.testing.assert_array_equal(line.get_xydata(), lines(row[0])[alpha].get_xydata())


def test_best_constant_is_named_in_the_legend_where_it_is_the_same_for_all(check_texts):
    figure = draw(with_best(made(), seaquest="2^-9", asterix="2^-9"))
    (legend,) = figure.legends
    assert legend_texts(legend)[3:] == ["best constant,\n$\\alpha = 2^{-9}$"]
    line, handle = lines(figure.axes[1])[games.BEST_CONSTANT], legend.legend_handles[3]
    assert handle.get_color() == line.get_color() and handle.is_dashed()
    assert all(axes.get_legend() is None for axes in figure.axes)
    check_texts(figure)


def test_best_constants_that_differ_are_named_above_their_panels(check_texts):
    alphas = dict(zip(FIVE, ("2^-9", "2^-7", "2^-9", "2^-10", "2^-9"), strict=True))
    figure = draw(with_best(made(FIVE), **alphas))
    assert legend_texts(figure.legends[0]) == [f"${label(alpha)}$" for alpha in DOWNWARD]
    for (untuned, tuned), alpha in zip(grid(figure), alphas.values(), strict=True):
        assert untuned.get_legend() is None
        strip, line = tuned.get_legend(), lines(tuned)[games.BEST_CONSTANT]
        assert legend_texts(strip) == [rf"best constant $\alpha = {label(alpha)}$"]
        (handle,) = strip.legend_handles
        assert handle.get_color() == line.get_color() and handle.is_dashed()
    check_texts(figure)
    check_panels(figure)


def test_without_untuned_runs_there_is_no_reference():
    tuned = made(methods=["mixed", "scalar"])
    assert tuned[2].empty
    figure = draw(tuned)
    assert [list(lines(axes)) for axes in figure.axes] == [DOWNWARD] * 4
    assert len(legend_texts(figure.legends[0])) == 3


@pytest.mark.parametrize("seeds, bands", [(1, 0), (2, 3)])
def test_bands_are_there_where_there_are_several_seeds(seeds, bands):
    figure = draw(made(["freeway"], ["none"], seeds=seeds))
    assert [len(axes.collections) for axes in figure.axes] == [bands]


def test_a_setting_without_a_curve_keeps_its_colour_and_its_place_in_the_legend():
    whole = with_best(made(), seaquest="2^-9", asterix="2^-9")
    figure, other = draw(without(whole, method="mixed", alpha="2^-7")), draw(whole)
    assert list(lines(figure.axes[1])) == ["2^-9", "2^-10", games.BEST_CONSTANT]
    assert lines(figure.axes[1])["2^-9"].get_color() == lines(other.axes[1])["2^-9"].get_color()
    # Also where no panel has it.
    alone = draw(without(whole, alpha="2^-7"))
    assert legend_texts(alone.legends[0]) == legend_texts(other.legends[0])
    assert not any(words(axes) for axes in [*figure.axes, *alone.axes])


@pytest.mark.parametrize("environments, methods", [(TWO, ("none", "mixed")), (["seaquest"], METHODS)])
def test_where_no_episode_ended_the_panels_are_there_and_say_so(environments, methods, check_texts):
    curves, settings, best = made(environments, methods, ends=0)
    assert curves.empty and len(best) == len(environments)
    for other in (best, best.iloc[:0]):
        figure = draw((curves, settings, other))
        assert len(figure.axes) == 4
        for axes in figure.axes:
            assert not axes.lines and words(axes) == [NO_LINE]
            # Numbers would look like returns.
            assert axes.get_xlim() == (0, FRAMES) and not len(axes.get_yticks())
        assert len(legend_texts(figure.legends[0])) == 3
        check_texts(figure)
        check_panels(figure)


def test_a_game_without_a_curve_leaves_the_others_as_they_are():
    whole = made()
    figure = draw(without(whole, environment="seaquest"))
    assert [words(axes) for axes in figure.axes] == [[NO_LINE], [NO_LINE], [], []]
    assert [len(axes.get_yticks()) > 0 for axes in figure.axes] == [False, False, True, True]
    assert figure.axes[2].get_ylim() == draw(whole).axes[2].get_ylim()


def test_a_panel_with_nothing_but_the_best_constant_says_that_its_own_lines_lack(check_texts):
    some = without(with_best(made(), seaquest="2^-9", asterix="2^-9"), method="mixed")
    figure = draw(some)
    for untuned, tuned in grid(figure):
        assert list(lines(tuned)) == [games.BEST_CONSTANT] and words(tuned) == [NO_LINE]
        assert not words(untuned)
        assert tuned.texts[0].get_zorder() < min(part.get_zorder() for part in [*tuned.lines, *tuned.collections])
    check_texts(figure)
    check_panels(figure)


@pytest.mark.parametrize(
    "frames, expected",
    [
        slow(600, ["0", "200", "400", "600"]),
        (3000, ["0", "1k", "2k", "3k"]),
        slow(200_000, ["0", "50k", "100k", "150k", "200k"]),
        slow(1_000_000, ["0", "200k", "400k", "600k", "800k", "1M"]),
        (12_500_000, ["0", "2.5M", "5M", "7.5M", "10M", "12.5M"]),
    ],
)
def test_frames_are_read_at_a_glance(check_texts, frames, expected):
    figure = draw(made(frames=frames), frames)
    figure.draw_without_rendering()
    assert [text.get_text() for text in figure.axes[-1].get_xticklabels()] == expected
    check_texts(figure)


@pytest.mark.parametrize(
    "environments, methods, options",
    [
        (FIVE, ["none", "mixed"], {"seeds": 1, "frames": 12_500_000}),
        slow(TWO, METHODS, {"seeds": 1}),
        slow(["seaquest"], ["none", "mixed", "mixed-unnormalized"], {}),
        (["seaquest"], ["none"], {"alphas": ["0.0015"], "seeds": 1, "ends": 1}),
    ],
)
def test_texts_fit_with_other_numbers_of_panels(environments, methods, options, check_texts):
    figure = draw(made(environments, methods, **options), options.get("frames", FRAMES))
    assert len(figure.axes) == len(environments) * len(methods)
    check_texts(figure)
    check_panels(figure)


def test_titles_have_the_names_of_the_methods():
    figure = draw(made(["seaquest"], ["mixed-unnormalized", "sid"]))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Mixed, unnormalized", "SID"]


@pytest.mark.parametrize(
    "gone",
    [{"alpha": "2^-20"}, {"method": "mixed"}, {"environment": "seaquest"}],
    ids=["nothing", "method", "game"],
)
def test_the_table_is_what_is_drawn(gone):
    curves, settings, best = without(made(), **gone)
    table, figure = games.drawn_table(curves, settings, best), draw((curves, settings, best))
    places = [(game, method) for game in TWO for method in ("none", "mixed")]
    drawn = [
        (game, method, name, *point)
        for axes, (game, method) in zip(figure.axes, places, strict=True)
        for name, line in lines(axes).items()
        for point in line.get_xydata()
    ]
    told = [
        (
            row.environment,
            row.panel_method,
            row.alpha if row.role == games.CURVE else row.role,
            float(row.frame),
            row.mean,
        )
        for row in table.itertuples()
    ]
    assert told == drawn and len(told) > len(curves)


def test_the_table_is_the_rows_of_the_curves_in_order():
    curves, settings, best = with_best(made(methods=METHODS), seaquest="2^-10", asterix="2^-7")
    table = games.drawn_table(curves.sample(frac=1, random_state=0), settings, best)
    assert [*table.columns] == [*curves.columns, "panel_method", "role"]
    expected = []
    for game, chosen in zip(TWO, ("2^-10", "2^-7"), strict=True):
        for method in METHODS:
            own = pd.concat([rows_of(curves, game, method, alpha) for alpha in DOWNWARD])
            expected.append(own.assign(panel_method=method, role="curve"))
            if method != "none":
                reference = rows_of(curves, game, "none", chosen)
                expected.append(reference.assign(panel_method=method, role="best constant"))
    pd.testing.assert_frame_equal(table, pd.concat(expected, ignore_index=True))


def test_the_table_of_nothing_has_its_columns():
    curves, settings, best = made(ends=0)
    for known in (best, best.iloc[:0]):
        table = games.drawn_table(curves, settings, known)
        assert table.empty and [*table.columns] == [*curves.columns, "panel_method", "role"]


def test_the_same_tables_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        style.save(draw(made()), pd.DataFrame(), tmp_path / name)
    for suffix in ("svg", "pdf", "png"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_other_environments_have_the_same_panels_over_episodes(check_texts):
    environments = ("gymnasium:CartPole-v1", "gymnasium:Acrobot-v1")
    rng = np.random.default_rng(5)
    runs = [
        Run(run, rng.uniform(-200, 0, 30), np.ones(30, np.int64), {})
        for run in grid_of_runs(environments, ["mixed", "none", "adam"], ALPHAS, ["2^-8"], ["0"], range(2))
    ]
    made = aggregate.aggregate(runs, window=5, final=10, spread_alpha_max=2**-5)
    table = games.drawn_table(made.curves, made.settings, tables.best_constant(made.settings))
    figure = games.draw(table, made.settings, replace(JOB, facts={"length": 30}))
    assert [axes.get_ylabel() for axes in figure.axes[::3]] == ["Acrobot-v1", "CartPole-v1"]
    assert [axes.get_title(loc="left") for axes in figure.axes[:3]] == ["No tuning", "Mixed", "Adam"]
    assert figure.axes[-1].get_xlabel() == "Training episode" and figure.axes[0].get_xlim() == (0, 30)
    for axes in figure.axes:
        assert list(lines(axes))[:3] == DOWNWARD and lines(axes)["2^-7"].get_xdata().tolist() == list(range(1, 31))
    check_texts(figure)
