"""Configs: which runs they ask for, and what is refused, with what words."""

import copy
import json
import math
import os
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metatrace.config import experiments
from metatrace.errors import UserError
from metatrace.runs.key import RunKey

CONFIGS = Path(__file__).parents[2] / "config"
PAPER, QUICK, PREVIEW = (CONFIGS / f"{scale}.yaml" for scale in ("paper", "quick", "preview"))
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
        "figure_6": {
            "section": "drifting_mountain_car",
            "title": "Drifting",
            "kind": "best_mu",
            "environment": "drifting_mountain_car",
            "method": ["none", "vector"],
            "alpha": ["2^-10"],
            "mu": ["2^-6", "2^-8"],
            "drift": ["4e-6", "0"],
            "seeds": 2,
            "episodes": 30,
            "smoothing": 4,
        },
        "figure_7": {
            "section": "drifting_mountain_car",
            "title": "Betas",
            "kind": "mu_and_beta",
            "environment": "drifting_mountain_car",
            "method": ["vector", "mixed"],
            "alpha": ["2^-10"],
            "mu": ["2^-6", "2^-8"],
            "beta_mu": "2^-8",
            "drift": ["4e-6"],
            "seeds": 2,
            "episodes": 30,
            "smoothing": 4,
        },
        "figure_8": {
            "section": "atari",
            "title": "A game",
            "kind": "games",
            "environment": "seaquest",
            "method": ["none", "mixed"],
            "alpha": ["2^-8", "2^-9", "2^-10"],
            "mu": ["0.001"],
            "seeds": 1,
            "frames": 700,
            "smoothing": 40,
        },
        "figure_9": {
            "section": "atari",
            "title": "Games",
            "kind": "games",
            "environment": ["freeway", "seaquest"],
            "method": ["none", "mixed"],
            "alpha": {"best": 2, "of": "figure_8", "method": "mixed"},
            "mu": ["0.001"],
            "seeds": 2,
            "frames": 700,
            "smoothing": 40,
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


@pytest.mark.parametrize("path", [PAPER, QUICK, PREVIEW], ids=lambda path: path.stem)
def test_the_configs_of_the_project_are_valid(path):
    asked = experiments.read(path)
    assert asked.scale == path.stem
    numbered = [f"figure_{name}" for name in (1, 2, 3, 4, 5, 6, 7, 8, 9, "s1", "s2")]
    assert list(asked.figures)[:11] == numbered
    assert all(figure.section == "comparisons" for figure in list(asked.figures.values())[11:])


def test_the_paper_asks_for_so_many_runs_and_1320_that_it_omits():
    paper = experiments.read(PAPER)
    runs = {
        run: figure.length
        for figure in paper.figures.values()
        if figure.section != "comparisons"
        for run in figure.some_runs()
    }
    by_section = {
        section: len({run for figure in figures for run in figure.some_runs()})
        for section, figures in paper.sections().items()
    }
    # 32 of figure 8 and 150 of figure 9, of which six are the same
    assert by_section == {
        "mountain_car": 2750,
        "drifting_mountain_car": 1760,
        "atari": 176,
        "omitted": 1320,
    } | {"comparisons": by_section["comparisons"]}
    assert len(runs) == 6006 == len({run.path("runs") for run in runs})
    assert sum(len(paper.figures[name].some_runs()) for name in ("figure_8", "figure_9")) == 182
    games = ("space_invaders", "seaquest", "asterix", "beam_rider", "freeway")
    assert {(run.environment, length) for run, length in runs.items()} == {
        ("mountain_car", 1000),
        ("drifting_mountain_car", 5000),
        *((game, 12_500_000) for game in games),
    }
    for environment, seeds in (("mountain_car", 10), ("drifting_mountain_car", 20), ("freeway", 5)):
        assert {run.seed for run in runs if run.environment == environment} == set(range(seeds))


PLAIN_METHODS = {
    "figure_1": ("none",),
    "figure_2": ("scalar",),
    "figure_3": ("scalar-unnormalized",),
    "figure_4": ("sid",),
    "figure_5": ("nosid",),
    "figure_s1": ("vector",),
    "figure_s2": ("mixed",),
}


def test_the_paper_has_the_grids_of_its_figures_on_plain_mountain_car():
    figures = {
        name: figure
        for name, figure in experiments.read(PAPER).figures.items()
        if figure.environments == ("mountain_car",) and figure.section != "comparisons"
    }
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
    assert {name: figure.methods for name, figure in figures.items()} == PLAIN_METHODS
    for name, figure in figures.items():
        assert figure.alphas == tuple(f"2^-{power}" for power in range(3, 14))
        assert (figure.kind, figure.drifts, figure.smoothing) == ("step_sizes", ("0",), 20)
        assert figure.reference == (None if name == "figure_1" else "figure_1")
        assert not figure.drifting


def test_the_paper_has_the_grids_of_its_drifting_figures():
    figures = experiments.read(PAPER).figures
    six, seven = figures["figure_6"], figures["figure_7"]
    assert (six.kind, six.methods) == ("best_mu", ("none", "scalar", "vector", "mixed"))
    assert six.drifts == ("4e-6", "6e-6", "8e-6", "1e-5")
    assert (seven.kind, seven.methods) == ("mu_and_beta", ("scalar", "vector", "mixed"))
    assert (seven.drifts, seven.beta_mu) == (("6e-6",), "2^-10")
    for figure in (six, seven):
        assert figure.environments == ("drifting_mountain_car",) and figure.drifting
        assert figure.alphas == ("2^-10",)
        assert figure.mus == tuple(f"2^-{power}" for power in range(6, 13))
        assert (figure.seeds, figure.length, figure.smoothing) == (tuple(range(20)), 5000, 40)
    # The untuned method has one run where the others have seven.
    assert len(six.runs()) == 4 * (3 * 7 + 1) * 20 == 1760
    assert len(seven.runs()) == 3 * 7 * 20
    assert set(seven.runs()) < set(six.runs())


def test_the_paper_has_the_grids_of_its_figures_on_games():
    figures = experiments.read(PAPER).figures
    eight, nine = figures["figure_8"], figures["figure_9"]
    assert (eight.environments, eight.seeds) == (("seaquest",), (0,))
    assert eight.methods == ("none", "scalar", "vector", "mixed")
    assert eight.alphas == tuple(f"2^-{power}" for power in range(6, 14)) and eight.best is None
    assert nine.environments == ("space_invaders", "seaquest", "asterix", "beam_rider", "freeway")
    assert (nine.methods, nine.seeds) == (("none", "mixed"), tuple(range(5)))
    assert (nine.best, nine.alphas) == (experiments.BestAlphas(3, "figure_8", "mixed"), eight.alphas)
    for figure in (eight, nine):
        assert (figure.kind, figure.mus, figure.drifts) == ("games", ("0.001",), ("0",))
        assert (figure.length, figure.unit, figure.smoothing) == (12_500_000, "observed frames", 40)
    assert len(eight.runs()) == 32 and len(nine.some_runs()) == 150


def test_the_preview_is_the_paper_but_for_the_length_and_seeds_of_games():
    paper, preview = (yaml.safe_load(path.read_text(encoding="utf-8")) | {"scale": ""} for path in (PAPER, PREVIEW))
    for name in ("figure_8", "figure_9"):
        few, many = preview["figures"][name], paper["figures"][name]
        assert few["frames"] == 200_000 and few["seeds"] <= many["seeds"]
        few |= {"frames": many["frames"], "seeds": many["seeds"]}
    assert preview == paper


def test_chosen_alphas_make_as_many_runs_whatever_is_chosen():
    asked = experiments.check(VALID, "c.yaml")
    nine = asked.figures["figure_9"]
    assert nine.alphas == ("2^-8", "2^-9", "2^-10")
    chosen = nine.runs(["2^-10", "2^-8"])
    assert {run.alpha for run in chosen} == {"2^-10", "2^-8"}
    assert len(chosen) == len(nine.some_runs()) == 2 * 2 * 2 * 2
    assert set(chosen) < set(nine.runs()) <= set(asked.runs())
    eight = set(asked.figures["figure_8"].runs())
    for some in (chosen, nine.some_runs()):
        assert len(eight | set(some)) == len(eight | set(nine.some_runs())) == 6 + 16 - 4


def test_pinned_alphas_are_runs_like_any():
    asked = experiments.check(changed((*NINE, "alpha"), ["2^-9"]), "c.yaml")
    nine = asked.figures["figure_9"]
    assert nine.best is None and nine.some_runs() == nine.runs() and len(nine.runs()) == 2 * 2 * 2


def test_a_figure_may_stand_before_the_one_that_chooses_its_alphas():
    config = copy.deepcopy(VALID)
    config["figures"] = dict(reversed(config["figures"].items()))
    asked = experiments.check(config, "c.yaml")
    assert list(asked.figures) == list(config["figures"])
    assert asked.figures == experiments.check(VALID, "c.yaml").figures


def test_the_quick_scale_draws_every_figure_of_the_paper_with_fewer_runs():
    paper, quick = experiments.read(PAPER), experiments.read(QUICK)
    assert paper.figures.keys() == quick.figures.keys()
    assert len(quick.runs()) < len(paper.runs()) / 10
    for name, figure in quick.figures.items():
        papers = paper.figures[name]
        assert (figure.kind, figure.methods) == (papers.kind, papers.methods)
        assert (figure.environments, figure.beta_mu) == (papers.environments, papers.beta_mu)
        for quantity in ("alphas", "mus", "drifts"):
            assert set(getattr(figure, quantity)) <= set(getattr(papers, quantity))
        assert figure.length < papers.length


def test_the_projects_configs_state_every_reading_of_the_paper():
    for path in (PAPER, QUICK, PREVIEW):
        stated = yaml.safe_load(path.read_text(encoding="utf-8"))["readings"]
        assert stated == {reading.key: reading.default for reading in experiments.READINGS}
        assert list(stated) == [reading.key for reading in experiments.READINGS]


def test_an_environment_has_its_own_readings():
    asked = experiments.check(changed(("readings", "time_limit"), "bootstrap"), "c.yaml")
    plain, drifting = (asked.readings_of(f"{name}mountain_car") for name in ("", "drifting_"))
    assert plain["time_limit"] == drifting["time_limit"] == "bootstrap"
    assert drifting == {**plain, "drift_and_noise": "signs_persist"} != plain
    assert asked.readings.items() >= drifting.items()
    for environment, asks in experiments.QUESTIONS.items():
        assert list(asked.readings_of(environment)) == [reading.key for reading in asks]


def with_variant(answer="trace_product"):
    """A config in which a second figure asks for the same tuples under another reading."""
    entry = {**VALID["figures"]["figure_1"], "method": "nosid", "mu": ["2^-10"]}
    return {
        "scale": "x",
        "figures": {"own": entry, "variant": {**entry, "readings": {"nosid_normaliser": answer}}},
    }


def test_the_same_tuple_under_another_reading_is_another_run():
    asked = experiments.check(with_variant(), "c.yaml")
    own, variant = asked.figures.values()
    assert own.runs() == variant.runs()
    assert asked.variants() == ["", "nosid_normaliser~trace_product"]
    assert len(asked.all_runs()) == 2 * len(own.runs())
    assert asked.readings_of("mountain_car")["nosid_normaliser"] == "td_error"
    assert asked.readings_of("mountain_car", variant.variant) == {
        **asked.readings_of("mountain_car"),
        "nosid_normaliser": "trace_product",
    }
    assert experiments.below("results/x", own.variant) == "results/x"
    assert experiments.below("results/x", variant.variant) == "results/x/readings/nosid_normaliser~trace_product"


def test_a_reading_that_is_the_configs_own_makes_no_variant():
    asked = experiments.check(with_variant("td_error"), "c.yaml")
    assert asked.variants() == [""] and len(asked.all_runs()) == len(asked.figures["own"].runs())


def test_runs_of_different_readings_may_differ_in_length():
    config = with_variant()
    config["figures"]["variant"]["episodes"] = 7
    assert set(experiments.check(config, "c.yaml").all_runs().values()) == {10, 7}
    config["figures"]["variant"]["readings"] = {}
    with pytest.raises(UserError, match="the same runs need the same number of episodes"):
        experiments.check(config, "c.yaml")


@pytest.mark.parametrize(
    ("own", "complaint"),
    [
        ({"nosid_normalizer": "td_error"}, "variant.readings.nosid_normalizer: there is no such reading"),
        ({"nosid_normaliser": "delta"}, "figures.variant.readings.nosid_normaliser: 'delta' is no answer"),
        ({"learned_reward": "raw"}, "figures.variant.readings.learned_reward: there is no such"),
        ({"nosid_normaliser": 3}, "figures.variant.readings.nosid_normaliser: is 3; it must be an answer"),
        ("td_error", "figures.variant.readings: is \"td_error\"; it must be a table of reading and answer"),
    ],
)  # fmt: skip
def test_a_wrong_reading_of_a_figure_is_refused(own, complaint):
    config = with_variant()
    config["figures"]["variant"]["readings"] = own
    with pytest.raises(UserError) as refused:
        experiments.check(config, "c.yaml")
    assert complaint in str(refused.value)


def with_comparison(**more):
    """A config whose last figure compares the two before it."""
    untuned = {**VALID["figures"]["figure_1"], "alpha": ["2^-5", "2^-9"]}
    tuned = {**untuned, "method": "scalar", "alpha": ["2^-9", "2^-11"], "mu": ["2^-9", "2^-7"]}
    compared = {"section": "comparisons", "title": "All", "kind": "compared", "of": ["one", "two"], **more}
    return {"scale": "x", "figures": {"all": compared, "one": untuned, "two": tuned}}


def test_a_comparison_has_the_runs_of_its_figures_and_no_others():
    asked = experiments.check(with_comparison(), "c.yaml")
    compared, one, two = asked.figures.values()
    assert compared.of == (one, two)
    assert compared.runs() == compared.some_runs() == (*one.runs(), *two.runs())
    assert len(asked.all_runs()) == len(one.runs()) + len(two.runs())
    assert (compared.methods, compared.environments) == (("none", "scalar"), ("mountain_car",))
    assert (compared.alphas, compared.mus) == (("2^-5", "2^-9", "2^-11"), ("2^-7", "2^-9"))
    assert (compared.seeds, compared.length, compared.readings) == (one.seeds, one.length, one.readings)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"of": ["one", "three"]}, "figures.all.of[1]: 'three' is no figure of kind step_sizes under"),
        ({"of": []}, "figures.all.of: is []; it must be a list of different figures"),
        ({"of": ["all"]}, "figures.all.of[0]: 'all' is no figure of kind step_sizes under"),
        ({"seeds": 3}, "figures.all.seeds: a figure of kind compared takes it from the figures in of"),
        ({"readings": {"time_limit": "bootstrap"}}, "figures.all.readings: a figure of kind compared takes"),
        ({"kind": "step_sizes"}, "figures.all.environment: is missing; it must be an environment, one of"),
    ],
)
def test_a_wrong_comparison_is_refused(more, complaint):
    with pytest.raises(UserError) as refused:
        experiments.check(with_comparison(**more), "c.yaml")
    assert complaint in str(refused.value)


