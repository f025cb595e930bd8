"""Configs: which runs they ask for, and what is refused, with what words."""

import copy
import json
import math
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metatrace import experiments, readings
from metatrace.errors import UserError

CONFIGS = Path(__file__).parents[1] / "config"
PAPER, QUICK = CONFIGS / "paper.yaml", CONFIGS / "quick.yaml"
VALID = {
    "scale": "tiny",
    "readings": {"time_limit": "terminal"},
    "statistics": {"final_episodes": 5, "spread_alpha_max": "2^-5"},
    "figures": {
        "figure_1": {
            "section": "mountain_car",
            "title": "Untuned",
            "environment": "mountain_car",
            "method": "none",
            "alpha": ["2^-8", "2^-9"],
            "seeds": 2,
            "episodes": 10,
            "smoothing": 2,
        },
        "figure_2": {
            "section": "mountain_car",
            "title": "Tuned",
            "environment": "mountain_car",
            "method": "scalar",
            "alpha": ["2^-8", "0.001"],
            "mu": ["2^-6", "4e-6"],
            "seeds": [0, 3],
            "episodes": 10,
            "smoothing": 2,
            "reference": "figure_1",
        },
    },
}


def changed(path, value):
    """A valid config with one value replaced; `path` ends at a key or an index."""
    config = copy.deepcopy(VALID)
    place = config
    for part in path[:-1]:
        place = place[part]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return config


REMOVED = object()


def refusal(config):
    with pytest.raises(UserError) as raised:
        experiments.check(config, "c.yaml")
    line = str(raised.value)
    assert line.startswith("c.yaml: ") and "\n" not in line
    return line


def refusal_of_file(tmp_path, content):
    path = tmp_path / "c.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as raised:
        experiments.read(path)
    line = str(raised.value)
    assert line.startswith(str(path)) and "\n" not in line
    return line


@pytest.mark.parametrize("path", [PAPER, QUICK], ids=["paper", "quick"])
def test_the_configs_of_the_project_are_valid(path):
    asked = experiments.read(path)
    assert asked.scale == path.stem
    assert list(asked.figures) == [f"figure_{name}" for name in (1, 2, 3, 4, 5, "s1", "s2")]


def test_the_paper_asks_for_2750_runs_of_1000_episodes_and_1320_that_it_omits():
    paper = experiments.read(PAPER)
    runs = paper.runs()
    by_section = {
        section: len({run for figure in figures for run in figure.runs()})
        for section, figures in paper.sections().items()
    }
    assert by_section == {"mountain_car": 2750, "omitted": 1320}
    assert len(runs) == 4070 == len({run.path("runs") for run in runs})
    assert set(runs.values()) == {1000}
    assert {run.seed for run in runs} == set(range(10))


def test_the_paper_has_the_grids_of_its_figures():
    figures = experiments.read(PAPER).figures
    powers = {name: [figure.mus[0], figure.mus[-1]] for name, figure in figures.items()}
    assert powers == {
        "figure_1": ["0", "0"],
        "figure_2": ["2^-6", "2^-11"],
        "figure_3": ["2^-14", "2^-19"],
        "figure_4": ["2^-14", "2^-19"],
        "figure_5": ["2^-10", "2^-15"],
        "figure_s1": ["2^-6", "2^-11"],
        "figure_s2": ["2^-6", "2^-11"],
    }
    methods = [figure.method for figure in figures.values()]
    assert methods == ["none", "scalar", "scalar-unnormalized", "sid", "nosid", "vector", "mixed"]
    for figure in figures.values():
        assert figure.alphas == tuple(f"2^-{power}" for power in range(3, 14))


def test_the_quick_scale_draws_every_figure_of_the_paper_with_fewer_runs():
    paper, quick = experiments.read(PAPER), experiments.read(QUICK)
    assert paper.figures.keys() == quick.figures.keys()
    assert len(quick.runs()) < len(paper.runs()) / 10
    for name, figure in quick.figures.items():
        assert figure.method == paper.figures[name].method
        assert set(figure.alphas) <= set(paper.figures[name].alphas)
        assert set(figure.mus) <= set(paper.figures[name].mus)


def test_the_projects_configs_state_every_reading_of_the_paper():
    keys = [reading.key for reading in readings.MOUNTAIN_CAR]
    for path in (PAPER, QUICK):
        assert list(yaml.safe_load(path.read_text(encoding="utf-8"))["readings"]) == keys


