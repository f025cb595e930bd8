"""Configs: which runs they ask for."""

import copy
import dataclasses
from collections import Counter
from pathlib import Path

import pytest
from configs import NINE, VALID, changed

from metatrace.config import experiments, loading
from metatrace.domains.registry import ENVIRONMENTS, READINGS, methods_of
from metatrace.errors import UserError
from metatrace.figures.kinds.games import Choice
from metatrace.runs.key import RunKey

CONFIGS = Path(__file__).parents[2] / "config"
PAPER, QUICK, PREVIEW = (CONFIGS / f"{scale}.yaml" for scale in ("paper", "quick", "preview"))
# Sections of which the paper has nothing.
OURS = ("comparisons", "fresh_seeds", "alternatives", "minatar", "related", "elsewhere")
MINATAR = [
    *("figure_m1", "figure_m2", "figure_m3", "figure_m4"),
    *("figure_m5_breakout", "figure_m5_space_invaders", "figure_m5_asterix"),
    *("figure_m6", "figure_m7"),
]
PUBLISHED = MINATAR[4:7]


@pytest.mark.parametrize("path", [PAPER, QUICK, PREVIEW], ids=lambda path: path.stem)
def test_the_configs_of_the_project_are_valid(path):
    asked = loading.read(path)
    assert asked.scale == path.stem
    numbered = [f"figure_{name}" for name in (1, 2, 3, 4, 5, 6, 7, 8, 9, "s1", "s2")]
    assert list(asked.figures)[:11] == numbered
    others = list(asked.figures.values())[11:]
    assert {figure.section for figure in others} == set(OURS)
    assert [figure.name for figure in asked.sections()["minatar"]] == MINATAR


def test_the_paper_asks_for_so_many_runs_and_1320_that_it_omits():
    paper = loading.read(PAPER)
    runs = {
        run: figure.length
        for figure in paper.figures.values()
        if figure.section not in OURS
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
    } | {section: by_section[section] for section in OURS}
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
        for name, figure in loading.read(PAPER).figures.items()
        if figure.environments == ("mountain_car",) and figure.section not in OURS
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
    figures = loading.read(PAPER).figures
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
    figures = loading.read(PAPER).figures
    eight, nine = figures["figure_8"], figures["figure_9"]
    assert (eight.environments, eight.seeds) == (("seaquest",), (0,))
    assert eight.methods == ("none", "scalar", "vector", "mixed")
    assert eight.alphas == tuple(f"2^-{power}" for power in range(6, 14)) and eight.best is None
    assert nine.environments == ("space_invaders", "seaquest", "asterix", "beam_rider", "freeway")
    assert (nine.methods, nine.seeds) == (("none", "mixed"), tuple(range(5)))
    assert (nine.best, nine.alphas) == (Choice(best=3, from_figure="figure_8", method="mixed"), eight.alphas)
    for figure in (eight, nine):
        assert (figure.kind, figure.mus, figure.drifts) == ("games", ("0.001",), ("0",))
        assert (figure.length, figure.unit, figure.smoothing) == (12_500_000, "observed frames", 40)
    assert len(eight.runs()) == 32 and len(nine.some_runs()) == 150


def test_minatars_figures_are_like_those_of_the_papers_games():
    figures = loading.read(PAPER).figures
    one, two = figures["figure_m1"], figures["figure_m2"]
    assert (one.environments, one.methods) == (("minatar_breakout",), figures["figure_8"].methods)
    assert one.alphas == tuple(f"2^-{power}" for power in range(2, 18, 2))
    assert len(two.environments) == 5 and two.methods == ("none", "mixed")
    assert (two.best, two.alphas) == (Choice(best=3, from_figure="figure_m1", method="mixed"), one.alphas)
    for figure in (one, two):
        assert (figure.section, figure.kind, figure.mus) == ("minatar", "games", ("0.001",))
        assert (figure.length, figure.smoothing) == (500_000, 40)
    assert len(one.runs()) == 4 * 8 * 3 and len(two.some_runs()) == 5 * 2 * 3 * 5