def test_figures_that_are_not_alike_are_not_compared():
    config = with_comparison()
    config["figures"]["two"]["seeds"] = 1
    with pytest.raises(UserError, match=r"figures\.all\.of: one and two differ in seeds; .* must have the same"):
        experiments.check(config, "c.yaml")
    config = with_comparison()
    config["figures"]["two"] |= {"method": "nosid", "readings": {"nosid_normaliser": "trace_product"}}
    with pytest.raises(UserError, match=r"'two' is no figure .* it must be one of one$"):
        experiments.check(config, "c.yaml")


def test_of_is_for_comparisons_alone():
    config = with_comparison()
    config["figures"]["two"]["of"] = ["one"]
    with pytest.raises(UserError, match=r"figures\.two\.of: is for figures of kind compared alone; leave it out"):
        experiments.check(config, "c.yaml")
    del config["figures"]["two"]["of"], config["figures"]["all"]["of"]
    with pytest.raises(UserError, match=r"figures\.all\.of: is missing; it must be a list of different figures"):
        experiments.check(config, "c.yaml")


def test_a_question_of_two_environments_is_asked_once():
    keys = [reading.key for reading in experiments.READINGS]
    assert len(set(keys)) == len(keys)
    parts = Counter(reading.id for reading in experiments.READINGS)
    assert parts == {**dict.fromkeys(parts, 1), "R10": 3}
    assert set(keys) == {reading.key for asks in experiments.QUESTIONS.values() for reading in asks}


