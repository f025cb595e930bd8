"""A run whose numbers stop being finite is a result like any other: recorded, and no crash."""

import os
import subprocess
import sys

import numpy as np
import pytest

from metatrace.domains.mountain_car import compiled, plain
from metatrace.domains.mountain_car.settings import Settings
from metatrace.runs.results import load_run

# Method, α, μ, and the episode in which the run diverges. Few episodes each: over many, rounding alone
# could move the episode.
DIVERGING = [
    ("none", 1e300, 0.0, 0),
    ("none", 2.0**10, 0.0, 0),
    ("none", 2.0**3, 0.0, 1),
    ("scalar-unnormalized", 2.0**-3, 1.0, 0),
    ("scalar-unnormalized", 2.0**-10, 2.0**-6, 4),
    ("sid", 2.0**-5, 1.0, 0),
    ("sid", 2.0**-5, 2.0**-6, 1),
]
EPISODES = 8


def trainings(kernel, settings):
    return {"plain": plain.train(settings), "compiled": compiled.train(kernel, settings)}


@pytest.mark.parametrize("method, alpha, mu, episode", DIVERGING)
def test_both_agents_diverge_in_the_same_episode(kernel, method, alpha, mu, episode):
    for agent, training in trainings(kernel, Settings(method, alpha, mu, 0, EPISODES)).items():
        assert training.diverged_episode == episode, agent
        assert len(training.returns) == len(training.lengths) == EPISODES
        assert (training.returns[episode:] == -200).all() and (training.lengths[episode:] == 200).all()


@pytest.mark.parametrize("method, alpha, mu, episode", DIVERGING)
def test_both_agents_agree_up_to_there(kernel, method, alpha, mu, episode):
    found = trainings(kernel, Settings(method, alpha, mu, 0, EPISODES))
    assert np.array_equal(found["plain"].returns, found["compiled"].returns)
    assert np.array_equal(found["plain"].lengths, found["compiled"].lengths)
    alone = compiled.train(kernel, Settings(method, alpha, mu, 0, episode)) if episode else None
    if alone is not None:
        assert alone.diverged_episode is None
        assert np.array_equal(alone.returns, found["compiled"].returns[:episode])


def test_what_was_learnt_before_keeps_its_returns(kernel):
    settings = Settings("scalar-unnormalized", 2.0**-8, 2.0**-9, 5, 16)
    found = trainings(kernel, settings)
    for training in found.values():
        assert training.diverged_episode == 12
        assert (training.returns[:12] > -200).any() and (training.returns[12:] == -200).all()
    assert np.array_equal(found["plain"].returns, found["compiled"].returns)


def test_a_diverged_episode_in_a_later_chunk_is_counted_from_the_runs_start(kernel, monkeypatch):
    settings = Settings("scalar-unnormalized", 2.0**-10, 2.0**-6, 0, EPISODES)
    whole = compiled.train(kernel, settings)
    monkeypatch.setattr(compiled, "_EPISODES_PER_CALL", 3)
    chunked = compiled.train(kernel, settings)
    assert chunked.diverged_episode == whole.diverged_episode == 4
    assert np.array_equal(chunked.returns, whole.returns)


@pytest.mark.parametrize("method, mu", [("scalar", 2.0**-6), ("nosid", 2.0**-10)])
@pytest.mark.parametrize("alpha", [2.0**10, 1e300])
def test_the_normalized_methods_survive_an_absurd_step_size(kernel, method, mu, alpha):
    """M and NOSID's bound bring any α down within the first step."""
    for training in trainings(kernel, Settings(method, alpha, mu, 0, 3)).values():
        assert training.diverged_episode is None and np.isfinite(training.weights).all()


@pytest.mark.parametrize("agent", ["compiled", "plain"])
def test_the_command_records_a_diverged_run_and_succeeds(tmp_path, kernel_file, agent):
    path = tmp_path / "x.npz"
    options = [
        "--environment",
        "mountain_car",
        "--method",
        "none",
        "--alpha",
        "1e300",
        "--seed",
        "0",
        "--episodes",
        "8",
    ]
    command = [sys.executable, "-m", "metatrace", "run", *options, "--agent", agent, "--output", str(path)]
    done = subprocess.run([*command, "--kernel", str(kernel_file)], env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0
    assert "diverged in episode 0" in done.stderr and len(done.stderr.splitlines()) == 1
    run = load_run(path)
    assert run.diverged_episode == 0 and run.meta["diverged_episode"] == 0
    assert (run.returns == -200).all() and (run.lengths == 200).all() and len(run.returns) == 8