def test_rmsprop_on_minatar_is_chosen_on_breakout_and_then_as_its_authors_published_it():
    figures = loading.read(PAPER).figures
    sweep, games = figures["figure_m3"], figures["figure_m4"]
    assert sweep.environments == ("minatar_breakout",) and games.environments == figures["figure_m2"].environments
    assert games.best == Choice(best=1, from_figure="figure_m3", method="rmsprop")
    assert (sweep.length, games.length, games.seeds) == (500_000, 500_000, figures["figure_m2"].seeds)
    published = [figures[name] for name in PUBLISHED]
    assert [(figure.environments, figure.alphas, figure.length) for figure in published] == [
        (("minatar_breakout",), ("2^-11",), 1_000_000),
        (("minatar_space_invaders",), ("2^-12",), 1_000_000),
        (("minatar_asterix",), ("2^-12",), 5_000_000),
    ]
    # Verdicts resample the seeds that all figures of a claim share.
    assert len({figure.seeds for figure in published}) == 1
    assert all(figure.methods == ("rmsprop",) for figure in (sweep, games, *published))


def test_sarsa_on_minatar_is_chosen_on_breakout():
    figures = loading.read(PAPER).figures
    sweep, games = figures["figure_m6"], figures["figure_m7"]
    assert sweep.environments == ("minatar_breakout",) and games.environments == figures["figure_m2"].environments
    assert games.best == Choice(best=1, from_figure="figure_m6", method="sarsa-none")
    assert (sweep.length, games.length, games.seeds) == (500_000, 500_000, figures["figure_m2"].seeds)


def test_the_long_minatar_is_that_of_the_paper_with_as_many_frames_as_published():
    paper, long = loading.read(PAPER), loading.read(CONFIGS / "minatar_long.yaml")
    assert long.scale == "minatar_long" and list(long.figures) == MINATAR
    for name, figure in long.figures.items():
        kept = paper.figures[name].length if name in PUBLISHED else 5_000_000
        assert figure == dataclasses.replace(paper.figures[name], length=kept)


def test_the_linear_part_has_minatar_but_no_atari():
    paper, linear = loading.read(PAPER), loading.read(CONFIGS / "linear.yaml")
    assert [name for name in paper.figures if name not in linear.figures] == ["figure_8", "figure_9"]


def test_the_preview_is_the_paper_but_for_the_length_and_seeds_of_games():
    paper, preview = (loading.read(path).content | {"scale": ""} for path in (PAPER, PREVIEW))
    for name in ("figure_8", "figure_9", *MINATAR):
        few, many = preview["figures"][name], paper["figures"][name]
        assert few["frames"] == 200_000 and few["seeds"] <= many["seeds"]
        few |= {"frames": many["frames"], "seeds": many["seeds"]}
    assert preview == paper


def test_chosen_alphas_make_as_many_runs_whatever_is_chosen():
    asked = loading.check(VALID, "c.yaml")
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
    asked = loading.check(changed((*NINE, "alpha"), ["2^-9"]), "c.yaml")
    nine = asked.figures["figure_9"]
    assert nine.best is None and nine.some_runs() == nine.runs() and len(nine.runs()) == 2 * 2 * 2


def test_a_figure_may_stand_before_the_one_that_chooses_its_alphas():
    config = copy.deepcopy(VALID)
    config["figures"] = dict(reversed(config["figures"].items()))
    asked = loading.check(config, "c.yaml")
    assert list(asked.figures) == list(config["figures"])
    assert asked.figures == loading.check(VALID, "c.yaml").figures


def test_the_quick_scale_draws_every_figure_of_the_paper_with_fewer_runs():
    paper, quick = loading.read(PAPER), loading.read(QUICK)
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
        stated = loading.read(path).content["readings"]
        assert stated == {reading.key: reading.default for reading in READINGS}
        assert list(stated) == [reading.key for reading in READINGS]