def test_a_figure_is_a_panel_a_mu_and_a_curve_an_alpha():
    figure = experiments.check(VALID, "c.yaml").figures["figure_2"]
    assert [panel.mu for panel in figure.panels()] == ["2^-6", "4e-6"]
    for panel in figure.panels():
        assert [curve.alpha for curve in panel.curves] == ["2^-8", "0.001"]
        for curve in panel.curves:
            assert [(run.alpha, run.mu, run.drift, run.seed) for run in curve.runs] == [
                (curve.alpha, panel.mu, "0", seed) for seed in (0, 3)
            ]
    assert len(figure.runs()) == 8


def test_figures_that_share_runs_share_them():
    config = copy.deepcopy(VALID)
    config["figures"]["again"] = {**config["figures"]["figure_1"], "alpha": ["2^-9", "2^-10"]}
    asked = experiments.check(config, "c.yaml")
    untuned = [run for run in asked.runs() if run.method == "none"]
    assert len(untuned) == 3 * 2
    every = {run for figure in asked.figures.values() for run in figure.runs()}
    assert every == set(asked.runs())


def test_defaults_are_filled_in_and_the_config_is_left_alone():
    config = {"scale": "tiny", "figures": {"figure_1": copy.deepcopy(VALID["figures"]["figure_1"])}}
    before = copy.deepcopy(config)
    asked = experiments.check(config, "c.yaml")
    assert config == before
    assert asked.final_episodes == 100 and asked.spread_alpha_max == "2^-5"
    assert asked.readings == {reading.key: reading.default for reading in readings.MOUNTAIN_CAR}
    assert asked.figures["figure_1"].ours == "" and asked.figures["figure_1"].reference is None


