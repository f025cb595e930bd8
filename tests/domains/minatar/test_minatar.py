"""The five games of MinAtar, with the real package: its own wrapper is the oracle."""

import os
import signal
import subprocess
import sys
import time

import minatar
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces import assert_goes_on_from_its_state, trace

from metatrace.cli import main as cli
from metatrace.domains.atari.domain import DOMAIN as ATARI
from metatrace.domains.minatar import game as games
from metatrace.domains.minatar.domain import DOMAIN
from metatrace.domains.minatar.game import Game
from metatrace.domains.minatar.readings import READINGS
from metatrace.domains.protocol import Request
from metatrace.domains.readings import complete
from metatrace.errors import UserError
from metatrace.methods import complete_hyper
from metatrace.networks.checkpoint import Checkpoint, progress
from metatrace.pipeline import jobs
from metatrace.runs.key import RunKey
from metatrace.runs.results import load_run

pytestmark = pytest.mark.usefixtures("small_numbers_count_again")

# By the game: bits of a cell, and MinAtar's numbers of the actions that have an effect in it.
GAMES = {
    "asterix": (4, [0, 1, 2, 3, 4]),
    "breakout": (4, [0, 1, 3]),
    "freeway": (7, [0, 2, 4]),
    "seaquest": (10, [0, 1, 2, 3, 4, 5]),
    "space_invaders": (6, [0, 1, 3, 5]),
}
EACH_GAME = pytest.mark.parametrize("game", GAMES)


def oracle_of(game, seed, **chosen):
    """MinAtar's wrapper, seeded as our games are."""
    oracle = minatar.Environment(game, **chosen)
    oracle.random = oracle.env.random = np.random.RandomState(np.random.MT19937(seed))
    return oracle


def actions_of(game, count, seed=0):
    return np.random.default_rng(seed).integers(game.shape.n_actions, size=count).tolist()


def test_every_game_of_the_package_is_an_environment():
    assert set(DOMAIN.environments) == {f"minatar_{game}" for game in GAMES}
    assert DOMAIN.environments["minatar_space_invaders"].label == "MinAtar space invaders"


@EACH_GAME
@pytest.mark.parametrize("sticky, ramping", [("0.1", "on"), ("0", "off")])
def test_a_game_is_that_of_the_package_frame_by_frame(game, sticky, ramping):
    ours = Game(game, seed=5, sticky_actions=sticky, difficulty_ramping=ramping)
    oracle = oracle_of(game, 5, sticky_action_prob=float(sticky), difficulty_ramping=ramping == "on")
    oracle.reset()
    observation, overs = ours.reset(), 0
    for action in actions_of(ours, 2600):
        assert observation.shape == (GAMES[game][0], 10, 10) and observation.dtype == np.uint8
        assert np.array_equal(observation, np.moveaxis(oracle.state(), 2, 0))
        step, (reward, terminal) = ours.step(action), oracle.act(action)
        assert step[1:] == (reward, terminal, terminal)
        observation = step.observation
        if step.over:
            overs += 1
            oracle.reset()
            oracle.last_action = 0  # the wrapper carries it over into the next game
            observation = ours.reset()
    assert overs


@EACH_GAME
def test_the_network_is_that_of_the_published_agent(game):
    shape = Game(game, seed=0).shape
    assert (shape.channels, shape.n_actions, shape.hidden, shape.flat) == (GAMES[game][0], 6, 128, 1024)
    if game == "breakout":
        assert shape.n_weights == 132_695


@EACH_GAME
def test_the_minimal_actions(game):
    few = Game(game, seed=0, sticky_actions="0", minatar_actions="minimal")
    assert few.shape.n_actions == len(GAMES[game][1])
    full = Game(game, seed=0, sticky_actions="0")
    few.reset(), full.reset()
    chosen = actions_of(few, 200)
    assert trace(few, chosen) == trace(full, [GAMES[game][1][action] for action in chosen])
    with pytest.raises(IndexError):
        few.step(6)


def test_one_action_in_ten_is_that_of_the_frame_before():
    """The paddle of breakout tells which of left and right, asked for in turn, was carried out."""
    game, as_asked = Game("breakout", seed=1), []
    while len(as_asked) < 3000:
        columns, over = [int(np.argmax(game.reset()[0, 9]))], False
        while not over:
            step = game.step((1, 3)[len(columns) % 2])
            columns.append(int(np.argmax(step.observation[0, 9])))
            over = step.over
        moves = np.diff(columns)
        asked = np.where(np.arange(1, len(columns)) % 2, 1, -1)
        as_asked += (moves == asked)[1:].tolist()  # nothing comes before the first
    # p = 0.9 + 0.1 (1 − p): the frame before asked for the other way, and may have gone this one
    assert abs(np.mean(as_asked) - 1 / 1.1) < 0.03