def test_an_environment_has_its_own_readings():
    asked = loading.check(changed(("readings", "time_limit"), "bootstrap"), "c.yaml")
    plain, drifting = (asked.readings_of(f"{name}mountain_car", "none") for name in ("", "drifting_"))
    assert plain["time_limit"] == drifting["time_limit"] == "bootstrap"
    assert drifting == {**plain, "drift_and_noise": "signs_persist"} != plain
    assert asked.readings.items() >= drifting.items()
    for token, environment in ENVIRONMENTS.items():
        for method in methods_of(token):
            assert list(asked.readings_of(token, method)) == [reading.key for reading in environment.asked(method)]
    assert asked.readings_of("mountain_car", "sarsa-sid").keys() - plain.keys() == {"exploration"}
    assert plain.keys() - asked.readings_of("mountain_car", "sarsa-sid").keys() == {"log_policy"}


def with_variant(answer="trace_product"):
    """A config in which a second figure asks for the same tuples under another reading."""
    entry = {**VALID["figures"]["figure_1"], "method": "nosid", "mu": ["2^-10"]}
    return {
        "scale": "x",
        "figures": {"own": entry, "variant": {**entry, "readings": {"nosid_normaliser": answer}}},
    }


def test_the_same_tuple_under_another_reading_is_another_run():
    asked = loading.check(with_variant(), "c.yaml")
    own, variant = asked.figures.values()
    assert own.runs() == variant.runs()
    assert asked.variants() == ["", "nosid_normaliser~trace_product"]
    assert len(asked.all_runs()) == 2 * len(own.runs())
    assert asked.readings_of("mountain_car", "nosid")["nosid_normaliser"] == "td_error"
    assert asked.readings_of("mountain_car", "nosid", variant.variant) == {
        **asked.readings_of("mountain_car", "nosid"),
        "nosid_normaliser": "trace_product",
    }
    assert experiments.variant_folder("results/x", own.variant) == "results/x"
    assert (
        experiments.variant_folder("results/x", variant.variant) == "results/x/readings/nosid_normaliser~trace_product"
    )


def test_a_reading_that_is_the_configs_own_makes_no_variant():
    asked = loading.check(with_variant("td_error"), "c.yaml")
    assert asked.variants() == [""] and len(asked.all_runs()) == len(asked.figures["own"].runs())


def test_runs_of_different_readings_may_differ_in_length():
    config = with_variant()
    config["figures"]["variant"]["episodes"] = 7
    assert set(loading.check(config, "c.yaml").all_runs().values()) == {10, 7}
    config["figures"]["variant"]["readings"] = {}
    with pytest.raises(UserError, match="the same runs need the same number of episodes"):
        loading.check(config, "c.yaml")


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
        loading.check(config, "c.yaml")
    assert complaint in str(refused.value)


def with_comparison(**more):
    """A config whose last figure compares the two before it."""
    untuned = {**VALID["figures"]["figure_1"], "alpha": ["2^-5", "2^-9"]}
    tuned = {**untuned, "method": "scalar", "alpha": ["2^-9", "2^-11"], "mu": ["2^-9", "2^-7"]}
    compared = {"section": "comparisons", "title": "All", "kind": "compared", "members": ["one", "two"], **more}
    return {"scale": "x", "figures": {"all": compared, "one": untuned, "two": tuned}}


