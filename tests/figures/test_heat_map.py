import numpy as np
import pandas as pd
import pytest
from made_tables import JOB, make
from marks import slow
from matplotlib.patches import Rectangle

from metatrace.figures import heat_map, planes
from metatrace.numbers import label

ALPHAS = [f"2^-{k}" for k in range(3, 14)]
MUS = [f"2^-{k}" for k in range(6, 12)]
BELOW = len(MUS) + planes.GAP  # where the untuned row begins


def made(alphas=ALPHAS, mus=MUS, untuned=ALPHAS, **options):
    tuned, reference = make("scalar", alphas, mus, **options), make("none", untuned, ["0"], **options)
    return tuned.settings, reference.settings


def draw(settings, reference):
    return heat_map.draw(heat_map.drawn_table(settings, reference), JOB)


def numbers(axes):
    """The number in each cell, by its column and where its row begins."""
    return {
        (round(text.get_position()[0] - 0.5), round(text.get_position()[1] - 0.5, 6)): float(
            text.get_text().replace(planes.MINUS, "-")
        )
        for text in axes.texts
    }


def test_every_cell_shows_its_return_and_the_untuned_stand_below(check_texts):
    settings, reference = made()
    figure = draw(settings.sample(frac=1, random_state=0), reference.sample(frac=1, random_state=0))
    for axes, quantity in zip(figure.axes[:2], ("final", "auc"), strict=True):
        found = numbers(axes)
        assert len(found) == len(settings) + len(reference)
        for frame, begins in ((settings, MUS.index), (reference, lambda _: BELOW)):
            for row in frame.to_dict("records"):
                place = ALPHAS[::-1].index(row["alpha"]), begins(row["mu"])
                assert found[place] == pytest.approx(row[quantity], abs=0.051)
        names = [tick.get_text() for tick in axes.get_yticklabels()]
        assert names == [*(f"${label(mu)}$" for mu in MUS), "untuned"]
    check_texts(figure)


def test_the_best_of_the_tuned_is_framed():
    settings, reference = made()
    # The untuned are better everywhere, and are not framed all the same.
    figure = draw(settings, reference.assign(final=0.0, auc=0.0))
    for axes, quantity in zip(figure.axes[:2], ("final", "auc"), strict=True):
        (frame,) = (patch for patch in axes.patches if isinstance(patch, Rectangle))
        best = settings.loc[settings[quantity].idxmax()]
        assert frame.get_xy() == (ALPHAS[::-1].index(best["alpha"]), MUS.index(best["mu"]))
        assert axes.get_title(loc="right") == f"framed: the best, {planes.number(best[quantity])}"


def test_a_colour_means_the_same_in_all_cells():
    settings, reference = made()
    figure = draw(settings, reference)
    meshes = [mesh for axes in figure.axes[:2] for mesh in axes.collections]
    assert len(meshes) == 4 and len({(mesh.norm.vmin, mesh.norm.vmax) for mesh in meshes}) == 1
    values = pd.concat([settings, reference])[["final", "auc"]]
    assert (meshes[0].norm.vmin, meshes[0].norm.vmax) == (values.min().min(), values.max().max())


def test_table_holds_the_scores_and_their_intervals_of_both():
    settings, reference = made(alphas=ALPHAS[:3])
    table = heat_map.drawn_table(settings, reference)
    assert len(table) == 2 * (len(settings) + 3)
    for (quantity, is_reference), rows in table.groupby(["quantity", "reference"]):
        frame = reference[reference["alpha"].isin(ALPHAS[:3])] if is_reference else settings
        np.testing.assert_array_equal(
            rows[["value", "low", "high"]], frame[[quantity, f"{quantity}_low", f"{quantity}_high"]]
        )


def test_a_step_size_without_an_untuned_run_leaves_its_cell_empty(check_texts):
    figure = draw(*made(untuned=ALPHAS[2:]))
    found = numbers(figure.axes[0])
    assert {column for column, row in found if row == BELOW} == set(range(9))
    check_texts(figure)


@pytest.mark.parametrize(
    "options",
    [
        {"seeds": 1, "episodes": 1},
        slow({"alphas": ["2^-10"], "mus": ["0.001"]}),
        slow({"alphas": ALPHAS[2:5], "mus": MUS[:2]}),
        {"alphas": [f"2^-{k}" for k in range(3, 33)]},
    ],
)
def test_draws_other_scales(options, check_texts):
    check_texts(draw(*made(**options)))


def test_returns_that_are_all_alike_are_drawn(check_texts):
    settings, reference = made(ALPHAS[:2], MUS[:2])
    check_texts(draw(settings.assign(final=-200.0, auc=-200.0), reference.assign(final=-200.0, auc=-200.0)))