def test_without_sticky_actions_every_move_is_the_wanted_one():
    game = Game("breakout", seed=1, sticky_actions="0")
    columns = [int(np.argmax(game.reset()[0, 9]))]
    columns += [int(np.argmax(game.step(action).observation[0, 9])) for action in (1, 3, 1)]
    assert columns == [4, 3, 4, 3]


def test_a_game_over_is_to_be_reset_and_freeway_ends_by_itself():
    game = Game("freeway", seed=0)
    with pytest.raises(RuntimeError):
        game.step(0)
    game.reset()
    steps = [game.step(2) for _ in range(2501)]
    assert [step.over for step in steps] == [False] * 2500 + [True]
    with pytest.raises(RuntimeError):
        game.step(0)


@EACH_GAME
def test_the_same_seed_is_the_same_game_and_another_is_another(game):
    def played(seed):
        one = Game(game, seed=seed)
        return one.reset().tobytes(), trace(one, actions_of(one, 300))

    assert played(1) == played(1) == played(np.random.SeedSequence(1)) != played(2)


@EACH_GAME
@settings(max_examples=8, deadline=None)
@given(number=st.integers(0, 600), seed=st.integers(0, 2**32))
def test_a_game_goes_on_from_a_saved_state_as_if_undisturbed(game, number, seed):
    undisturbed = Game(game, seed=seed)
    actions = actions_of(undisturbed, number + 200, seed)
    assert_goes_on_from_its_state(undisturbed, Game(game, seed=seed + 1), actions, number)


def test_the_saved_state_of_another_game_is_refused():
    with pytest.raises(ValueError, match="is another"):
        Game("breakout", seed=0).restore(Game("asterix", seed=0).state())


def test_a_frame_once_handed_out_never_changes():
    game = Game("freeway", seed=0)
    kept = [game.reset(), *(game.step(2).observation for _ in range(20))]
    copies = [frame.copy() for frame in kept]
    trace(game, actions_of(game, 50))
    assert all(map(np.array_equal, kept, copies))


# Runs


@pytest.fixture
def trainer(kernel_files):
    """Makes trainers as runs do."""

    def trainer_of_run(game, method="mixed", plain=False, **chosen):
        key = RunKey(f"minatar_{game}", method, "2^-8", "0.001", "0", 3)
        answers, hyper = complete(READINGS[game], chosen, "readings"), complete_hyper(method, {}, "hyper", DOMAIN.name)
        kernel = None if plain else kernel_files(DOMAIN.kernel_of(method))
        request = Request(key, 150, answers, hyper, device="cpu", kernel=kernel)
        return DOMAIN.trainer(request)

    return trainer_of_run


@EACH_GAME
def test_a_run_goes_on_from_its_state_as_if_it_had_not_stopped(trainer, game):
    whole, cut, fresh = trainer(game), trainer(game), trainer(game)
    whole.run()
    for _ in range(70):
        cut.step()
    fresh.restore({name: value.copy() for name, value in cut.state().items()})
    fresh.run()
    assert fresh.training == whole.training and whole.training.observed == 150
    for name, value in whole.state().items():
        assert value.tobytes() == fresh.state()[name].tobytes(), name


@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize("frame", [70, 120])
def test_sarsa_goes_on_from_its_state_as_if_it_had_not_stopped(trainer, plain, frame):
    """A step of it is finished when the next action is chosen: a checkpoint lies between the two."""
    whole, cut, fresh = (trainer("breakout", "sarsa-none", plain=plain) for _ in range(3))
    whole.run()
    for _ in range(frame):
        cut.step()
    fresh.restore({name: value.copy() for name, value in cut.state().items()})
    fresh.run()
    assert fresh.training == whole.training and len(whole.training.returns) > 3
    for name, value in whole.state().items():
        assert value.tobytes() == fresh.state()[name].tobytes(), name


def test_the_temperature_falls_from_game_to_game(trainer):
    player = trainer("breakout", "sarsa-none")
    assert player.agent.temperature == 0.5
    player.run()
    assert player.agent.temperature == 0.5 / (1 + 0.00025 * len(player.training.returns))


@pytest.mark.parametrize("answer, learned", [("raw", 10.0), ("clipped", 1.0)])
def test_rewards_are_learned_as_they_are_unless_they_are_to_be_clipped(trainer, monkeypatch, answer, learned):
    player, seen = trainer("seaquest", minatar_reward=answer), []
    game_step, learn = player.environment.step, player.agent.learn
    monkeypatch.setattr(player.environment, "step", lambda action: game_step(action)._replace(reward=10.0))
    monkeypatch.setattr(player.agent, "learn", lambda reward, *more: (seen.append(reward), learn(reward, *more)))
    player.step()
    assert seen == [learned]


def command(output, *more, environment="minatar_breakout", frames=400, method=("scalar", "--mu", "0.001")):
    options = ["--environment", environment, "--method", *method, "--alpha", "2^-8"]
    return ["run", *options, "--seed", "0", "--frames", str(frames), "--output", str(output), *more]