def test_a_comparison_has_the_runs_of_its_figures_and_no_others():
    asked = loading.check(with_comparison(), "c.yaml")
    compared, one, two = asked.figures.values()
    assert compared.members == (one, two)
    assert compared.runs() == compared.some_runs() == (*one.runs(), *two.runs())
    assert len(asked.all_runs()) == len(one.runs()) + len(two.runs())
    assert (compared.methods, compared.environments) == (("none", "scalar"), ("mountain_car",))
    assert (compared.alphas, compared.mus) == (("2^-5", "2^-9", "2^-11"), ("2^-7", "2^-9"))
    assert (compared.seeds, compared.length, compared.readings) == (one.seeds, one.length, one.readings)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"members": ["one", "three"]}, "figures.all.members[1]: 'three' is no figure of kind step_sizes under"),
        ({"members": []}, "figures.all.members: is []; it must be a list of different figures"),
        ({"members": ["all"]}, "figures.all.members[0]: 'all' is no figure of kind step_sizes under"),
        ({"seeds": 3}, "figures.all.seeds: a figure of kind compared takes it from its members"),
        ({"readings": {"time_limit": "bootstrap"}}, "figures.all.readings: a figure of kind compared takes"),
        (
            {"kind": "step_sizes"},
            "figures.all.members: is for figures of kind compared, errors_compared alone; leave it out",
        ),
    ],
)
def test_a_wrong_comparison_is_refused(more, complaint):
    with pytest.raises(UserError) as refused:
        loading.check(with_comparison(**more), "c.yaml")
    assert complaint in str(refused.value)


def test_figures_that_are_not_alike_are_not_compared():
    config = with_comparison()
    config["figures"]["two"]["seeds"] = 1
    with pytest.raises(UserError, match=r"figures\.all\.members: one and two differ in seeds; .* must have the same"):
        loading.check(config, "c.yaml")
    config = with_comparison()
    config["figures"]["two"] |= {"method": "nosid", "readings": {"nosid_normaliser": "trace_product"}}
    with pytest.raises(UserError, match=r"'two' is no figure .* it must be one of one$"):
        loading.check(config, "c.yaml")


def test_members_are_for_comparisons_alone():
    config = with_comparison()
    config["figures"]["two"]["members"] = ["one"]
    with pytest.raises(
        UserError, match=r"figures\.two\.members: is for figures of kind compared, errors_compared alone; leave it out"
    ):
        loading.check(config, "c.yaml")
    del config["figures"]["two"]["members"], config["figures"]["all"]["members"]
    with pytest.raises(UserError, match=r"figures\.all\.members: is missing; it must be a list of different figures"):
        loading.check(config, "c.yaml")


def test_a_question_of_two_environments_is_asked_once():
    keys = [reading.key for reading in READINGS]
    assert len(set(keys)) == len(keys)
    parts = Counter(reading.id for reading in READINGS)
    assert parts == {**dict.fromkeys(parts, 1), "R10": 3, "R15": 4}
    assert set(keys) == {reading.key for environment in ENVIRONMENTS.values() for reading in environment.readings}


def test_a_figures_runs_go_by_mu_and_alpha_and_seed():
    figure = loading.check(VALID, "c.yaml").figures["figure_2"]
    assert figure.methods == ("scalar",) and (figure.kind, figure.beta_mu) == ("step_sizes", None)
    assert figure.runs() == tuple(
        RunKey("mountain_car", "scalar", alpha, mu, "0", seed)
        for mu in ("2^-6", "4e-6")
        for alpha in ("2^-8", "0.001")
        for seed in (0, 3)
    )


def test_of_several_methods_the_untuned_one_is_there_once_with_no_mu():
    figure = loading.check(VALID, "c.yaml").figures["figure_6"]
    assert [(run.drift, run.method, run.mu, run.seed) for run in figure.runs()] == [
        (drift, method, mu, seed)
        for drift in ("4e-6", "0")
        for method, mu in (("none", "0"), ("vector", "2^-6"), ("vector", "2^-8"))
        for seed in (0, 1)
    ]


def test_a_list_of_one_method_is_that_method():
    config = changed(("figures", "figure_1", "method"), ["none"])
    assert loading.check(config, "c.yaml").figures == loading.check(VALID, "c.yaml").figures


def test_a_figure_of_step_sizes_may_drift_at_one_rate():
    drifting = {"environment": "drifting_mountain_car", "drift": ["4e-6"], "episodes": 30}
    config = copy.deepcopy(VALID)
    for name in ("figure_1", "figure_2"):
        config["figures"][name] |= drifting
    figure = loading.check(config, "c.yaml").figures["figure_2"]
    assert figure.drifting and {run.drift for run in figure.runs()} == {"4e-6"}