def test_a_figures_runs_go_by_mu_and_alpha_and_seed():
    figure = experiments.check(VALID, "c.yaml").figures["figure_2"]
    assert figure.methods == ("scalar",) and (figure.kind, figure.beta_mu) == ("step_sizes", None)
    assert figure.runs() == tuple(
        RunKey("mountain_car", "scalar", alpha, mu, "0", seed)
        for mu in ("2^-6", "4e-6")
        for alpha in ("2^-8", "0.001")
        for seed in (0, 3)
    )


def test_of_several_methods_the_untuned_one_is_there_once_with_no_mu():
    figure = experiments.check(VALID, "c.yaml").figures["figure_6"]
    assert [(run.drift, run.method, run.mu, run.seed) for run in figure.runs()] == [
        (drift, method, mu, seed)
        for drift in ("4e-6", "0")
        for method, mu in (("none", "0"), ("vector", "2^-6"), ("vector", "2^-8"))
        for seed in (0, 1)
    ]


def test_a_list_of_one_method_is_that_method():
    config = changed(("figures", "figure_1", "method"), ["none"])
    assert experiments.check(config, "c.yaml").figures == experiments.check(VALID, "c.yaml").figures


def test_a_figure_of_step_sizes_may_drift_at_one_rate():
    drifting = {"environment": "drifting_mountain_car", "drift": ["4e-6"], "episodes": 30}
    config = copy.deepcopy(VALID)
    for name in ("figure_1", "figure_2"):
        config["figures"][name] |= drifting
    figure = experiments.check(config, "c.yaml").figures["figure_2"]
    assert figure.drifting and {run.drift for run in figure.runs()} == {"4e-6"}


