"""Environments that nobody has thought of yet: one of Gymnasium's, and one that a user's own module registers."""

import numpy as np
import pytest
from extensions import PAGES, add_figure, copy_of, pending
from project import Project

from metatrace import methods
from metatrace.runs.results import load_run

METHODS = [token for token, entry in methods.METHODS.items() if "gymnasium" in entry.domains]
ACROBOT, LINE = "gymnasium:Acrobot-v1", "gymnasium:a_line:Line-v0"
A_LINE = '''
"""A line of nine places: walk to its right end."""

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


gymnasium.register("Line-v0", Line, max_episode_steps=30)
'''
FIGURE = """\
  {name}:
    section: comparisons
    title: "Every method on another task"
    kind: best_mu
    environment: {environment}
    method: [{methods}]
    readings: {{ features: {features} }}
    alpha: [2^-9]
    mu: [2^-12]
    seeds: 1
    episodes: 2
    smoothing: 2
"""


def figure(name, environment, methods, features="tiles"):
    return FIGURE.format(name=name, environment=environment, methods=", ".join(methods), features=features)


@pytest.fixture(scope="module")
def copy(finished, tmp_path_factory):
    """The project with the user's module and a finished scale, which has runs of neither."""
    copy = copy_of(finished, tmp_path_factory.mktemp("extended") / "project")
    (copy.folder / "a_line.py").write_text(A_LINE, encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def with_figures(copy, tmp_path_factory):
    """The same with a figure of every method on one of them, and of one with other features on the other."""
    copy = copy_of(copy, tmp_path_factory.mktemp("figure") / "project")
    add_figure(copy, figure("figure_line", LINE, METHODS) + figure("figure_acrobot", ACROBOT, ["sid"], "fourier"))
    return copy


@pytest.fixture(scope="module")
def made(with_figures, made_once):
    """The same with one figure made, and of the other its run. Do not edit it."""
    run = "readings/features~fourier/runs/gymnasium~Acrobot-v1/sid/alpha~2^-9/mu~2^-12/drift~0/seed~0.npz"
    files = "figure_line", f"results/tiny/{run}"
    return Project(made_once("figures_of_environments", lambda folder: copy_of(with_figures, folder).make(*files)))


def run(copy, output, *options):
    command = ["metatrace", "run", "--environment", LINE, "--seed", "3", "--episodes", "2"]
    return copy.run(*command, "--output", output, *options)


def test_their_figures_list_their_runs_and_what_is_made_of_them(with_figures):
    runs = [*((LINE, method) for method in METHODS), (ACROBOT, "sid")]
    assert pending(with_figures) == ({"tables_best_mu": 2, "pictures_best_mu": 2, **PAGES}, dict.fromkeys(runs, 1))


def test_every_method_runs_on_it_by_config(made):
    runs = made.folder / "results/tiny/runs/gymnasium~a_line~Line-v0"
    for method in METHODS:
        (path,) = (runs / method).rglob("*.npz")
        run = load_run(path)
        assert run.key.environment == LINE and run.diverged_episode is None
        assert len(run.returns) == 2 and (run.lengths <= 30).all() and (run.returns >= -30).all()
        assert run.meta["episodes"] == 2 and run.meta["readings"]["features"] == "tiles"
    assert (made.folder / "results/tiny/figures/figure_line.svg").is_file()
    assert (
        f"figure_line     {len(METHODS)} of {len(METHODS)} runs"
        in made.run("metatrace", "status", "config/tiny.yaml").stdout
    )


def test_other_features_are_another_variant(made):
    (path,) = (made.folder / "results/tiny/readings/features~fourier").rglob("*.npz")
    assert load_run(path).meta["readings"]["features"] == "fourier"


def test_made_figures_stay_made(made):
    assert pending(made) == ({"tables_best_mu": 1, "pictures_best_mu": 1, **PAGES}, {})


def test_the_same_run_has_the_same_bytes_and_another_seed_has_others(copy):
    for name, more in (("one", []), ("two", []), ("three", ["--seed", "4"])):
        assert run(copy, f"{name}.npz", "--method", "none", "--alpha", "2^-9", *more).returncode == 0
    one, two, three = ((copy.folder / f"{name}.npz").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three


def test_a_run_that_diverges_counts_as_failed(copy):
    done = run(copy, "diverged.npz", "--method", "none", "--alpha", "1e300")
    assert done.returncode == 0 and "diverged in episode 0" in done.stderr
    made = load_run(copy.folder / "diverged.npz")
    assert made.diverged_episode == 0 and np.array_equal(made.returns, [-30, -30])