def test_figures_that_share_runs_share_them():
    config = copy.deepcopy(VALID)
    config["figures"]["again"] = {**config["figures"]["figure_1"], "alpha": ["2^-9", "2^-10"]}
    asked = loading.check(config, "c.yaml")
    untuned = [run for run in asked.runs() if (run.environment, run.method) == ("mountain_car", "none")]
    assert len(untuned) == 3 * 2
    both = set(asked.figures["figure_6"].runs()) & set(asked.figures["figure_7"].runs())
    assert {(run.method, run.drift) for run in both} == {("vector", "4e-6")} and len(both) == 2 * 2
    every = {run for figure in asked.figures.values() for run in figure.runs()}
    assert every == set(asked.runs())


def test_defaults_are_filled_in_and_the_config_is_left_alone():
    config = {"scale": "tiny", "figures": {"figure_1": copy.deepcopy(VALID["figures"]["figure_1"])}}
    before = copy.deepcopy(config)
    asked = loading.check(config, "c.yaml")
    assert config == before
    assert asked.final_episodes == 100 and asked.spread_alpha_max == "2^-5"
    assert asked.readings == {reading.key: reading.default for reading in READINGS}
    figure = asked.figures["figure_1"]
    assert (figure.assumptions, figure.reference, figure.kind, figure.beta_mu) == ("", None, "step_sizes", None)
    assert (figure.methods, figure.mus, figure.drifts) == (("none",), ("0",), ("0",))


def test_methods_can_have_step_sizes_of_their_own():
    entry = {**VALID["figures"]["figure_6"], "alpha_of": {"none": ["2^-5", "2^-7"]}}
    figure = loading.check(changed(("figures", "figure_6"), entry), "c.yaml").figures["figure_6"]
    assert figure.alphas == ("2^-5", "2^-7", "2^-10") and figure.seeds == (0, 1)
    assert {(run.method, run.alpha) for run in figure.runs()} == {
        ("none", "2^-5"),
        ("none", "2^-7"),
        ("vector", "2^-10"),
    }
    assert {run.seed for run in figure.runs()} == {0, 1}


def test_runs_of_other_seeds_can_choose_the_settings():
    six = {**VALID["figures"]["figure_6"], "mu": ["2^-8", "2^-9", "2^-10"], "drift": ["4e-6", "6e-6"]}
    eight = {**six, "settings_from": "figure_6", "seeds": "100-104"}
    figures = {"figure_s8": eight, "figure_6": six}
    asked = loading.check({**VALID, "figures": VALID["figures"] | figures}, "c.yaml")
    figure = asked.figures["figure_s8"]
    assert figure.seeds == (100, 101, 102, 103, 104) and figure.chosen_by == "figure_6"
    assert len(figure.runs()) == 5 * 2 * (1 + 3) and len(figure.some_runs()) == 5 * 2 * (1 + 1)
    chosen = ["none 2^-10 0 4e-6", "none 2^-10 0 6e-6", "vector 2^-10 2^-9 4e-6", "vector 2^-10 2^-10 6e-6"]
    assert set(chosen) <= set(figure.candidates())
    assert {(run.method, run.mu, run.drift) for run in figure.runs(chosen)} == {
        ("none", "0", "4e-6"),
        ("none", "0", "6e-6"),
        ("vector", "2^-9", "4e-6"),
        ("vector", "2^-10", "6e-6"),
    }
    assert len(figure.runs(chosen)) == len(figure.some_runs())


def test_a_figure_of_step_sizes_keeps_all_of_them_where_others_choose_its_mu():
    two = VALID["figures"]["figure_2"]
    figures = {"figure_s8": {**two, "settings_from": "figure_2", "seeds": "100-101"}}
    figure = loading.check({**VALID, "figures": VALID["figures"] | figures}, "c.yaml").figures["figure_s8"]
    assert {run.alpha for run in figure.some_runs()} == set(figure.alphas)
    assert len({run.mu for run in figure.some_runs()}) == 1
