"""Milliseconds an observed frame of seaquest takes, and each part of it, compiled and by torch.

    pytest benchmarks/test_atari.py --benchmark-only -s

"By torch" is the tuner as it stands, eager, with all gradients written out. Nothing here asserts on time.
"""

import numpy as np
import pytest
import torch

from metatrace.atari import object_code
from metatrace.atari.agent import Agent
from metatrace.atari.environment import Environment
from metatrace.atari.gradients import write_gradients
from metatrace.atari.network import Layout, forward, initial_weights, patches_of
from metatrace.atari.train import one_thread
from metatrace.atari.update import CompiledUpdate, TorchUpdate
from metatrace.tuning import make_tuner

METHODS = ("none", "scalar", "vector", "mixed")
PARTS = ("frame", "emulator", "patches", "forward", "gradients", "update")
LAYOUT = Layout(18)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    path = tmp_path_factory.mktemp("kernel") / "step_kernel.o"
    path.write_bytes(object_code.compile_object())
    return object_code.load(path)


@pytest.fixture(scope="module")
def table():
    """Collects ms by method, agent and part; prints the table when the last benchmark is done."""
    rows = {}
    yield rows
    print(f"\n\n{'fastest, ms':<22}" + "".join(f"{part:>11}" for part in PARTS))
    for name, row in rows.items():
        print(f"{name:<22}" + "".join(f"{row[part]:>11.2f}" if part in row else " " * 11 for part in PARTS))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("how", ["compiled", "torch"])
@pytest.mark.parametrize("method", METHODS)
def test_milliseconds_a_frame(benchmark, kernel, table, method, how, part):
    one_thread()
    weights = initial_weights(LAYOUT, torch.Generator().manual_seed(0), "pytorch_default")
    tuner = make_tuner(method, LAYOUT.n_weights, alpha=2**-12, mu=0.001, psi=0.01)
    compiled = how == "compiled"
    update = CompiledUpdate(tuner, weights, LAYOUT, kernel) if compiled else TorchUpdate(tuner, weights)
    agent = Agent(LAYOUT, update, gamma=0.99)
    game = Environment("seaquest", seed=0)
    rng = np.random.default_rng(0)
    agent.start_episode()
    agent.see(game.reset())

    def frame():
        step = game.step(agent.act(rng.random()))
        agent.learn(step.reward, step.observation, step.terminal)
        if step.over:
            agent.start_episode()
            agent.see(game.reset())

    def emulator():
        if game.step(int(rng.integers(18))).over:
            game.reset()

    frame()
    seen = torch.from_numpy(game.step(0).observation)
    with torch.no_grad():
        patches = patches_of(seen)
        now = forward(agent.weights, patches)
        delta = torch.tensor(0.1)
        parts = {
            "frame": frame,
            "emulator": emulator,
            "patches": lambda: patches_of(seen),
            "forward": lambda: forward(agent.weights, patches),
            "gradients": lambda: write_gradients(agent.weights, now, now, 1, 0.99, agent.gradients),
            "update": lambda: update(agent.gradients, delta),
        }
        rounds = 40 if compiled or part != "frame" else 15
        benchmark.pedantic(parts[part], rounds=rounds, warmup_rounds=3)
    if benchmark.stats:  # none under --benchmark-disable
        table.setdefault(f"{method}, {how}", {})[part] = benchmark.stats.stats.min * 1e3