FIGURE = ("figures", "figure_2")
BAD = {
    "an unknown method": ((*FIGURE, "method"), "scalr", "figures.figure_2.method", "one of none, scalar,"),
    "an unknown environment": (
        (*FIGURE, "environment"),
        "cartpole",
        "figures.figure_2.environment",
        "mountain_car",
    ),
    "an unknown section": ((*FIGURE, "section"), "atari", "figures.figure_2.section", "mountain_car"),
    "an unknown key": (("sacle",), "x", "sacle", "the keys here are scale, readings, statistics, figures"),
    "an unknown key in a figure": ((*FIGURE, "alfa"), ["2^-8"], "figures.figure_2.alfa", "alpha, mu"),
    "an unknown statistic": (
        ("statistics", "mean"),
        3,
        "statistics.mean",
        "final_episodes, spread_alpha_max",
    ),
    "an unknown reading": (("readings", "time"), "x", "readings.time", "the readings are time_limit,"),
    "an unknown answer": (("readings", "time_limit"), "both", "readings.time_limit", "terminal, bootstrap"),
    "an answer that is no text": (
        ("readings", "time_limit"),
        True,
        "readings.time_limit",
        "config/README.md",
    ),
    "zero alpha": ((*FIGURE, "alpha", 1), "0", "figures.figure_2.alpha[1]", "above 0"),
    "zero alpha as a number": ((*FIGURE, "alpha", 1), 0, "figures.figure_2.alpha[1]", "quote it"),
    "negative alpha": ((*FIGURE, "alpha", 0), "-0.001", "figures.figure_2.alpha[0]", "above 0"),
    "NaN alpha": ((*FIGURE, "alpha", 0), "nan", "figures.figure_2.alpha[0]", "2^-10, 0.001 or 4e-6"),
    "NaN alpha as a number": ((*FIGURE, "alpha", 0), math.nan, "figures.figure_2.alpha[0]", "quote it"),
    "infinite alpha as a number": ((*FIGURE, "alpha", 0), math.inf, "figures.figure_2.alpha[0]", "quote it"),
    "an unquoted alpha": ((*FIGURE, "alpha", 0), 1e-5, "figures.figure_2.alpha[0]", "quote it"),
    "a second spelling": ((*FIGURE, "alpha", 1), "1e-05", "figures.figure_2.alpha[1]", "spelled '1e-5' here"),
    "another second spelling": ((*FIGURE, "mu", 0), "0.25", "figures.figure_2.mu[0]", "spelled '2^-2' here"),
    "an alpha twice": ((*FIGURE, "alpha"), ["2^-8", "2^-9", "2^-8"], "figures.figure_2.alpha[2]", "twice"),
    "a mu twice": ((*FIGURE, "mu"), ["2^-8", "2^-8"], "figures.figure_2.mu[1]", "twice"),
    "no alpha": ((*FIGURE, "alpha"), [], "figures.figure_2.alpha", "at least one"),
    "one alpha, no list": ((*FIGURE, "alpha"), "2^-8", "figures.figure_2.alpha", "a list of number tokens"),
    "mu missing": ((*FIGURE, "mu"), REMOVED, "figures.figure_2.mu", "method scalar needs a list"),
    "mu empty": ((*FIGURE, "mu"), [], "figures.figure_2.mu", "at least one"),
    "zero mu": ((*FIGURE, "mu", 0), "0", "figures.figure_2.mu[0]", "above 0"),
    "mu without tuning": (("figures", "figure_1", "mu"), ["2^-8"], "figures.figure_1.mu", "leave mu out"),
    "no seed": ((*FIGURE, "seeds"), 0, "figures.figure_2.seeds", "from 1 up"),
    "an empty list of seeds": ((*FIGURE, "seeds"), [], "figures.figure_2.seeds", "list of different seeds"),
    "a seed twice": ((*FIGURE, "seeds"), [0, 1, 0], "figures.figure_2.seeds", "list of different seeds"),
    "a negative seed": ((*FIGURE, "seeds"), [0, -1], "figures.figure_2.seeds", "from 0 up"),
    "seeds as text": ((*FIGURE, "seeds"), "10", "figures.figure_2.seeds", "from 1 up"),
    "seeds as truth": ((*FIGURE, "seeds"), True, "figures.figure_2.seeds", "from 1 up"),
    "half a seed": ((*FIGURE, "seeds"), 1.5, "figures.figure_2.seeds", "from 1 up"),
    "no episodes": ((*FIGURE, "episodes"), 0, "figures.figure_2.episodes", "from 1 to"),
    "too many episodes": ((*FIGURE, "episodes"), 10**9, "figures.figure_2.episodes", "from 1 to"),
    "no smoothing": ((*FIGURE, "smoothing"), 0, "figures.figure_2.smoothing", "from 1 up"),
    "a key missing": ((*FIGURE, "episodes"), REMOVED, "figures.figure_2.episodes", "a whole number"),
    "no figure": (("figures",), {}, "figures", "at least one"),
    "a list of figures": (("figures",), [], "figures", "at least one"),
    "figures missing": (("figures",), REMOVED, "figures", "at least one"),
    "a scale that climbs": (("scale",), "../x", "scale", "small letters"),
    "a scale with a line break": (("scale",), "x\n", "scale", "small letters"),
    "an unknown reference": ((*FIGURE, "reference"), "figure_9", "figures.figure_2.reference", "figure_1"),
    "a tuned reference": ((*FIGURE, "reference"), "figure_2", "figures.figure_2.reference", "figure_1"),
    "a bad spread": (("statistics", "spread_alpha_max"), "0.25", "statistics.spread_alpha_max", "2^-2"),
    "an unquoted spread": (
        ("statistics", "spread_alpha_max"),
        0.5,
        "statistics.spread_alpha_max",
        "quote it",
    ),
}


@pytest.mark.parametrize("path, value, key, right", BAD.values(), ids=BAD.keys())
def test_a_wrong_value_is_refused_with_its_key_and_what_would_be_right(path, value, key, right):
    experiments.check(VALID, "c.yaml")
    line = refusal(changed(path, value))
    assert line.startswith(f"c.yaml: {key}: ")
    assert right in line


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


TEXT = json.dumps(VALID)  # which is YAML as well
UNTUNED_ALPHAS = '"alpha": ["2^-8", "2^-9"]'
assert TEXT.count(UNTUNED_ALPHAS) == 1


@pytest.mark.parametrize(
    "number", ["1e-5", "0.001", "1E-5", "0", "-0.001", ".nan", "1e-05", "+1e-5", "2.", "1"]
)
@pytest.mark.parametrize(
    "style", ['"alpha": [2^-8, {}]', '"alpha": [\n2^-8 ,\n {}\n ]'], ids=["line", "lines"]
)
def test_an_unquoted_number_is_refused_with_its_key(tmp_path, number, style):
    line = refusal_of_file(tmp_path, TEXT.replace(UNTUNED_ALPHAS, style.format(number)))
    assert "c.yaml: figures.figure_1.alpha[1]: " in line and "quote it" in line