def test_figures_that_share_runs_share_them():
    config = copy.deepcopy(VALID)
    config["figures"]["again"] = {**config["figures"]["figure_1"], "alpha": ["2^-9", "2^-10"]}
    asked = experiments.check(config, "c.yaml")
    untuned = [run for run in asked.runs() if (run.environment, run.method) == ("mountain_car", "none")]
    assert len(untuned) == 3 * 2
    both = set(asked.figures["figure_6"].runs()) & set(asked.figures["figure_7"].runs())
    assert {(run.method, run.drift) for run in both} == {("vector", "4e-6")} and len(both) == 2 * 2
    every = {run for figure in asked.figures.values() for run in figure.runs()}
    assert every == set(asked.runs())


def test_defaults_are_filled_in_and_the_config_is_left_alone():
    config = {"scale": "tiny", "figures": {"figure_1": copy.deepcopy(VALID["figures"]["figure_1"])}}
    before = copy.deepcopy(config)
    asked = experiments.check(config, "c.yaml")
    assert config == before
    assert asked.final_episodes == 100 and asked.spread_alpha_max == "2^-5"
    assert asked.readings == {reading.key: reading.default for reading in experiments.READINGS}
    figure = asked.figures["figure_1"]
    assert (figure.ours, figure.reference, figure.kind, figure.beta_mu) == ("", None, "step_sizes", None)
    assert (figure.methods, figure.mus, figure.drifts) == (("none",), ("0",), ("0",))


