import numpy as np
import pytest
from made_tables import JOB, make_drifting
from marks import slow

from metatrace import methods as registry
from metatrace.domains.registry import methods_of
from metatrace.figures import by_drift
from metatrace.numbers import label, parse

METHODS = ["none", "scalar", "vector", "mixed"]
DRIFTS = ["4e-6", "6e-6", "8e-6", "1e-5"]  # as text, the last would come first
MUS = [f"2^-{k}" for k in range(6, 13)]


def made(methods=METHODS, drifts=DRIFTS, mus=MUS, **options):
    """Scores of every setting, and the best μ. The scores are not those that chose it."""
    curves, best, _ = make_drifting(methods, drifts, mus, **options)
    settings = curves[["environment", "method", "alpha", "mu", "drift", "runs"]].drop_duplicates()
    rng = np.random.default_rng(0)
    for quantity in ("final", "auc"):
        values = rng.uniform(-200, -100, len(settings))
        settings = settings.assign(**{quantity: values, f"{quantity}_low": values - 3, f"{quantity}_high": values + 4})
    return settings, best


def draw(settings, best):
    return by_drift.draw(by_drift.drawn_table(settings, best), JOB)


def test_lines_are_the_scores_of_the_best_mu_of_each_drift(check_texts):
    settings, best = made()
    assert best.groupby("method")["mu"].nunique()["mixed"] > 1  # the best is not the same everywhere
    figure = draw(settings.sample(frac=1, random_state=0), best.sample(frac=1, random_state=0))
    scores = settings.set_index(["method", "drift", "mu"])
    for axes, quantity in zip(figure.axes, ("final", "auc"), strict=True):
        assert [line.get_label() for line in axes.lines] == METHODS
        for line, bars in zip(axes.lines, axes.collections, strict=True):
            method = line.get_label()
            mus = best[best["method"] == method].set_index("drift").loc[DRIFTS, "mu"]
            rows = scores.loc[[(method, drift, mu) for drift, mu in mus.items()]]
            np.testing.assert_array_equal(line.get_ydata(), rows[quantity])
            ends = np.array([segment[:, 1] for segment in bars.get_segments()])
            np.testing.assert_array_equal(ends, rows[[f"{quantity}_low", f"{quantity}_high"]])
            assert line.get_color() == registry.METHODS[method].colour
        np.testing.assert_allclose(axes.get_xticks(), [parse(drift, "") for drift in DRIFTS])
        assert [tick.get_text() for tick in axes.get_xticklabels()] == [f"${label(d)}$" for d in DRIFTS]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["no tuning", "scalar", "vector", "mixed"]
    check_texts(figure)


def test_methods_stand_beside_each_other_and_nearer_to_their_drift_than_to_the_next():
    for axes in draw(*made()).axes:
        x = np.array([line.get_xdata() for line in axes.lines])
        assert (np.diff(x, axis=0) > 0).all()
        drifts = np.array([parse(drift, "") for drift in DRIFTS])
        assert np.abs(x - drifts).max() < np.diff(drifts).min() / 4


def test_table_is_what_is_drawn():
    settings, best = made()
    table = by_drift.drawn_table(settings, best)
    assert len(table) == 2 * len(METHODS) * len(DRIFTS)
    keys = ["method", "drift", "mu"]
    for quantity, rows in table.groupby("quantity"):
        assert list(rows["drift"]) == DRIFTS * len(METHODS)
        whole = rows.merge(settings, on=keys).merge(best[keys], on=keys)
        np.testing.assert_array_equal(whole["value"], whole[quantity])


@pytest.mark.parametrize("drifts", [["6e-6"], slow(["0"]), slow(["0", "1e-5"]), [*DRIFTS, "2e-5"]])
def test_draws_other_drifts(drifts, check_texts):
    check_texts(draw(*made(drifts=drifts)))


def test_every_method_has_its_own_marker(check_texts):
    methods = methods_of("drifting_mountain_car")
    figure = draw(*made(methods, DRIFTS, ["0.0015"]))
    markers = [line.get_marker() for line in figure.axes[0].lines]
    assert len(set(markers)) == len(methods)
    check_texts(figure)


def test_unknown_intervals_are_left_out(check_texts):
    settings, best = made(seeds=1)
    names = [f"{quantity}_{end}" for quantity in ("final", "auc") for end in ("low", "high")]
    check_texts(draw(settings.assign(**dict.fromkeys(names, np.nan)), best))
