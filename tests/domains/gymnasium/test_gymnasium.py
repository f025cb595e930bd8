"""Environments of Gymnasium by their ids: what runs on them learn, and what is refused."""

import sys
from pathlib import Path

import numpy as np
import pytest

from metatrace.cli.main import main
from metatrace.config import loading
from metatrace.domains.gymnasium import train
from metatrace.domains.gymnasium.environment import MOST_STEPS, make
from metatrace.domains.gymnasium.features import features_of
from metatrace.domains.registry import DOMAINS, ENVIRONMENTS, domain_of
from metatrace.errors import UserError
from metatrace.methods import METHODS
from metatrace.runs.key import RunKey, environment_in, folder_of
from metatrace.runs.results import load_run

ON_GYMNASIUM = [token for token, entry in METHODS.items() if "gymnasium" in entry.domains]
IDS = ["CartPole-v1", "ALE/Pong-v5", "grids:Grid-v0", "a.module:name-space/Name.1-v12", "Unversioned"]

CONFIG = """\
scale: c
figures:
  figure_1:
    section: elsewhere
    title: "No such environment"
    environment: gymnasium:NoSuch-v0
    method: none
    alpha: [2^-8]
    seeds: 1
    episodes: 1
    smoothing: 1
"""


@pytest.fixture(autouse=True)
def _grids(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def run(tmp_path):
    """Makes a run by the command line; its file."""

    def call(id, *options, seed="0", name="run.npz"):
        named = ["--environment", f"gymnasium:{id}", "--seed", seed, "--output", str(tmp_path / name)]
        options = options if "--method" in options else ("--method", "none", "--alpha", "2^-6", *options)
        assert main(["run", *named, *options]) == 0
        return tmp_path / name

    return call


def mean_of_last(path, count):
    return load_run(path).returns[-count:].mean()


def test_cartpole_is_learned_from_tiles(run):
    assert mean_of_last(run("CartPole-v1", "--episodes", "40"), 20) > 80  # 20 without learning, 500 at best


def test_cartpole_is_learned_from_a_fourier_basis(run):
    path = run("CartPole-v1", "--features", "fourier", "--method", "none", "--alpha", "2^-8", "--episodes", "40")
    assert mean_of_last(path, 20) > 200


def test_acrobot_is_learned_from_tiles(run):
    options = ("--method", "mixed", "--alpha", "2^-9", "--mu", "2^-8", "--episodes", "20")
    assert mean_of_last(run("Acrobot-v1", *options), 10) > -250  # −500 without learning


def test_a_grid_world_is_learned_from_one_hot_places(run):
    path = run("grids:Grid-v0", "--method", "mixed", "--alpha", "2^-2", "--mu", "2^-9", "--episodes", "150")
    assert mean_of_last(path, 30) > -12  # −5.5 at best


def test_a_network_learns_the_grid_too(run):
    options = ("--features", "network", "--method", "mixed", "--alpha", "2^-5", "--mu", "0.001", "--episodes", "100")
    path = run("grids:Grid-v0", *options)
    assert mean_of_last(path, 30) > -20
    meta = load_run(path).meta
    assert meta["readings"]["features"] == "network" and meta["psi"] == 0.01


@pytest.mark.parametrize("features", ["tiles", "network"])
@pytest.mark.parametrize("method", ON_GYMNASIUM)
def test_every_method_runs(run, method, features):
    mu = ["--mu", "2^-12"] if METHODS[method].has_mu else []
    options = ("--method", method, "--alpha", "2^-8", *mu, "--features", features, "--episodes", "2")
    made = load_run(run("grids:Endless-v0", *options))
    assert list(made.returns) == list(made.lengths) == [5, 5] and made.diverged_episode is None


def test_a_time_limit_is_no_end(run, monkeypatch):
    """The value of a state that never ends is 1/(1 − γ) = 100, also where episodes are cut after 5 steps."""
    learn, trainings = train.linear.train, []

    def remember(*arguments, **options):
        trainings.append(learn(*arguments, **options))
        return trainings[-1]

    monkeypatch.setattr(train.linear, "train", remember)
    run("grids:Endless-v0", "--method", "none", "--alpha", "2^-4", "--episodes", "300")
    x = features_of("tiles", make("grids:Endless-v0").observation_space)(np.zeros(1))
    assert 90 < trainings[0].weights[0] @ x < 110


def test_an_environment_without_a_limit_gets_one():
    assert make("grids:Unlimited-v0").spec.max_episode_steps == MOST_STEPS
    assert make("grids:Endless-v0").spec.max_episode_steps == 5


def test_the_same_run_has_the_same_bytes_and_another_seed_has_others(run):
    for features in ("tiles", "network"):
        options = ("--features", features, "--method", "none", "--alpha", "2^-7", "--episodes", "4")
        one, two = (run("CartPole-v1", *options, name=name).read_bytes() for name in ("one.npz", "two.npz"))
        assert one == two != run("CartPole-v1", *options, seed="1").read_bytes()


def test_a_run_that_diverges_counts_as_one_that_takes_the_first_action(run, capsys):
    made = load_run(run("MountainCar-v0", "--method", "none", "--alpha", "1e300", "--episodes", "3"))
    assert made.diverged_episode == 0
    assert list(made.returns) == [-200] * 3 and list(made.lengths) == [200] * 3
    assert "diverged in episode 0: what follows counts as returns of -200" in capsys.readouterr().err


@pytest.mark.parametrize("id", IDS)
def test_the_folder_of_an_id_is_safe_and_names_it(id):
    token = f"gymnasium:{id}"
    folder = folder_of(token)
    assert not set(folder) & set(':/\\*?"<>|') and environment_in(folder) == token
    assert RunKey(token, "none", "2^-8", "0", "0", 0).path("runs") == (
        f"runs/{folder}/none/alpha~2^-8/mu~0/drift~0/seed~0.npz"
    )


@pytest.mark.parametrize("id", IDS)
def test_any_id_is_an_environment(id):
    token = f"gymnasium:{id}"
    assert token in ENVIRONMENTS and ENVIRONMENTS[token].label == id and domain_of(token) is DOMAINS[-1]


@pytest.mark.parametrize(
    "token", ["gymnasium:", "gymnasium:a b", "gymnasium:a~b", "gymnasium:../x", "Gymnasium:a", "a"]
)
def test_what_is_no_id_is_no_environment(token):
    assert token not in ENVIRONMENTS
    with pytest.raises(KeyError):
        ENVIRONMENTS[token]


@pytest.mark.parametrize(
    ("id", "options", "words"),
    [
        ("NoSuch-v0", [], "gymnasium:NoSuch-v0: environment `NoSuch` doesn't exist"),
        (
            "CartPole-v99",
            [],
            "gymnasium:CartPole-v99: environment version `v99` for environment `CartPole` doesn't exist",
        ),
        ("no_such_module:A-v0", [], "gymnasium:no_such_module:A-v0: needs the module no_such_module"),
        ("Pendulum-v1", [], "gymnasium:Pendulum-v1: its actions are a Box; they must be Discrete"),
        ("Blackjack-v1", [], "gymnasium:Blackjack-v1: its observations are a Tuple; they must be Box or Discrete"),
        ("grids:Named-v0", [], "gymnasium:grids:Named-v0: its observations are a Dict; they must be Box or Discrete"),
        ("ale_py:ALE/Pong-v5", [], "gymnasium:ale_py:ALE/Pong-v5: its observations are 100800 numbers; there must be"),
        ("LunarLander-v3", [], "gymnasium:LunarLander-v3: box2D is not installed"),
        ("a b", [], "--environment: there is no 'gymnasium:a b'; it must be one of mountain_car"),
        ("CartPole-v1", ["--features", "pixels"], "argument --features: invalid choice: 'pixels'"),
        ("CartPole-v1", ["--features", "tiles", "--reading", "features=tiles"], "--features: --reading says it too"),
        ("CartPole-v1", ["--reading", "time_limit=terminal"], "reading.time_limit: there is no such reading"),
        ("CartPole-v1", ["--frames", "5"], "--frames: gymnasium:CartPole-v1 counts in --episodes"),
        ("CartPole-v1", ["--agent", "plain"], "--agent: gymnasium:CartPole-v1 has no use for it"),
    ],
)
def test_bad_input_is_refused_in_one_line(id, options, words, tmp_path, capsys):
    command = ["run", "--environment", f"gymnasium:{id}", "--method", "none", "--alpha", "2^-8", "--seed", "0"]
    assert main([*command, "--episodes", "1", "--output", str(tmp_path / "x.npz"), *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"metatrace: error: {words}") and len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_features_are_for_gymnasium_alone(tmp_path, capsys):
    command = ["run", "--environment", "mountain_car", "--method", "none", "--alpha", "2^-8", "--seed", "0"]
    assert main([*command, "--episodes", "1", "--output", str(tmp_path / "x.npz"), "--features", "tiles"]) == 2
    assert capsys.readouterr().err == "metatrace: error: --features: mountain_car has no use for it; leave it out\n"


def test_a_config_with_an_unknown_id_is_refused(tmp_path, capsys):
    config = tmp_path / "c.yaml"
    config.write_text(CONFIG)
    assert main(["config", str(config)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"metatrace: error: {config}: figures.figure_1.environment: gymnasium:NoSuch-v0: ")
    assert len(error.splitlines()) == 1


def test_without_gymnasium_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(UserError, match=r"^gymnasium:A-v0: Gymnasium is not installed; pip install"):
        make("A-v0")


def config_of(kind, **entry):
    """A config with a figure of a kind on CartPole."""
    shared = {"section": "elsewhere", "title": "CartPole", "environment": "gymnasium:CartPole-v1", "alpha": ["2^-8"]}
    shared |= {"mu": ["2^-8"], "seeds": 2, "episodes": 5, "smoothing": 2}
    return {"scale": "c", "figures": {"figure_1": {**shared, "kind": kind, **entry}}}


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "step_sizes", "method": "mixed"},
        {"kind": "best_mu", "method": ["mixed", "scalar"]},
        {"kind": "paired", "method": ["mixed", "scalar"]},
        {"kind": "environments", "method": ["none", "mixed"]},
        {"kind": "environments", "method": "mixed", "environment": ["gymnasium:Acrobot-v1", "gymnasium:grids:Grid-v0"]},
        {"kind": "step_sizes", "method": "mixed", "readings": {"features": "network"}},
    ],
    ids=lambda entry: entry["kind"],
)
def test_figures_of_episodes_take_it(entry):
    (figure,) = loading.check(config_of(**entry), "c.yaml").figures.values()
    assert {run.environment for run in figure.runs()} == set(figure.environments)
    assert figure.variant == ("features~network" if "readings" in entry else "")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"kind": "games", "method": "mixed"}, "counts in frames"),
        ({"kind": "environments", "method": "sarsa-none"}, "gymnasium:CartPole-v1 does not run sarsa-none"),
        ({"kind": "environments", "method": "mixed", "environment": "gymnasium:a b"}, "it must be an environment"),
        ({"kind": "environments", "method": "mixed", "drift": ["4e-6"]}, "gymnasium:CartPole-v1 has none"),
        ({"kind": "environments", "method": "mixed", "mu": ["2^-8", "2^-9"]}, "has 2 values"),
        (
            {"kind": "environments", "method": "mixed", "environment": ["gymnasium:CartPole-v1", "mountain_car"]},
            "mountain_car is of mountain_car and gymnasium:CartPole-v1 of gymnasium; a figure has environments of one",
        ),
        ({"kind": "step_sizes", "method": "mixed", "readings": {"features": "x"}}, "features: 'x' is no answer"),
    ],
)
def test_configs_that_cannot_be_are_refused(entry, words):
    with pytest.raises(UserError) as refused:
        loading.check(config_of(**entry), "c.yaml")
    assert words in str(refused.value) and "\n" not in str(refused.value)