FIGURE = ("figures", "figure_2")
SIX, SEVEN, EIGHT, NINE = (("figures", f"figure_{number}") for number in (6, 7, 8, 9))
BAD = {
    "an unknown method": ((*FIGURE, "method"), "scalr", "figures.figure_2.method", "one of none, scalar,"),
    "an unknown environment": (
        (*FIGURE, "environment"),
        "cartpole",
        "figures.figure_2.environment",
        "mountain_car",
    ),
    "an unknown section": ((*FIGURE, "section"), "linear", "figures.figure_2.section", "mountain_car"),
    "an unknown key": (
        ("sacle",),
        "x",
        "sacle",
        "the keys here are scale, readings, statistics, device, figures",
    ),
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
    "an unknown kind": ((*SIX, "kind"), "bars", "figures.figure_6.kind", "step_sizes, best_mu, mu_and_beta"),
    "no method": ((*SIX, "method"), [], "figures.figure_6.method", "a list of different ones"),
    "a method twice": (
        (*SIX, "method"),
        ["vector", "vector"],
        "figures.figure_6.method",
        "a list of different ones",
    ),
    "an unknown method in a list": (
        (*SIX, "method", 1),
        "vektor",
        "figures.figure_6.method",
        "a list of different ones",
    ),
    "several methods without mu": (
        (*SIX, "mu"),
        REMOVED,
        "figures.figure_6.mu",
        "is missing; method vector needs a list of meta-step-sizes such as [2^-8]",
    ),
    "mu and no method that has one": (
        (*SIX, "method"),
        ["none"],
        "figures.figure_6.mu",
        "method none has no meta-step-size; leave mu out",
    ),
    "a drift on plain mountain car": (
        (*FIGURE, "drift"),
        ["4e-6"],
        "figures.figure_2.drift",
        "mountain_car has none; leave drift out, or use drifting_mountain_car",
    ),
    "no drift on the drifting one": (
        (*SIX, "drift"),
        REMOVED,
        "figures.figure_6.drift",
        'is missing; drifting_mountain_car needs a list of rates such as ["4e-6"]',
    ),
    "an empty list of drifts": ((*SIX, "drift"), [], "figures.figure_6.drift", "at least one"),
    "one drift, no list": ((*SIX, "drift"), "4e-6", "figures.figure_6.drift", 'such as "4e-6"'),
    "a drift above 1": (
        (*SIX, "drift", 1),
        "2^1",
        "figures.figure_6.drift[1]",
        "is 2^1; it must be a probability from 0 to 1",
    ),
    "a negative drift": ((*SIX, "drift", 1), "-4e-6", "figures.figure_6.drift[1]", "from 0 up"),
    "a drift that is no number": ((*SIX, "drift", 1), "often", "figures.figure_6.drift[1]", "4e-6"),
    "an unquoted drift": ((*SIX, "drift", 0), 4e-6, "figures.figure_6.drift[0]", "quote it"),
    "a drift spelled otherwise": (
        (*SIX, "drift", 0),
        "4e-06",
        "figures.figure_6.drift[0]",
        "spelled '4e-6' here",
    ),
    "a drift twice": ((*SIX, "drift"), ["4e-6", "0", "4e-6"], "figures.figure_6.drift[2]", "there twice"),
    "step sizes of two methods": (
        (*FIGURE, "method"),
        ["scalar", "nosid"],
        "figures.figure_2.method",
        "has 2 values; a figure of kind step_sizes has one method",
    ),
    "step sizes at two drifts": (
        SIX,
        {**VALID["figures"]["figure_6"], "kind": "step_sizes", "method": "vector"},
        "figures.figure_6.drift",
        "has 2 values; a figure of kind step_sizes has one drift",
    ),
    "the best mu at two alphas": (
        (*SIX, "alpha"),
        ["2^-10", "2^-9"],
        "figures.figure_6.alpha",
        "has 2 values; a figure of kind best_mu has one alpha",
    ),
    "betas at two alphas": (
        (*SEVEN, "alpha"),
        ["2^-10", "2^-9"],
        "figures.figure_7.alpha",
        "has 2 values; a figure of kind mu_and_beta has one alpha",
    ),
    "betas at three drifts": (
        (*SEVEN, "drift"),
        ["4e-6", "6e-6", "0"],
        "figures.figure_7.drift",
        "has 3 values; a figure of kind mu_and_beta has one drift",
    ),
    "a reference of the best mu": (
        (*SIX, "reference"),
        "figure_1",
        "figures.figure_6.reference",
        "is for figures of kind step_sizes alone; leave it out",
    ),
    "a reference of betas": (
        (*SEVEN, "reference"),
        "figure_1",
        "figures.figure_7.reference",
        "is for figures of kind step_sizes alone; leave it out",
    ),
    "a beta mu of step sizes": (
        (*FIGURE, "beta_mu"),
        "2^-6",
        "figures.figure_2.beta_mu",
        "is for figures of kind mu_and_beta alone; leave it out",
    ),
    "a beta mu of the best mu": (
        (*SIX, "beta_mu"),
        "2^-6",
        "figures.figure_6.beta_mu",
        "is for figures of kind mu_and_beta alone; leave it out",
    ),
    "betas with none among the methods": (
        (*SEVEN, "method", 1),
        "none",
        "figures.figure_7.kind",
        "it must be another kind, or have that environment and no method none",
    ),
    "betas on plain mountain car": (
        SEVEN,
        {
            key: value
            for key, value in {**VALID["figures"]["figure_7"], "environment": "mountain_car"}.items()
            if key != "drift"
        },
        "figures.figure_7.kind",
        "mu_and_beta shows how tuning methods move β on drifting_mountain_car",
    ),
    "no beta mu": (
        (*SEVEN, "beta_mu"),
        REMOVED,
        "figures.figure_7.beta_mu",
        "is missing; it must be one of mu: 2^-6, 2^-8",
    ),
    "a beta mu that is none of mu": (
        (*SEVEN, "beta_mu"),
        "2^-7",
        "figures.figure_7.beta_mu",
        "is 2^-7; it must be one of mu: 2^-6, 2^-8",
    ),
    "a beta mu of zero": ((*SEVEN, "beta_mu"), 0, "figures.figure_7.beta_mu", "is 0; it must be one of mu"),
    "a list of beta mus": (
        (*SEVEN, "beta_mu"),
        ["2^-6", "2^-8"],
        "figures.figure_7.beta_mu",
        "must be one of mu: 2^-6, 2^-8",
    ),
    "a reference with other methods too": (
        (*FIGURE, "reference"),
        "figure_6",
        "figures.figure_2.reference",
        "'figure_6' is no figure of untuned runs with this environment and drift; it must be one of figure_1",
    ),
    "a reference to itself": (
        (*FIGURE, "reference"),
        "figure_2",
        "figures.figure_2.reference",
        "'figure_2' is no figure of untuned runs",
    ),
    "a mountain car among games": (
        (*NINE, "environment", 1),
        "mountain_car",
        "figures.figure_9.environment",
        "a figure of kind games has some of asterix, beam_rider,",
    ),
    "a game in a figure of mountain cars": (
        (*FIGURE, "environment"),
        "seaquest",
        "figures.figure_2.environment",
        "a figure of kind step_sizes has one of mountain_car, drifting_mountain_car",
    ),
    "two mountain cars": (
        (*FIGURE, "environment"),
        ["mountain_car", "drifting_mountain_car"],
        "figures.figure_2.environment",
        "has 2 values; a figure of kind step_sizes has one environment",
    ),
    "a game twice": (
        (*NINE, "environment"),
        ["freeway", "freeway"],
        "figures.figure_9.environment",
        "list of different games",
    ),
    "no frames": ((*EIGHT, "frames"), 0, "figures.figure_8.frames", "from 1 to"),
    "frames missing": ((*EIGHT, "frames"), REMOVED, "figures.figure_8.frames", "a whole number of frames"),
    "frames of a mountain car": ((*FIGURE, "frames"), 10, "figures.figure_2.frames", "say episodes instead"),
    "episodes of a game": ((*EIGHT, "episodes"), 10, "figures.figure_8.episodes", "say frames instead"),
    "drift of a game": ((*EIGHT, "drift"), ["4e-6"], "figures.figure_8.drift", "leave drift out"),
    "two mu on games": ((*EIGHT, "mu"), ["0.001", "2^-8"], "figures.figure_8.mu", "has one mu"),
    "a game's runs with other frames": (
        (*NINE, "frames"),
        600,
        "figures.figure_9.frames",
        "figure_8 has the same runs with 700; the same runs need the same number of frames",
    ),
    "a reference for games": (
        (*EIGHT, "reference"),
        "figure_1",
        "figures.figure_8.reference",
        "leave it out",
    ),
    "a choice without a method": (
        (*NINE, "alpha", "method"),
        REMOVED,
        "figures.figure_9.alpha",
        "{best: how many, of: a figure, method: one of its methods}",
    ),
    "a choice of more than there are": (
        (*NINE, "alpha", "best"),
        4,
        "figures.figure_9.alpha.best",
        "is 4, but figure_8 has 3 α",
    ),
    "a choice of nobody": (
        (*NINE, "alpha", "of"),
        "figure_6",
        "figures.figure_9.alpha.of",
        "is no figure of kind games with one environment and α of its own; it must be one of figure_8",
    ),
    "a choice of itself": (
        (*NINE, "alpha", "of"),
        "figure_9",
        "figures.figure_9.alpha.of",
        "must be one of figure_8",
    ),
    "a choice by a method that is not there": (
        (*NINE, "alpha", "method"),
        "vector",
        "figures.figure_9.alpha.method",
        "figure_8 has no method vector; it must be one of none, mixed",
    ),
    "a choice for a mountain car": (
        (*FIGURE, "alpha"),
        {"best": 1, "of": "figure_8", "method": "mixed"},
        "figures.figure_2.alpha",
        "a figure of kind step_sizes names its α",
    ),
    "an unknown device": (("device",), "tpu", "device", "one of auto"),
}


