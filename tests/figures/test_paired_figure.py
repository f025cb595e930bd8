import numpy as np
import pandas as pd
import pytest
from made_tables import JOB, make
from marks import slow
from matplotlib.colors import to_rgb

from metatrace.analysis import paired as pairs
from metatrace.figures import paired, planes
from metatrace.numbers import label

ALPHAS = [f"2^-{k}" for k in range(3, 14)]
MUS = [f"2^-{k}" for k in range(7, 16)]


def made(alphas=ALPHAS, mus=MUS, **options):
    scores = [make(method, alphas, mus, **options).scores for method in ("nosid", "scalar")]
    return pairs.differences(pd.concat(scores), "nosid", "scalar")


def draw(differences):
    return paired.draw(paired.drawn_table(differences), JOB)


def texts(axes):
    """The text of each cell, by column and row."""
    return {(text.get_position()[0] - 0.5, text.get_position()[1] - 0.5): text for text in axes.texts}


def test_every_cell_shows_its_difference_with_its_sign_and_a_star_where_significant(check_texts):
    table = made(episodes=3)
    figure = draw(table.sample(frac=1, random_state=0))
    assert table["auc_significant"].any() and not table["auc_significant"].all()
    for axes, score in zip(figure.axes[:2], ("auc", "final"), strict=True):
        found = texts(axes)
        assert len(found) == len(table)
        for row in table.to_dict("records"):
            text = found[ALPHAS[::-1].index(row["alpha"]), MUS.index(row["mu"])]
            value, _, star = text.get_text().partition(" ")
            assert float(value.replace(planes.MINUS, "-")) == pytest.approx(row[f"{score}_difference"], abs=0.051)
            assert value[0] in f"+{planes.MINUS}" or value == "0.0"
            assert (star == "*", text.get_weight() == "bold") == (row[f"{score}_significant"],) * 2
        counted = f"* significant at {table[f'{score}_significant'].sum()} of {len(table)} settings"
        assert axes.get_title(loc="right") == counted
        assert axes.get_title(loc="left").endswith("NOSID minus scalar")
    assert [tick.get_text() for tick in figure.axes[1].get_yticklabels()] == [f"${label(mu)}$" for mu in MUS]
    check_texts(figure)


def test_colours_part_at_zero_and_their_range_holds_every_difference():
    table = made()
    largest = table[["auc_difference", "final_difference"]].abs().max().max()
    for axes in draw(table).axes[:2]:
        (mesh,) = axes.collections
        assert -mesh.norm.vmin == mesh.norm.vmax == largest
        assert mesh.norm(0) == 0.5
        assert min(to_rgb(mesh.cmap(0.5))) > 0.9


def test_colours_mean_the_same_in_both_panels():
    first, second = (axes.collections[0] for axes in draw(made()).axes[:2])
    assert (first.norm.vmin, first.cmap.name) == (second.norm.vmin, second.cmap.name)


def test_text_stands_out_from_its_cell():
    for axes in draw(made()).axes[:2]:
        (mesh,) = axes.collections
        colours = mesh.to_rgba(mesh.get_array())
        for (column, row), text in texts(axes).items():
            light = sorted(planes.luminance(c) for c in (colours[int(row), int(column)], text.get_color()))
            assert (light[1] + 0.05) / (light[0] + 0.05) >= 4.5


def test_table_is_what_is_drawn():
    table = made()
    drawn = paired.drawn_table(table)
    assert list(drawn["score"]) == ["auc"] * len(table) + ["final"] * len(table)
    for score, rows in drawn.groupby("score"):
        np.testing.assert_array_equal(
            rows[["difference", "low", "high", "significant"]],
            table[[f"{score}_{name}" for name in ("difference", "low", "high", "significant")]],
        )


@pytest.mark.parametrize(
    "options",
    [
        {"seeds": 1},
        slow({"alphas": ["2^-10"]}),
        slow({"mus": ["0.001"]}),
        {"alphas": [f"2^-{k}" for k in range(3, 33)]},
        slow({"alphas": ALPHAS[:2], "mus": MUS[:2]}),
    ],
)
def test_draws_other_scales(options, check_texts):
    check_texts(draw(made(**options)))


def test_methods_that_never_differ_have_a_scale_of_colours_all_the_same(check_texts):
    table = made(["2^-8"], ["2^-7", "2^-8"])
    zero = table.assign(auc_difference=0.0, final_difference=-0.01)
    figure = draw(zero)
    shown = {text.get_text().partition(" ")[0] for axes in figure.axes[:2] for text in axes.texts}
    assert shown == {"0.0"}
    check_texts(figure)
