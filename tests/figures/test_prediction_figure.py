import numpy as np
import pandas as pd
import pytest
from made_tables import JOB

from metatrace.analysis.prediction import errors
from metatrace.errors import UserError
from metatrace.figures import prediction
from metatrace.numbers import parse

METHODS = ["tidbd", "vector", "autotidbd"]
MUS = ["2^-1", "2^-5", "2^-9"]
ALPHAS = ["2^-4", "2^-6"]


def made(*, methods=METHODS, drifts=("0", "6e-6"), noise=True, seeds=3, untuned=True):
    """The errors of tuned methods, and of the untuned one over α; tidbd diverges at the largest μ."""
    rng = np.random.default_rng(0)
    settings = [(method, "2^-6", mu) for method in methods for mu in MUS]
    settings += [("none", alpha, "0") for alpha in ALPHAS] if untuned else []
    rows = [
        {
            **{"environment": "drifting_prediction", "method": method, "alpha": alpha, "mu": mu, "drift": drift},
            **{"seed": seed, "final": rng.uniform(4, 9), "auc": 9.0, "diverged": False},
            "tiles": np.nan if (method, mu) == ("tidbd", "2^-1") else rng.uniform(0.01, 0.1),
            "noise": rng.uniform(0.001, 0.01) if noise else np.nan,
        }
        for method, alpha, mu in settings
        for drift in drifts
        for seed in range(seeds)
    ]
    return errors(pd.DataFrame(rows))


def lines(axes):
    return {line.get_label(): line.get_xydata() for line in axes.lines}


def test_draws_exactly_its_table(check_texts):
    table = prediction.drawn_table(made())
    figure = prediction.draw(table, JOB)
    check_texts(figure)
    assert len(figure.axes) == 4 and [axes.get_title()[:10] for axes in figure.axes[:2]] == ["Drift rate"] * 2
    for column, drift in enumerate(("0", "6e-6")):
        above, below = (lines(axes) for axes in (figure.axes[column], figure.axes[2 + column]))
        assert above.keys() == {"none", *METHODS}
        assert below.keys() == {f"{method}, {group}" for method in METHODS for group in ("tiles", "noise")}
        for drawn, quantity in ((above, "final"), (below, "tiles"), (below, "noise")):
            for method in METHODS if quantity != "final" else ["none", *METHODS]:
                rows = table[(table["quantity"] == quantity) & (table["method"] == method) & (table["drift"] == drift)]
                rows = rows[rows["value"].notna()].iloc[::-1]
                points = drawn[method if quantity == "final" else f"{method}, {quantity}"]
                np.testing.assert_array_equal(points[:, 0], [parse(token, "") for token in rows["x"]])
                np.testing.assert_array_equal(points[:, 1], rows["value"])
    assert len(lines(figure.axes[2])["tidbd, tiles"]) == len(MUS) - 1


def test_the_place_of_a_method_is_its_mu_and_of_the_untuned_its_alpha():
    table = prediction.drawn_table(made())
    untuned = table["method"] == "none"
    assert (table.loc[untuned, "x"] == table.loc[untuned, "alpha"]).all() and set(table.loc[untuned, "mu"]) == {"0"}
    assert (table.loc[~untuned, "x"] == table.loc[~untuned, "mu"]).all() and not table["x"].isna().any()
    assert len(table[table["quantity"] == "final"]) == 2 * (len(METHODS) * len(MUS) + len(ALPHAS))


@pytest.mark.parametrize(
    ("options", "panels"),
    [
        ({"methods": [], "drifts": ["0"]}, 1),  # TD(λ) alone
        ({"drifts": ["0"], "noise": False, "untuned": False}, 2),
        ({"methods": ["none"], "drifts": ["0"], "untuned": False, "seeds": 1}, 1),
        ({"methods": ["tidbd"], "seeds": 1}, 4),
    ],
)
def test_any_part_of_it_can_be_drawn(options, panels, check_texts):
    figure = prediction.draw(prediction.drawn_table(made(**options)), JOB)
    check_texts(figure)
    assert len(figure.axes) == panels


ENTRY = """\
scale: mine
figures:
  figure_mine:
    section: related
    title: "Mine"
    kind: prediction
    environment: {environment}
    method: {method}
    alpha: {alpha}
    {mu}
    seeds: 1
    episodes: 2
    smoothing: 1
"""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"environment": "mountain_car"},
            "figures.figure_mine.environment: is mountain_car; a figure of kind prediction has prediction or "
            "drifting_prediction",
        ),
        (
            {"alpha": "[2^-6, 2^-7]"},
            "figures.figure_mine.alpha: has 2 values; with vector, which has a meta-step-size, a figure of kind "
            "prediction has one alpha",
        ),
        ({"method": "sid"}, "figures.figure_mine.method: prediction does not run sid; it must be one of none, scalar"),
    ],
)
def test_what_it_cannot_show_is_refused(tmp_path, changes, words):
    from metatrace.config import loading

    given = {"environment": "prediction", "method": "vector", "alpha": "[2^-6]", "mu": "mu: [2^-8]"}
    path = tmp_path / "mine.yaml"
    path.write_text(ENTRY.format(**given))
    loading.read(path)
    path.write_text(ENTRY.format(**{**given, **changes}))
    with pytest.raises(UserError) as caught:
        loading.read(path)
    assert words in str(caught.value)