@pytest.mark.parametrize("path, value, key, right", BAD.values(), ids=BAD.keys())
def test_a_wrong_value_is_refused_with_its_key_and_what_would_be_right(path, value, key, right):
    experiments.check(VALID, "c.yaml")
    line = refusal(changed(path, value))
    assert line.startswith(f"c.yaml: {key}: ")
    assert right in line


@pytest.mark.parametrize("drift, fits", [("4e-6", True), ("6e-6", False)])
def test_a_reference_has_the_same_environment_and_drift(drift, fits):
    config = copy.deepcopy(VALID)
    for name, rate in (("figure_1", drift), ("figure_2", "4e-6")):
        config["figures"][name] |= {"environment": "drifting_mountain_car", "drift": [rate], "episodes": 30}
    if fits:
        assert experiments.check(config, "c.yaml").figures["figure_2"].reference == "figure_1"
        return
    line = refusal(config)
    assert line.startswith("c.yaml: figures.figure_2.reference: 'figure_1' ")
    assert line.endswith("with this environment and drift; it must be one of (there is none)")


def test_figures_of_different_kinds_must_agree_on_the_episodes_of_shared_runs():
    line = refusal(changed((*SEVEN, "episodes"), 40))
    assert line.startswith("c.yaml: figures.figure_7.episodes: is 40, but figure_6 has the same runs with 30")
    other_drift = changed((*SEVEN, "drift"), ["6e-6"])
    other_drift["figures"]["figure_7"]["episodes"] = 40
    assert set(experiments.check(other_drift, "c.yaml").runs().values()) == {10, 30, 40, 700}


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


@pytest.mark.parametrize("number", ["1e-5", "0.001", "1E-5", "0", "-0.001", ".nan", "1e-05", "+1e-5", "2.", "1"])
@pytest.mark.parametrize("style", ['"alpha": [2^-8, {}]', '"alpha": [\n2^-8 ,\n {}\n ]'], ids=["line", "lines"])
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
    children = config.items() if isinstance(config, dict) else enumerate(config) if isinstance(config, list) else ()
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
    st.sampled_from(
        [
            "drifting_mountain_car",
            "step_sizes",
            "best_mu",
            "mu_and_beta",
            "games",
            "seaquest",
            "vector",
            "4e-6",
        ]
    ),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["alpha", "mu", "seeds", "x", "figure_1", "best", "of", "method"]) | st.text(max_size=4),
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
        st.text(alphabet=st.sampled_from("abc:-[]{}&*!|>'\"%@`#?,0123456789.eE+^~ \t\n\x85\u2028"), max_size=12)
    )
    key = lines[position].partition(":")[0]
    lines[position] = f"{key}: {junk}" if data.draw(st.booleans()) else junk
    path = tmp_path / "c.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        experiments.read(path)
    except UserError as error:
        assert str(error).startswith(str(path)) and len(str(error).splitlines()) == 1
