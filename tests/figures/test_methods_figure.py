import numpy as np
import pytest
from made_tables import JOB, make
from marks import slow

from metatrace import methods as registry
from metatrace.analysis.best import best_over_alpha
from metatrace.analysis.methods import gathered
from metatrace.figures import methods, style
from metatrace.numbers import parse

ACTOR_CRITICS = {
    token: entry
    for token, entry in registry.METHODS.items()
    if "mountain_car" in entry.domains and entry.agent == registry.ACTOR_CRITIC
}
ALPHAS = [f"2^-{k}" for k in range(3, 14, 2)]
GRIDS = {
    "none": ["0"],
    "scalar": ["2^-4", "2^-7", "2^-11"],
    "mixed": ["2^-6", "2^-8"],
    "scalar-unnormalized": [f"2^-{k}" for k in range(12, 20, 3)],
    "nosid": ["2^-10", "2^-12", "2^-15"],
}


def made(grids=GRIDS, alphas=ALPHAS, **options):
    tables = [make(method, alphas, mus, **options) for method, mus in grids.items()]
    settings, spread, scores = (
        gathered([getattr(part, name) for part in tables]) for name in ("settings", "spread", "scores")
    )
    return settings, spread, best_over_alpha(scores, 2**-5)


def draw(settings, spread, best):
    return methods.draw(methods.drawn_table(settings, spread, best), JOB)


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def test_each_method_is_drawn_at_its_best_mu_and_its_spread_at_every_mu(check_texts):
    settings, spread, best = made()
    figure = draw(*(frame.sample(frac=1, random_state=0) for frame in (settings, spread, best)))
    final, auc, spreads = figure.axes
    order = style.in_order(GRIDS)
    mus = best.set_index("method")["mu"]
    for axes, quantity in ((final, "final"), (auc, "auc")):
        assert list(lines(axes)) == order and len(axes.collections) == len(order)
        for method, line in lines(axes).items():
            rows = settings[(settings["method"] == method) & (settings["mu"] == mus[method])].iloc[::-1]
            expected = np.column_stack([rows["alpha"].map(lambda a: parse(a, "")), rows[quantity]])
            np.testing.assert_array_equal(line.get_xydata(), expected)
            assert line.get_color() == registry.METHODS[method].colour
    for method, line in lines(spreads).items():
        rows = spread[spread["method"] == method].iloc[::-1]
        if method == "none":
            assert set(line.get_ydata()) == {rows["spread"].item()}
        else:
            expected = np.column_stack([rows["mu"].map(lambda mu: parse(mu, "")), rows["spread"]])
            np.testing.assert_array_equal(line.get_xydata(), expected)
    assert list(lines(spreads)) == order
    check_texts(figure)


def test_the_legend_names_the_best_mu():
    figure = draw(*made({"none": ["0"], "scalar": ["2^-7"], "nosid": ["0.001"]}))
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["no tuning", "scalar, $2^{-7}$", "NOSID, $0.001$"]


def test_table_is_what_is_drawn():
    settings, spread, best = made()
    table = methods.drawn_table(settings, spread, best)
    assert list(table["quantity"].unique()) == ["final", "auc", "spread"]
    assert (table["quantity"] == "spread").sum() == len(spread)
    assert (table["quantity"] != "spread").sum() == 2 * len(ALPHAS) * len(best)
    shown = table[table["quantity"] == "auc"].merge(settings, on=["method", "mu", "alpha"])
    np.testing.assert_array_equal(shown["value"], shown["auc"])
    assert table.loc[table["quantity"] == "spread", "alpha"].isna().all()


def test_score_panels_share_their_return_axis():
    final, auc, _ = draw(*made()).axes
    assert final.get_ylim() == auc.get_ylim() and final.get_xlim() == auc.get_xlim()


@pytest.mark.parametrize(
    "options",
    [
        {"seeds": 1},
        slow({"alphas": ["2^-10"]}),
        slow({"grids": {"none": ["0"]}}),
        slow({"grids": {"mixed": ["0.001"]}, "alphas": ALPHAS[2:4]}),
        {"grids": {method: ["2^-8" if entry.has_mu else "0"] for method, entry in ACTOR_CRITICS.items()}},
    ],
)
def test_draws_other_scales(options, check_texts):
    check_texts(draw(*made(**options)))
