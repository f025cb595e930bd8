"""A method that nobody has thought of yet: one new module and one entry in the registry, and it works everywhere."""

import json

import numpy as np
import pytest
from extensions import PAGES, add_figure, copy_of, pending
from project import Project

from metatrace.methods import METHODS
from metatrace.runs.results import load_run

MODULE = '''
"""Search, then converge: α = α₀ / (1 + t/τ) in step t."""

import math

from metatrace.tuning.arrays import namespace, scalar_like
from metatrace.tuning.tuner import Tuner


class Annealed(Tuner):
    uses_grad_delta = False

    def __init__(self, n_weights, *, tau, **settings):
        self.tau = tau
        super().__init__(n_weights, **settings)

    def _start_run(self, like):
        self.t = scalar_like(like, 0.0)

    def _step(self, grad_U, grad_H, grad_delta, delta, z):
        self.t = self.t + 1
        alpha = math.exp(self.beta_0) / (1 + self.t / self.tau)
        return alpha * (z * delta + (0 if grad_H is None else self.psi * grad_H))

    def log_step_sizes(self):
        return self.beta_0 - namespace(self.t).log(1 + self.t / self.tau)
'''
ENTRY = """    Method(
        "annealed", "an annealed step-size", "annealed", "#117733", (2.0, 1.0), "h",
        "metatrace.tuning.annealed:Annealed", has_mu=False,
        hyper=(Hyperparameter("tau", "1000", "how many steps halve α"),),
    ),
"""

# With another τ than the published one.
FIGURE = """\
  figure_new:
    section: drifting_mountain_car
    title: "A new method"
    kind: best_mu
    environment: drifting_mountain_car
    method: annealed
    alpha: [2^-6]
    hyper: {tau: "100"}
    drift: ["1e-5"]
    seeds: 2
    episodes: 4
    smoothing: 2
"""
GAMES = """\
  figure_game:
    section: atari
    title: "A new method on a game"
    kind: games
    environment: catch
    method: [none, annealed]
    alpha: [2^-6]
    seeds: 1
    frames: 100
    smoothing: 4
"""
RUNS = {("drifting_mountain_car", "annealed"): 2, ("catch", "annealed"): 1}
FIGURES = {"tables_best_mu": 1, "pictures_best_mu": 1, "tables_games": 1, "pictures_games": 1}


@pytest.fixture(scope="module")
def copy(finished, tmp_path_factory):
    """The project with the new method and a finished scale."""
    copy = copy_of(finished, tmp_path_factory.mktemp("extended") / "project")
    (copy.folder / "metatrace/tuning/annealed.py").write_text(MODULE, encoding="utf-8")
    end = ")  # fmt: skip\nMETHODS"
    copy.edit("metatrace/methods.py", end, ENTRY + end)
    return copy


@pytest.fixture(scope="module")
def with_figures(copy, tmp_path_factory):
    """The same with two figures of the method."""
    copy = copy_of(copy, tmp_path_factory.mktemp("figure") / "project")
    add_figure(copy, FIGURE + GAMES)
    return copy


@pytest.fixture(scope="module")
def made(with_figures, made_once):
    """The same with the figure that is not of a game made. Do not edit it."""
    return Project(made_once("figure_of_a_method", lambda folder: copy_of(with_figures, folder).make("figure_new")))


def call(copy, *command):
    """Runs Python in the copy."""
    return copy.run("python", *command)


def run(copy, environment, *options):
    path = copy.folder / f"{environment}{len(list(copy.folder.iterdir()))}.npz"
    named = ["--environment", environment, "--method", "annealed", "--alpha", "2^-8", "--seed", "0"]
    done = call(copy, "-m", "metatrace", "run", *named, *options, "--output", str(path))
    assert done.returncode == 0, done.stderr
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files if name != "meta"}, json.loads(str(arrays["meta"]))


def test_it_is_a_tuner_of_the_library(copy):
    code = """if True:
        import numpy as np
        from metatrace.tuning import METHODS, TUNED_METHODS, make_tuner
        assert METHODS[-1] == "annealed" and "annealed" not in TUNED_METHODS
        for hyper, factor in ((None, 1000 / 1001), ({"tau": 1}, 0.5), ({"tau": "3"}, 0.75)):
            tuner, z = make_tuner("annealed", 2, alpha=0.5, psi=0.1, hyper=hyper), np.ones(2)
            change = tuner.step(grad_U=z, grad_delta=z, delta=2.0, z=z, grad_H=10 * z)
            np.testing.assert_allclose(change, 0.5 * factor * (2 + 0.1 * 10) * z, rtol=1e-14)
    """
    done = call(copy, "-c", code)
    assert done.returncode == 0, done.stderr


