"""What is refused of a config, and with what words."""

import copy

import pytest
from configs import SEVEN, VALID, changed, refusal
from faults_of_configs import BAD

from metatrace.config import loading


@pytest.mark.parametrize("path, value, key, right", BAD.values(), ids=BAD.keys())
def test_a_wrong_value_is_refused_with_its_key_and_what_would_be_right(path, value, key, right):
    loading.check(VALID, "c.yaml")
    line = refusal(changed(path, value))
    assert line.startswith(f"c.yaml: {key}: ")
    assert right in line


@pytest.mark.parametrize("drift, fits", [("4e-6", True), ("6e-6", False)])
def test_a_reference_has_the_same_environment_and_drift(drift, fits):
    config = copy.deepcopy(VALID)
    for name, rate in (("figure_1", drift), ("figure_2", "4e-6")):
        config["figures"][name] |= {"environment": "drifting_mountain_car", "drift": [rate], "episodes": 30}
    if fits:
        assert loading.check(config, "c.yaml").figures["figure_2"].reference == "figure_1"
        return
    line = refusal(config)
    assert line.startswith("c.yaml: figures.figure_2.reference: 'figure_1' ")
    assert line.endswith("with this environment and drift; it must be one of (there is none)")


def test_figures_of_different_kinds_must_agree_on_the_episodes_of_shared_runs():
    line = refusal(changed((*SEVEN, "episodes"), 40))
    assert line.startswith("c.yaml: figures.figure_7.episodes: is 40, but figure_6 has the same runs with 30")
    other_drift = changed((*SEVEN, "drift"), ["6e-6"])
    other_drift["figures"]["figure_7"]["episodes"] = 40
    assert set(loading.check(other_drift, "c.yaml").runs().values()) == {10, 30, 40, 700}


@pytest.mark.parametrize("name", ["Figure_1", "figure 1", "../figure", "", "1", "figure_1\n"])
def test_a_figures_name_is_a_name(name):
    config = copy.deepcopy(VALID)
    config["figures"] = {name: config["figures"]["figure_1"]}
    assert "no figure's name" in refusal(config)


@pytest.mark.parametrize("config", [None, [], "text", 3, True, {}], ids=repr)
def test_what_is_no_table_is_no_config(config):
    refusal(config)


def test_the_same_runs_with_other_episodes_are_refused():
    config = copy.deepcopy(VALID)
    config["figures"]["longer"] = {**config["figures"]["figure_1"], "episodes": 20}
    line = refusal(config)
    assert line.startswith("c.yaml: figures.longer.episodes: is 20, but figure_1")