def test_the_same_number_quoted_is_welcome(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(TEXT.replace(UNTUNED_ALPHAS, "\"alpha\": [2^-8, '1e-5']"))
    assert experiments.read(path).figures["figure_1"].alphas == ("2^-8", "1e-5")


@pytest.mark.parametrize(
    "content",
    [
        b"figures: [1, 2",
        b"scale: {paper",
        b"a: b: c",
        b"\tscale: paper",
        b"scale: &x paper\nfigures: *y",
        b"scale: !!python/object/apply:os.getcwd []",
        b"\x00\x01\x02",
        b"\xff\xfe\x00binary",
        bytes(range(256)),
        b"scale: 2001-99-99",
        b"? [1, 2]\n: 3",
        b"{1: 2}: 3",
        b"[" * 5000,
        b"- " * 5000,
        b"a: &a [*a]",
        b"---\na: 1\n---\nb: 2",
        b"scale: !!binary aGVsbG8",
        b"scale: !!set {a, b}",
        b"scale: 2001-01-01",
        b"",
        b"# nothing but a comment",
    ],
    ids=lambda content: repr(content[:30]),
)
def test_what_is_no_yaml_or_no_config_is_refused_in_one_line(tmp_path, content):
    refusal_of_file(tmp_path, content)


def test_a_yaml_error_names_its_line(tmp_path):
    line = refusal_of_file(tmp_path, "scale: tiny\nfigures: {a: 1\nreadings: {}\n")
    assert ", line 3: is not YAML: " in line


def test_a_file_of_aliases_cannot_fill_the_memory(tmp_path):
    """The laughs of a billion: nine lists, each of nine times the last."""
    lines = ["a0: &a0 [lol]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    (tmp_path / "c.yaml").write_text("\n".join(lines))
    limit = 2 << 30
    done = subprocess.run(
        [sys.executable, "-m", "metatrace", "config", "c.yaml"],
        cwd=tmp_path,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and done.stderr.startswith("metatrace: error: c.yaml: ")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path, tmp_path / "none.yaml" / "below"):
        with pytest.raises(UserError, match="cannot be read") as raised:
            experiments.read(path)
        assert str(raised.value).startswith(f"{path}: ") and "\n" not in str(raised.value)


def test_a_huge_file_is_refused_unread(tmp_path):
    with open(tmp_path / "c.yaml", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UserError, match="that is no config file"):
        experiments.read(tmp_path / "c.yaml")


def places(config, path=()):
    yield path
    children = (
        config.items() if isinstance(config, dict) else enumerate(config) if isinstance(config, list) else ()
    )
    for key, value in children:
        yield from places(value, (*path, key))


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-2, 12),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["2^-8", "none", "scalar", "sid", "0", "1e-5", "figure_1", "mountain_car", "terminal"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["alpha", "mu", "seeds", "x", "figure_1", "2"]) | st.text(max_size=4),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)


@given(data=st.data())
@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_in_any_place_is_valid_or_refused_in_one_line(data):
    path = data.draw(st.sampled_from(list(places(VALID))))
    value = data.draw(values)
    config = changed(path, value) if path else value
    if path and data.draw(st.booleans()) and isinstance(path[-1], str):  # a new key beside it
        config = changed((*path[:-1], data.draw(st.text(max_size=4))), value)
    try:
        asked = experiments.check(config, "c.yaml")
    except UserError as error:
        assert str(error).startswith("c.yaml") and len(str(error).splitlines()) == 1
    else:
        assert len(asked.runs()) > 0


@given(data=st.data())
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_in_a_config_file_is_valid_or_refused_in_one_line(tmp_path, data):
    lines = yaml.safe_dump(VALID, sort_keys=False).splitlines()
    position = data.draw(st.integers(0, len(lines) - 1))
    junk = data.draw(
        st.text(
            alphabet=st.sampled_from("abc:-[]{}&*!|>'\"%@`#?,0123456789.eE+^~ \t\n\x85\u2028"), max_size=12
        )
    )
    key = lines[position].partition(":")[0]
    lines[position] = f"{key}: {junk}" if data.draw(st.booleans()) else junk
    path = tmp_path / "c.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        experiments.read(path)
    except UserError as error:
        assert str(error).startswith(str(path)) and len(str(error).splitlines()) == 1
