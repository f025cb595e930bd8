"""The plan of the workflow's jobs: what each reads, makes and is told."""

import json
from dataclasses import replace

import pytest
from made_up import plan_of
from project import PAPER
from test_reruns import CONFIG

from metatrace.config import loading
from metatrace.errors import UserError
from metatrace.pipeline import outputs
from metatrace.pipeline.plan import Plan, code_of
from metatrace.pipeline.status import WantedRun
from metatrace.runs.key import RunKey

PLAN = plan_of(CONFIG)
RUN = WantedRun("", RunKey("mountain_car", "none", "2^-5", "0", "0", 0))
GAME = WantedRun("", RunKey("catch", "mixed", "2^-6", "0.001", "0", 0))


def plain(value):
    """Whether a value is of plain types, which Snakemake records alike in every process."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and plain(part) for key, part in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return isinstance(value, str | int | float | bool)


@pytest.mark.parametrize("plan", [PLAN, Plan(PAPER, PAPER)], ids=["tiny", "paper"])
def test_what_jobs_are_told_is_one_dict_of_plain_types_with_the_code(plan):
    jobs = [plan.tables_job(figure) for figure in plan.figures]
    jobs += [plan.pictures_job(figure) for figure in plan.figures]
    jobs += [plan.choice_job(figure) for figure in plan.figures if figure.chosen_by]
    jobs += [plan.claims_job(), plan.explorer_job(), plan.try_page_job(), plan.report_job()]
    jobs += [plan.kernel_job(kernel) for kernel in plan.kernels()]
    jobs += [plan.run_job(run) for run in list(plan.lengths)[::500]]
    for job in jobs:
        assert plain(job) and job["code"], job
        assert json.loads(json.dumps(job)) == job


@pytest.mark.parametrize("plan", [PLAN, Plan(PAPER, PAPER)], ids=["tiny", "paper"])
def test_figures_that_share_a_rule_have_the_same_outputs(plan):
    for rules, names_of in ((plan.tables_rules(), outputs.tables_of), (plan.pictures_rules(), outputs.pictures_of)):
        assert sorted(figure.name for figures in rules.values() for figure in figures) == sorted(plan.asked.figures)
        for figures in rules.values():
            names = {tuple(name.removeprefix(figure.name) for name in names_of(figure)) for figure in figures}
            assert len(names) == 1
    assert {"pictures_step_sizes", "pictures_step_sizes_sensitivity_heat_map"} <= set(plan.pictures_rules())


def test_a_trial_gets_the_kernels_of_all_its_methods_and_minatar_no_graphics_card():
    game = CONFIG.replace("environment: catch", "environment: minatar_breakout").replace("device: cpu", "device: auto")
    plan = plan_of(game.replace("[none, mixed]", "[none, mixed, rmsprop]"))
    (domain,) = plan.long_domains()
    assert plan.trial(domain).count("--kernel") == 2 and "related_kernel" in plan.trial(domain)
    assert plan.resources(domain, RUN.__class__)["gpu"] == 0


def test_a_run_is_told_its_length_readings_and_device():
    car, game = PLAN.run_job(RUN), PLAN.run_job(GAME)
    assert car["options"].startswith("--episodes 30 --reading time_limit=terminal ") and "device" not in car["options"]
    assert game["options"].startswith("--frames 100 --reading ") and game["options"].endswith(" --device cpu")
    assert car["code"] == code_of("run_mountain_car_none")


def test_a_run_that_the_config_does_not_ask_for_is_refused():
    with pytest.raises(UserError, match="the config asks for no run results/tiny/runs/mountain_car/none/alpha~2"):
        PLAN.run_job(RUN._replace(key=replace(RUN.key, seed=7)))


def test_only_long_runs_have_checkpoints_and_a_time_of_their_own(tmp_path):
    cars, games = PLAN.domains()
    assert PLAN.run_options(RUN, ["a kernel.o"]) == "--kernel 'a kernel.o'"
    checkpoint = "results/tiny/checkpoints/catch/mixed/alpha~2^-6/mu~0.001/drift~0/seed~0.npz"
    assert PLAN.run_options(GAME, []) == f"--checkpoint '{checkpoint}'"
    assert PLAN.resources(cars, lambda wildcards: RUN) == {} and PLAN.long_domains() == [games]
    (tmp_path / "times.json").write_text('{"mixed": 60000.0}')
    assert PLAN.minutes(GAME, str(tmp_path / "times.json")) == 10 + 2 * 100


def test_little_to_learn_is_not_worth_a_word_and_much_is_told_by_method():
    plan = Plan(PAPER, PAPER)
    games, _ = plan.long_domains()
    assert PLAN.left_to_learn(games, [GAME], []) == (0, {})
    count, frames = plan.left_to_learn(games, [RUN], ["figure_9"])
    figure = plan.figure("figure_9")
    assert 0 < count <= len(figure.some_runs())
    assert set(frames) == set(figure.methods) and sum(frames.values()) == count * figure.length


def test_the_config_of_all_jobs_is_written_as_it_is_in_force(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "c.yaml"
    config.write_text(CONFIG.replace("scale: tiny", "scale: one"))
    asked = loading.resolve([config], {"scale": "x", "readings": {"time_limit": "bootstrap"}})
    Plan(asked, PAPER).write_config()
    again = loading.read(tmp_path / "results/x/config.yaml")
    assert again == asked and again.readings["time_limit"] == "bootstrap"


def test_another_look_of_a_method_redraws_its_pictures_and_no_others(monkeypatch):
    from metatrace.pipeline import plan as plans

    before = {figure.name: PLAN.pictures_job(figure) for figure in PLAN.figures}
    mixed = replace(plans.METHODS["mixed"], colour="#123456")
    monkeypatch.setitem(plans.METHODS, "mixed", mixed)
    changed = {figure.name for figure in PLAN.figures if PLAN.pictures_job(figure) != before[figure.name]}
    assert changed == {figure.name for figure in PLAN.figures if "mixed" in figure.methods}
