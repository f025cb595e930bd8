"""Training on a game: what a run keeps, and that it can be cut anywhere."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from marks import slow

from metatrace.domains.atari.domain import DOMAIN
from metatrace.domains.atari.readings import READINGS
from metatrace.domains.protocol import Request
from metatrace.domains.readings import complete
from metatrace.errors import UserError
from metatrace.methods import METHODS, Hyperparameter
from metatrace.networks import checkpoint as checkpoints
from metatrace.runs.key import RunKey
from metatrace.runs.results import load_run
from metatrace.tuning.constant import Constant


@pytest.fixture
def trainer(kernel_files):
    """Makes trainers on catch as a run does, with the compiled agent where there is one."""

    def trainer_of_run(method="mixed", frames=60, seed=3, **chosen):
        key = RunKey("catch", method, "2^-8", "0.001", "0", seed)
        answers = complete(READINGS["catch"], chosen, "readings")
        kernel = DOMAIN.kernel_of(method) and kernel_files(DOMAIN.kernel_of(method))
        request = Request(key, frames, answers, device="cpu", kernel=kernel)
        return DOMAIN.trainer(request)

    return trainer_of_run


def run_command(folder, output, *, frames, checkpoint=None, seconds="1"):
    """`metatrace run` on seaquest, as a process."""
    command = [sys.executable, "-m", "metatrace", "run", "--environment", "seaquest", "--method", "scalar"]
    command += [
        "--alpha",
        "2^-8",
        "--mu",
        "0.001",
        "--seed",
        "0",
        "--frames",
        str(frames),
        "--output",
        output,
    ]
    if checkpoint:
        command += ["--checkpoint", checkpoint, "--checkpoint-every", seconds]
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)


def finish(process):
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return errors


def test_episodes_returns_and_frames_add_up(trainer):
    training = trainer(frames=100).run()
    assert training.observed == 100
    assert training.lengths == [5] * 20 and training.frames == list(range(5, 101, 5))
    assert set(training.returns) <= {-1.0, 1.0}
    # The first ball is met before the first reward: the policy is still uniform.
    assert training.entropy[0] == pytest.approx(np.log(3), abs=1e-6)


def test_the_same_seed_is_the_same_run_and_another_is_another(trainer):
    first, again = (trainer(frames=80).run() for _ in range(2))
    assert first == again
    assert trainer(frames=80, seed=4).run().entropy != first.entropy


@pytest.mark.parametrize("method", ["none", "scalar", "vector", "mixed", "nosid", "rmsprop", "adam", "obgd"])
@pytest.mark.parametrize("frame", [slow(1), 26, slow(31)])
def test_a_run_goes_on_from_its_state_as_if_it_had_not_stopped(trainer, method, frame):
    whole = trainer(method)
    whole.run()
    cut = trainer(method)
    for _ in range(frame):
        cut.step()
    state = {name: value.copy() for name, value in cut.state().items()}
    fresh = trainer(method)
    fresh.restore(state)
    fresh.run()
    assert fresh.training == whole.training
    for name, value in whole.state().items():
        assert value.tobytes() == fresh.state()[name].tobytes(), name


def test_clipped_rewards_are_for_learning_alone(trainer):
    class Rich:
        """Catch with rewards a hundred times as large."""

        def __init__(self, catch):
            self.catch = catch

        def __getattr__(self, name):
            return getattr(self.catch, name)

        def step(self, action):
            step = self.catch.step(action)
            return step._replace(reward=100 * step.reward)

    def weights(rich, **chosen):
        player = trainer(**chosen)
        if rich:
            player.environment = Rich(player.environment)
        player.run()
        return player.agent.arrays["w"], player.training.returns

    plain, returns = weights(False)
    clipped, rich_returns = weights(True)
    raw, _ = weights(True, learned_reward="raw")
    assert np.array_equal(plain, clipped) and not np.array_equal(plain, raw)
    assert rich_returns == [100 * value for value in returns]


def test_a_run_that_diverges_ends_and_says_so(trainer):
    player = trainer()
    for _ in range(20):
        player.step()
    player.agent.arrays["w"][0] = np.nan
    training = player.run()
    assert training.diverged and training.observed in (20, 21)


def test_a_checkpoint_of_another_run_or_code_is_refused_and_a_damaged_one_set_aside(tmp_path, trainer, capsys):
    identity = {"method": "mixed", "code": "0" * 16}
    saved = checkpoints.Checkpoint(tmp_path / "c.npz", identity)
    assert saved.load() is None
    saved.save({"w": np.arange(5.0)})
    loaded = saved.load()
    assert loaded is not None and loaded["w"].tolist() == [0, 1, 2, 3, 4]

    def refusal(checkpoint):
        with pytest.raises(UserError) as raised:
            checkpoint.load()
        assert "c.npz" in str(raised.value) and "rm " in str(raised.value) and "\n" not in str(raised.value)
        return str(raised.value)

    other = checkpoints.Checkpoint(saved.path, {**identity, "code": "1" * 16})
    assert "of other code (it differs in code)" in refusal(other)
    whole = saved.path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"PK\x03\x04", whole[:100] + b"\0" * 40 + whole[140:]):
        saved.path.write_bytes(damaged)
        assert saved.load() is None and not saved.path.exists()
        assert saved.path.with_name("c.npz.damaged").read_bytes() == damaged
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"{saved.path}: is cut short, garbled or no checkpoint: the run starts from its")
    saved.path.write_bytes(whole)
    with pytest.raises(UserError, match="does not hold a whole state"):
        saved.take_up(trainer())


def test_no_checkpoint_is_unpickled(tmp_path):
    path = tmp_path / "c.npz"
    np.savez(path, meta=np.array([{"a": 1}], dtype=object))
    assert checkpoints.Checkpoint(path, {}).load() is None


def test_a_checkpoint_of_an_absurd_size_is_refused_by_its_declared_size(tmp_path):
    path = tmp_path / "c.npz"
    np.savez_compressed(path, meta=np.array("{}"), w=np.zeros(checkpoints._MAX_BYTES // 8, np.int64))
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    try:
        assert checkpoints.Checkpoint(path, {}).load() is None
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", ["(10**18,)", f"({10**18},)", f"({2**40},)", "(-1,)", f"({2**63},)"])
def test_an_array_of_a_checkpoint_that_declares_more_than_there_is_is_refused(tmp_path, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + b"\0" * 64
    path = tmp_path / "c.npz"
    np.savez(path, meta=np.array("{}"))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("w.npy", array)
    assert checkpoints.Checkpoint(path, {}).load() is None


def killed_and_finished(folder, kills, frames):
    """Finishes a run that is killed at random moments, each after a new checkpoint; how often it went on."""
    rng = np.random.default_rng(0)
    went_on, checkpoint = 0, folder / "checkpoint.npz"
    for _ in range(kills):
        began = time.time()
        process = run_command(folder, "cut.npz", frames=frames, checkpoint=checkpoint.name)
        while process.poll() is None and not (checkpoint.exists() and checkpoint.stat().st_mtime > began):
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.4))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
        went_on += "goes on from" in errors
    went_on += "goes on from" in finish(run_command(folder, "cut.npz", frames=frames, checkpoint=checkpoint.name))
    return went_on


@pytest.mark.slow
def test_a_killed_run_ends_with_the_bytes_of_an_undisturbed_one(tmp_path):
    frames = 6000
    finish(run_command(tmp_path, "whole.npz", frames=frames))
    went_on = killed_and_finished(tmp_path, 10, frames)
    assert (tmp_path / "cut.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert load_run(tmp_path / "cut.npz").meta["observed_frames"] == frames
    assert not (tmp_path / "checkpoint.npz").exists()
    assert went_on > 3


class WithTau(Constant):
    """No tuning, with a hyper-parameter."""

    def __init__(self, n_weights, *, tau, **settings):
        super().__init__(n_weights, **settings)


def test_a_checkpoint_of_another_hyper_parameter_is_refused(monkeypatch, tmp_path):
    hyper = (Hyperparameter("tau", "1000", "how long"),)
    monkeypatch.setitem(METHODS, "none", replace(METHODS["none"], tuner=f"{__name__}:WithTau", kernels={}, hyper=hyper))
    path, answers = tmp_path / "checkpoint", complete(READINGS["catch"], {}, "readings")

    def run(tau):
        key = RunKey("catch", "none", "2^-8", "0", "0", 0)
        more = {"device": "cpu", "checkpoint": path, "checkpoint_every": 0}
        return DOMAIN.train(Request(key, 20, answers, {"tau": tau}, **more), cut_short)

    def cut_short(more, *, before=False):
        if path.exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run("1000")
    with pytest.raises(UserError, match="it differs in hyper"):
        run("10")
