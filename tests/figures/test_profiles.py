import numpy as np
import pandas as pd
from made_tables import JOB

from metatrace import methods as registry
from metatrace.analysis import over_seeds
from metatrace.figures import profiles
from metatrace.numbers import label

DRIFTS = ["4e-6", "1e-5"]  # as text, the last would come first


def table():
    rng = np.random.default_rng(0)
    rows = [
        {
            "environment": "drifting_mountain_car", "method": method, "alpha": "2^-10", "mu": "2^-8", "drift": drift,
            "seed": seed, "final": rng.uniform(-200, -100),
        }
        for drift in DRIFTS
        for method in ("mixed", "none")
        for seed in range(5)
    ]  # fmt: skip
    return profiles.drawn_table(over_seeds.profiles(pd.DataFrame(rows)))


def test_each_drift_has_a_panel_and_each_method_a_line(check_texts):
    drawn = table()
    figure = profiles.draw(drawn, JOB)
    assert [axes.get_title() for axes in figure.axes] == [f"Drift rate ${label(drift)}$" for drift in DRIFTS]
    for axes, drift in zip(figure.axes, DRIFTS, strict=True):
        assert [line.get_label() for line in axes.lines] == ["none", "mixed"]
        for line in axes.lines:
            rows = drawn[(drawn["drift"] == drift) & (drawn["method"] == line.get_label())]
            np.testing.assert_array_equal(line.get_xydata(), rows[["final", "mean"]])
            assert line.get_color() == registry.METHODS[line.get_label()].colour
    assert [axes.get_ylabel() for axes in figure.axes] == ["Share of runs above it", ""]
    check_texts(figure)
