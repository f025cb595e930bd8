"""Figures of regression, on made tables: what stands where, and that no text covers another."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from made_tables import JOB

from metatrace.figures import errors, learned_step_sizes, tasks
from metatrace.numbers import parse

SETTING = {"environment": "tracking_scales", "drift": "0"}
LENGTH = dataclasses.replace(JOB, facts={"length": 30_000, "beta_mu": ""})


def made_errors(scales=("0.1", "1", "10"), methods=("none", "rmsprop", "idbd")):
    rows = []
    for scale in scales:
        for method in methods:
            for token in ("0.01", "0.03", "0.1"):
                alpha, mu = ("0.05", token) if method == "idbd" else (token, "0")
                error = parse(scale, "") ** 2 * (1.5 + parse(token, "") * 10)
                rows.append(
                    {**SETTING, "method": method, "alpha": alpha, "mu": mu, "target_scale": scale, "runs": 3}
                    | {"error": error, "error_low": 0.9 * error, "error_high": 1.1 * error, "diverged": 0}
                )
    return pd.DataFrame(rows).sample(frac=1, random_state=0)


def lines(axes):
    return {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}


def test_errors_stand_by_scale_and_by_what_is_tuned(check_texts):
    table = errors.drawn_table(made_errors())
    figure = errors.draw(table, JOB)
    assert len(figure.axes) == 6
    above, below = figure.axes[:3], figure.axes[3:]
    for panel in above:
        assert set(lines(panel)) == {"none", "rmsprop"}
        np.testing.assert_allclose(lines(panel)["none"].get_ydata(), [1.6, 1.8, 2.5])
        assert lines(panel)["none"].get_xdata().tolist() == [0.01, 0.03, 0.1]
    for panel in below:
        assert set(lines(panel)) == {"idbd"}
    dotted = [[line.get_ydata()[0] for line in panel.lines if line.get_linestyle() == ":"] for panel in figure.axes]
    assert dotted == [[], [3.5], [], [], [1.5], []]  # where targets are ±1
    assert [panel.get_title() for panel in above] == ["Targets of ±0.1", "Targets of ±1", "Targets of ±10"]
    check_texts(figure)


@pytest.mark.parametrize("methods", [("none",), ("idbd",), ("none", "idbd")])
def test_one_figures_errors_have_one_column(check_texts, methods):
    figure = errors.draw(errors.drawn_table(made_errors(("1",), methods)), JOB)
    assert len(figure.axes) == len(methods)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        {"none": "LMS", "idbd": "IDBD"}[method] for method in methods
    ]
    check_texts(figure)


def test_step_sizes_are_drawn_by_method_and_group(check_texts):
    rows = [
        {**SETTING, "method": method, "alpha": "0.05", "mu": "0", "group": group, "example": example, "runs": 3}
        | {"mean": mean, "low": mean - 0.1, "high": mean + 0.1}
        for method in ("idbd", "rmsprop")
        for group, mean in (("relevant", np.log(0.13)), ("irrelevant", np.log(0.01)))
        for example in (1000, 2000)
    ]
    figure = learned_step_sizes.draw(learned_step_sizes.drawn_table(pd.DataFrame(rows)), LENGTH)
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["RMSProp", "IDBD"]
    for panel in figure.axes:
        np.testing.assert_allclose(lines(panel)["relevant"].get_ydata(), 0.13)
        np.testing.assert_allclose(lines(panel)["irrelevant"].get_ydata(), 0.01)
    check_texts(figure)


def test_tasks_show_errors_and_changes_of_both_layers(check_texts):
    of = {**SETTING, "alpha": "0.0005", "mu": "0", "runs": 3}
    values = {"mean": 30.0, "low": 29.0, "high": 31.0}
    curves = [
        {**of, **values, "method": method, "example": example}
        for method in ("crossprop", "none", "adam")
        for example in (250, 500)
    ]
    changes = [
        {**of, **values, "method": method, "layer": layer, "task": task}
        for method in ("crossprop", "none", "adam")
        for layer in "UW"
        for task in (1, 2)
    ]
    table = tasks.drawn_table(pd.DataFrame(curves), pd.DataFrame(changes))
    figure = tasks.draw(table, LENGTH)
    assert len(figure.axes) == 3
    for panel in figure.axes:
        assert list(lines(panel)) == ["none", "adam", "crossprop"]
    assert figure.legends[0].get_texts()[0].get_text() == "backpropagation"
    check_texts(figure)