def test_the_help_names_it_and_its_hyper_parameters(copy):
    shown = " ".join(call(copy, "-m", "metatrace", "run", "--help").stdout.split())
    assert f"{list(METHODS)[-1]}, annealed" in shown and "tau of annealed: how many steps halve α (1000)" in shown


def test_the_schema_has_it(copy):
    text = call(copy, "-m", "metatrace", "config", "--schema").stdout
    listed = json.loads(text)["$defs"]["StepSizes"]["properties"]["method"]["anyOf"][0]["enum"]
    assert listed[-1] == "annealed"


def test_its_entry_alone_makes_nothing_again(copy):
    assert pending(copy) == ({}, {})


def test_it_runs_on_mountain_car(copy):
    arrays, meta = run(copy, "mountain_car", "--episodes", "3")
    assert len(arrays["returns"]) == 3 and meta["hyper"] == {"tau": "1000"}


def test_it_runs_on_drifting_mountain_car_with_its_own_step_sizes(copy):
    options = ("--drift", "6e-6", "--episodes", "3", "--hyper", "tau=100")
    arrays, meta = run(copy, "drifting_mountain_car", *options)
    assert meta["hyper"] == {"tau": "100"}
    expected = np.log(2**-8 / (1 + arrays["lengths"].cumsum() / 100))
    np.testing.assert_allclose(arrays["beta"], np.broadcast_to(expected[:, None], arrays["beta"].shape), rtol=1e-12)


def test_it_runs_on_a_game(copy):
    arrays, meta = run(copy, "catch", "--frames", "60", "--device", "cpu")
    assert len(arrays["returns"]) > 0 and meta["hyper"] == {"tau": "1000"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--hyper", "kappa=1"), "hyper.kappa: method annealed has no such hyper-parameter; it has tau"),
        (("--hyper", "tau=1e3"), "hyper.tau: '1e3' is spelled '1000' here"),
        (("--mu", "2^-8"), "--mu: method annealed has no meta-step-size; leave --mu out"),
    ],
)
def test_what_it_does_not_have_is_refused_in_one_line(copy, options, words):
    named = ["--environment", "mountain_car", "--method", "annealed", "--alpha", "2^-8", "--seed", "0"]
    done = call(copy, "-m", "metatrace", "run", *named, "--episodes", "1", *options, "--output", "refused.npz")
    assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (copy.folder / "refused.npz").exists()


def test_figures_of_it_list_its_runs_and_what_is_made_of_them(with_figures):
    """And how long its frames take; the game's untuned run is there."""
    assert pending(with_figures) == ({**FIGURES, **PAGES, "frame_times_atari": 1}, RUNS)


def test_a_figure_of_it_is_made_and_shows_its_name(made):
    place = made.folder / "results/tiny/readings/tau~100/runs/drifting_mountain_car/annealed"
    runs = [load_run(path) for path in sorted(place.rglob("*.npz"))]
    assert len(runs) == 2 and all(run.meta["hyper"] == {"tau": "100"} for run in runs)
    code = """if True:
        from pathlib import Path
        from metatrace.figures.best_mu import draw_job
        from metatrace.figures.kinds.kind import PictureJob
        figure, drawn = draw_job(PictureJob(Path("results/tiny/tables/figure_new"), "title", "note"))
        print([text.get_text() for text in figure.legends[0].get_texts()])
    """
    done = call(made, "-c", code)
    assert "annealed" in done.stdout, done.stderr
    assert (made.folder / "results/tiny/figures/figure_new.svg").is_file()
    assert "figure_new   2 of 2 runs" in made.run("metatrace", "status", "config/tiny.yaml").stdout


def test_a_change_of_its_module_lists_its_runs_alone(made, tmp_path):
    copy = copy_of(made, tmp_path / "project")
    copy.edit(
        "metatrace/tuning/annealed.py",
        "(1 + self.t / self.tau)\n        return",
        "(self.t / self.tau + 1)\n        return",
    )
    assert pending(copy) == ({**FIGURES, **PAGES, "frame_times_atari": 1}, RUNS)
