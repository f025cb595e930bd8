"""Figures 8 and 9: which panels, lines and words there are, and that the table is what is drawn."""

import numpy as np
import pandas as pd
import pytest

from metatrace.analysis import games as tables
from metatrace.figures import games, style
from metatrace.numbers import label
from metatrace.results import Run, grid_of_runs

ALPHAS = ["2^-9", "2^-7", "2^-10"]  # in no order
FRAMES = 3000


def made(environments=("seaquest", "asterix"), methods=("mixed", "none"), *, seeds=2, ends=10, frames=FRAMES):
    """Curves, settings and best constants of runs with `ends` episodes each."""
    rng = np.random.default_rng(5)
    runs = []
    for run in grid_of_runs(environments, methods, ALPHAS, ["0.001"], ["0"], range(seeds)):
        at = np.sort(rng.choice(np.arange(1, frames), ends, replace=False))
        returns = rng.uniform(0, 1000 if run.environment == "asterix" else 10, ends)
        meta = {"observed_frames": frames}
        runs.append(Run(run, returns, np.ones(ends, np.int64), meta, frames=at, entropy=np.ones(ends)))
    scores = tables.scores(runs, frames=frames, window=4, final=3).sort_values(
        "environment", key=lambda column: column.map(list(environments).index), kind="stable"
    )
    settings = tables.settings(scores)
    return tables.curves(runs, frames=frames, window=4), settings, tables.best_constant(settings)


def draw(made, frames=FRAMES):
    return games.draw(*made, title="A title", note="A note", frames=frames)


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def test_several_games_have_a_row_each_and_methods_a_column(check_texts):
    curves, settings, best = made()
    figure = draw((curves.sample(frac=1, random_state=0), settings, best))
    grid = np.array(figure.axes).reshape(2, 2)
    assert [axes.get_ylabel() for axes in grid[:, 0]] == ["seaquest\nReturn", "asterix\nReturn"]
    assert [axes.get_title(loc="left") for axes in grid[0]] == ["No tuning", "Mixed"]
    for row, game in zip(grid, ("seaquest", "asterix"), strict=True):
        for axes, method in zip(row, ("none", "mixed"), strict=True):
            expected = ["2^-7", "2^-9", "2^-10"] + [games.BEST_CONSTANT] * (method == "mixed")
            assert list(lines(axes)) == expected
            for alpha in expected[:3]:
                here = (curves["environment"] == game) & (curves["method"] == method)
                rows = curves[here & (curves["alpha"] == alpha)].sort_values("frame")
                np.testing.assert_array_equal(lines(axes)[alpha].get_xydata(), rows[["frame", "mean"]])
    # Returns are alike in a row alone, frames in all panels.
    assert grid[0, 0].get_ylim() == grid[0, 1].get_ylim() != grid[1, 0].get_ylim() == grid[1, 1].get_ylim()
    assert {axes.get_xlim() for axes in figure.axes} == {(0, FRAMES)}
    check_texts(figure)


def test_one_game_has_a_panel_a_method_with_axes_alike(check_texts):
    figure = draw(made(["freeway"], ["vector", "none", "mixed", "scalar"]))
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["No tuning", "Scalar", "Vector", "Mixed"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        f"${label(a)}$" for a in sorted(ALPHAS, key=lambda a: -eval(a.replace("^", "**")))
    ]
    check_texts(figure)


def test_panels_with_tuning_show_and_name_the_best_constant_step_size():
    curves, settings, best = made()
    figure = draw((curves, settings, best))
    for row, game in zip(np.array(figure.axes).reshape(2, 2), ("seaquest", "asterix"), strict=True):
        assert row[0].get_legend() is None
        (alpha,) = best.loc[best["environment"] == game, "alpha"]
        line = lines(row[1])[games.BEST_CONSTANT]
        assert line.get_color() == style.REFERENCE_COLOUR
        np.testing.assert_array_equal(line.get_xydata(), lines(row[0])[alpha].get_xydata())
        (text,) = row[1].get_legend().get_texts()
        assert text.get_text() == rf"best constant $\alpha = {label(alpha)}$"


def test_without_untuned_runs_there_is_no_reference():
    figure = draw(made(methods=["mixed", "scalar"]))
    assert all(games.BEST_CONSTANT not in lines(axes) and axes.get_legend() is None for axes in figure.axes)


@pytest.mark.parametrize("seeds, bands", [(1, 0), (2, 3)])
def test_bands_are_there_where_there_are_several_seeds(seeds, bands):
    figure = draw(made(["freeway"], ["none"], seeds=seeds))
    assert [len(axes.collections) for axes in figure.axes] == [bands]


def test_where_no_episode_ended_the_panels_are_there_and_say_so(check_texts):
    curves, settings, best = made(ends=0)
    assert curves.empty and len(settings) == 2 * 2 * 3
    figure = draw((curves, settings, best))
    assert len(figure.axes) == 4
    for axes in figure.axes:
        assert not axes.lines and [text.get_text() for text in axes.texts] == ["no episode has ended"]
        assert axes.get_xlim() == (0, FRAMES)
    check_texts(figure)


@pytest.mark.parametrize(
    "frames, last", [(600, "600"), (3000, "3k"), (200_000, "200k"), (12_500_000, "12.5M")], ids=str
)
def test_frames_are_read_at_a_glance(check_texts, frames, last):
    figure = draw(made(frames=frames), frames)
    figure.draw_without_rendering()
    labels = [text.get_text() for text in figure.axes[-1].get_xticklabels()]
    assert labels[0] == "0" and labels[-1] == last and 3 <= len(labels) <= 6
    check_texts(figure)


def test_the_table_is_what_is_drawn():
    curves, settings, best = made()
    table, figure = games.drawn_table(curves, best), draw((curves, settings, best))
    drawn = {
        (game, method, name, *point)
        for axes, (game, method) in zip(
            figure.axes, [(g, m) for g in ("seaquest", "asterix") for m in ("none", "mixed")], strict=True
        )
        for name, line in lines(axes).items()
        for point in line.get_xydata()
    }
    told = {
        (
            row.environment,
            row.panel_method,
            row.alpha if row.role == games.CURVE else row.role,
            float(row.frame),
            row.mean,
        )
        for row in table.itertuples()
    }
    assert drawn == told and len(told) == len(table)


def test_tables_that_one_figure_cannot_tell_apart_are_refused():
    curves, _, best = made()
    with pytest.raises(ValueError, match="one mu"):
        games.drawn_table(pd.concat([curves, curves.assign(mu="2^-3")]), best)
    with pytest.raises(ValueError, match="one best constant α of asterix"):
        games.drawn_table(curves, pd.concat([best, best.assign(alpha="2^-3")]))


def test_the_same_tables_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        style.save(draw(made()), tmp_path / name)
    for suffix in ("svg", "pdf", "png"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
