"""Tasks that nobody has thought of yet: a new file or two and an entry in the registry, and every method runs on it."""

import numpy as np
import pytest
from extensions import PAGES, add_figure, copy_of, pending
from project import Project

from metatrace import methods
from metatrace.runs.results import load_run

METHODS = [token for token, method in methods.METHODS.items() if "gymnasium" in method.domains]

ACROBOT = '''
"""Acrobot: swing a double pendulum above a line."""

from metatrace.domains.gymnasium.domain import Task

TASK = Task(
    "acrobot",
    "acrobot",
    "Acrobot-v1",
    time_limit=60,
    failed_return=-60.0,
    low=(-1.0, -1.0, -1.0, -1.0, -12.57, -28.28),
    high=(1.0, 1.0, 1.0, 1.0, 12.57, 28.28),
    groups=((0, 1, 4), (2, 3, 5)),
)
'''
# A task of this project's own, with features of its own: two files.
LINE = '''
"""A line of nine places: walk to its right end."""

from metatrace.domains.gymnasium.domain import Task

TASK = Task(
    "line", "the line", "metatrace.domains.a_line:Line-v0",
    time_limit=30, failed_return=-30.0, low=(0.0,), high=(8.0,), features="metatrace.domains.a_line:Places",
)
'''
A_LINE = '''
"""The line, and its features: one for each place."""

import gymnasium
import numpy as np


class Line(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Box(0, 8, (1,))

    def reset(self, **options):
        self.place = 4
        return np.array([self.place], np.float32), {}

    def step(self, action):
        self.place = max(0, self.place + 2 * int(action) - 1)
        return np.array([self.place], np.float32), -1.0, self.place == 8, False, {}


class Places:
    n_features = 9

    def __init__(self, low, high, **tiles):
        pass

    def __call__(self, observation):
        return np.eye(self.n_features)[int(observation[0])]


gymnasium.register("Line-v0", Line)
'''
FIGURE = """\
  figure_{environment}:
    section: comparisons
    title: "Every method on another task"
    kind: best_mu
    environment: {environment}
    method: [{methods}]
    alpha: [2^-9]
    mu: [2^-12]
    seeds: 1
    episodes: 2
    smoothing: 2
"""


def figure(environment, methods):
    return FIGURE.format(environment=environment, methods=", ".join(methods))


@pytest.fixture(scope="module")
def copy(finished, tmp_path_factory):
    """The project with both tasks and a finished scale, which has neither."""
    copy = copy_of(finished, tmp_path_factory.mktemp("extended") / "project")
    for name, text in (("acrobot", ACROBOT), ("line", LINE), ("a_line", A_LINE)):
        (copy.folder / f"metatrace/domains/{name}.py").write_text(text, encoding="utf-8")
    registry, first = "metatrace/domains/registry.py", "from metatrace.domains.atari.domain"
    copy.edit(registry, "TASKS: tuple[Task, ...] = ()", "TASKS: tuple[Task, ...] = (ACROBOT, LINE)")
    imports = [f"from metatrace.domains.{name} import TASK as {name.upper()}\n" for name in ("acrobot", "line")]
    copy.edit(registry, first, "".join([*imports, first]))
    return copy


@pytest.fixture(scope="module")
def with_figures(copy, tmp_path_factory):
    """The same with a figure of every method on one of them, and one of a single method on the other."""
    copy = copy_of(copy, tmp_path_factory.mktemp("figure") / "project")
    add_figure(copy, figure("acrobot", METHODS) + figure("line", ["sid"]))
    return copy


@pytest.fixture(scope="module")
def made(with_figures, made_once):
    """The same with one figure made, and of the other its run. Do not edit it."""
    files = "figure_acrobot", "results/tiny/runs/line/sid/alpha~2^-9/mu~2^-12/drift~0/seed~0.npz"
    return Project(made_once("figures_of_tasks", lambda folder: copy_of(with_figures, folder).make(*files)))


def run(copy, output, *options):
    command = ["metatrace", "run", "--environment", "acrobot", "--seed", "3", "--episodes", "2"]
    return copy.run(*command, "--output", output, *options)


def test_their_figures_list_their_runs_and_what_is_made_of_them(with_figures):
    runs = [*(("acrobot", method) for method in METHODS), ("line", "sid")]
    assert pending(with_figures) == ({"tables_best_mu": 2, "pictures_best_mu": 2, **PAGES}, dict.fromkeys(runs, 1))


def test_every_method_runs_on_it_by_config(made):
    runs = made.folder / "results/tiny/runs/acrobot"
    for method in METHODS:
        (path,) = (runs / method).rglob("*.npz")
        run = load_run(path)
        assert run.key.environment == "acrobot" and run.diverged_episode is None
        assert len(run.returns) == 2 and (run.lengths <= 60).all() and (run.returns >= -60).all()
        assert run.meta["episodes"] == 2 and run.meta["readings"]["time_limit"] == "terminal"
    assert (made.folder / "results/tiny/figures/figure_acrobot.svg").is_file()
    assert (
        f"figure_acrobot  {len(METHODS)} of {len(METHODS)} runs"
        in made.run("metatrace", "status", "config/tiny.yaml").stdout
    )


def test_a_change_of_one_task_lists_its_runs_alone(made, tmp_path):
    copy = copy_of(made, tmp_path / "project")
    copy.edit("metatrace/domains/a_line.py", "2 * int(action) - 1", "int(action) * 2 - 1")
    of_figure = {"tables_best_mu": 1, "pictures_best_mu": 1}
    assert pending(copy) == ({**of_figure, **PAGES}, {("line", "sid"): 1})


def test_the_same_run_has_the_same_bytes_and_another_seed_has_others(copy):
    for name, more in (("one", []), ("two", []), ("three", ["--seed", "4"])):
        assert run(copy, f"{name}.npz", "--method", "none", "--alpha", "2^-9", *more).returncode == 0
    one, two, three = ((copy.folder / f"{name}.npz").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three


def test_a_run_that_diverges_counts_as_failed(copy):
    done = run(copy, "diverged.npz", "--method", "none", "--alpha", "1e300")
    assert done.returncode == 0 and "diverged in episode 0" in done.stderr
    made = load_run(copy.folder / "diverged.npz")
    assert made.diverged_episode == 0 and np.array_equal(made.returns, [-60, -60])


@pytest.mark.parametrize(
    "options, words",
    [
        (["--frames", "5"], "--frames: acrobot counts in --episodes"),
        (["--drift", "1e-5"], "--drift: acrobot has none"),
        (["--device", "cpu"], "--device: acrobot has no use for it"),
        (["--reading", "tile_width=range/10"], "reading.tile_width: there is no such reading"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_bad_input_is_refused_in_one_line(copy, options, words):
    done = run(copy, "bad.npz", "--method", "none", "--alpha", "2^-9", *options)
    assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (copy.folder / "bad.npz").exists()