@pytest.mark.slow
def test_a_killed_run_ends_with_the_bytes_of_an_undisturbed_one(tmp_path):
    checkpoint = tmp_path / "c.npz"
    frames = 12_000
    assert cli.main(command(tmp_path / "whole.npz", frames=frames)) == 0
    more = ["--checkpoint", str(checkpoint), "--checkpoint-every", "1"]
    again = [sys.executable, "-m", "metatrace", *command(tmp_path / "cut.npz", *more, frames=frames)]
    process = subprocess.Popen(again, stderr=subprocess.DEVNULL)
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    # `metatrace status` compares these with the config's, and calls a checkpoint with others stale.
    assert progress(checkpoint)[1]["readings"] == complete(READINGS["breakout"], {}, "readings")
    done = subprocess.run(again, stderr=subprocess.PIPE, text=True, check=True)
    assert "goes on from" in done.stderr
    assert (tmp_path / "cut.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    meta = load_run(tmp_path / "cut.npz").meta
    assert meta["observed_frames"] == frames and meta["packages"]["minatar"] == "1.0.15"
    assert meta["readings"] == complete(READINGS["breakout"], {}, "readings")


def test_a_run_of_sarsa_has_its_temperature_and_no_entropy_term(tmp_path, kernel_files):
    more = ["--hyper", "tau_k=0.001", "--kernel", str(kernel_files("related_kernel"))]
    assert cli.main(command(tmp_path / "x.npz", *more, method=("sarsa-none",))) == 0
    run = load_run(tmp_path / "x.npz")
    assert run.meta["hyper"] == {"tau_0": "2^-1", "tau_k": "0.001"} and run.meta["psi"] == 0
    assert len(run.returns) == len(run.entropy) > 0 and (run.entropy <= np.log(6) + 1e-9).all()


def test_auto_is_the_processor_also_where_there_is_a_graphics_card(monkeypatch, tmp_path):
    monkeypatch.setattr("metatrace.domains.games.os.path.exists", lambda path: True)
    assert cli.main(command(tmp_path / "x.npz", "--device", "auto", frames=50)) == 0
    assert load_run(tmp_path / "x.npz").meta["device"] == "cpu"
    assert DOMAIN.device("cuda") == "cuda" and ATARI.device("auto") == "auto"


def test_a_run_without_a_finished_game_has_none(tmp_path, capsys):
    assert cli.main(command(tmp_path / "x.npz", environment="minatar_freeway", frames=50)) == 0
    run = load_run(tmp_path / "x.npz")
    assert len(run.returns) == len(run.frames) == len(run.entropy) == 0
    assert "no final score (no episode ended)" in capsys.readouterr().out


def test_a_checkpoint_of_another_game_is_refused(tmp_path, trainer, capsys):
    path = tmp_path / "c.npz"
    Checkpoint(path, {"environment": "minatar_asterix"}).save(trainer("asterix").state())
    assert cli.main(command(tmp_path / "x.npz", "--checkpoint", str(path))) == 2
    assert "c.npz: is the checkpoint of another run" in capsys.readouterr().err


@pytest.mark.parametrize(
    "more, words",
    [
        (["--environment", "minatar_pong"], "--environment: there is no 'minatar_pong'; it must be one of"),
        (["--hyper", "tau_0=1"], "hyper.tau_0: method scalar has no such hyper-parameter; it has none"),
        (["--method", "adam9"], "--method: there is no 'adam9'"),
        (["--reading", "difficulty_ramping=off"], "reading.difficulty_ramping: there is no such reading"),
        (["--reading", "sticky_actions=0.2"], "reading.sticky_actions: '0.2' is no answer"),
        (["--episodes", "3"], "--episodes: minatar_breakout counts in --frames"),
        (["--drift", "1e-5"], "--drift: minatar_breakout has none"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_bad_input_is_refused_in_one_line(tmp_path, capsys, more, words):
    assert cli.main(command(tmp_path / "x.npz", *more)) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_a_missing_package_is_named_in_one_line(monkeypatch):
    monkeypatch.setattr(games.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"^minatar_breakout: the package MinAtar is not installed[^\n]*$"):
        Game("breakout", seed=0)


def test_a_game_imports_neither_the_wrapper_nor_what_draws():
    script = "import sys; from metatrace.domains.minatar.game import Game; Game('asterix', seed=0); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert not {"minatar", "matplotlib", "seaborn", "torch", "pandas"} & set(done.stdout.split())


def test_the_version_of_the_package_is_in_the_fingerprint_of_its_runs_alone():
    assert jobs.fingerprint_of("run_minatar_mixed").packages["minatar"] == "1.0.15"
    assert "minatar" not in jobs.fingerprint_of("run_atari_mixed").packages
