import numpy as np
import pytest
from made_tables import JOB, make
from marks import slow

from metatrace.figures import sensitivity
from metatrace.numbers import parse

ALPHAS = [f"2^-{k}" for k in range(3, 14)]
MUS = [f"2^-{k}" for k in range(6, 12)]


def made(seeds=3, alphas=ALPHAS, mus=MUS):
    tuned, untuned = make("scalar", alphas, mus, seeds=seeds), make("none", alphas, ["0"], seeds=seeds)
    return (tuned.settings, tuned.spread), (untuned.settings, untuned.spread)


def draw(shown, reference):
    return sensitivity.draw(sensitivity.drawn_table(shown, reference), JOB)


def data(axes, label):
    return next(line.get_xydata() for line in axes.lines if line.get_label() == label)


def test_draws_exactly_its_table(check_texts):
    tables = made()
    figure = draw(*tables)
    table = sensitivity.drawn_table(*tables).set_index("quantity")
    final, auc, spread = figure.axes
    for axes, quantity in ((final, "final"), (auc, "auc")):
        assert [line.get_label() for line in axes.lines] == [*MUS, "0"]
        assert len(axes.collections) == len(MUS) + 1  # a band each
        for mu in (*MUS, "0"):
            rows = table.loc[quantity]
            rows = rows[rows["mu"] == mu].iloc[::-1]
            expected = np.column_stack([rows["alpha"].map(lambda a: parse(a, "")), rows["value"]])
            np.testing.assert_array_equal(data(axes, mu), expected)
    rows = table.loc["spread"].set_index("mu")
    for mu in MUS:
        np.testing.assert_array_equal(data(spread, mu), [[parse(mu, ""), rows.loc[mu, "value"]]])
    assert (data(spread, "0")[:, 1] == rows.loc["0", "value"]).all()
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == [*(f"$2^{{-{k}}}$" for k in range(6, 12)), "untuned"]
    check_texts(figure)


def test_table_holds_the_scores_and_their_intervals():
    (settings, spread), (reference, reference_spread) = shown = made()
    table = sensitivity.drawn_table(*shown)
    assert len(table) == 2 * len(settings) + len(spread) + 2 * len(reference) + len(reference_spread)
    tuned = table[~table["reference"]]
    for quantity, frame in (("final", settings), ("auc", settings), ("spread", spread)):
        rows = tuned[tuned["quantity"] == quantity]
        expected = frame[[quantity, f"{quantity}_low", f"{quantity}_high"]]
        np.testing.assert_array_equal(rows[["value", "low", "high"]], expected)
    assert table.loc[table["quantity"] == "spread", "alpha"].isna().all()


@pytest.mark.parametrize(
    "options",
    [{"seeds": 1}, slow({"alphas": ["2^-10"]}), slow({"mus": ["0.001"]}), {"alphas": ALPHAS[2:5], "mus": MUS[:2]}],
)
def test_draws_small_scales(options, check_texts):
    figure = draw(*made(**options))
    assert len(figure.axes) == 3
    check_texts(figure)


def test_score_panels_share_their_return_axis():
    final, auc, _ = draw(*made()).axes
    assert final.get_ylim() == auc.get_ylim() and final.get_xlim() == auc.get_xlim()
