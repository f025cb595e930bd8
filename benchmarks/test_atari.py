"""Milliseconds an observed frame of seaquest takes, and each part of it, compiled and by torch.

    pytest benchmarks/test_atari.py --benchmark-only -s

Processor time: the median and, behind the stroke, the fastest; between them is what else goes on in the
memory that all processors share. "By torch" is the network and the tuner as they stand, eager, with all
gradients written out. The last line is the limit that memory sets to mixed Metatrace: its seven arrays, read
and written once. Nothing here asserts on time.
"""

import time

import numpy as np
import pytest
import torch

from metatrace.compiled import object_code
from metatrace.domains.atari.agent import Agent
from metatrace.domains.atari.domain import DOMAIN
from metatrace.domains.atari.environment import Environment
from metatrace.domains.atari.memory import zeros
from metatrace.domains.atari.network import Layout, initial_weights
from metatrace.domains.atari.train import one_thread
from metatrace.domains.atari.update import CompiledUpdate, TorchUpdate, load
from metatrace.tuning import make_tuner

METHODS = ("none", "scalar", "vector", "mixed")
PARTS = ("frame", "emulator", "patches", "forward", "gradients", "update")
LAYOUT = Layout(18)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    path = tmp_path_factory.mktemp("kernel") / "step_kernel.o"
    path.write_bytes(object_code.as_file("step_kernel", "", DOMAIN.compile("step_kernel")))
    return load(path)


@pytest.fixture(scope="module")
def table():
    """Collects ms by method, agent and part; prints the table when the last benchmark is done."""
    rows = {}
    yield rows
    print(f"\n\n{'median / fastest, ms':<22}" + "".join(f"{part:>15}" for part in PARTS))
    for name, row in rows.items():
        print(f"{name:<22}" + "".join(f"{row.get(part, ''):>15}" for part in PARTS))


def keep(table, name, part, benchmark):
    if benchmark.stats:  # none under --benchmark-disable
        stats = benchmark.stats.stats
        table.setdefault(name, {})[part] = f"{stats.median * 1e3:.2f} / {stats.min * 1e3:.2f}"


@pytest.mark.benchmark(timer=time.process_time)
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
    seen, network = game.step(0).observation, agent.network
    with torch.no_grad():
        patches = network.patches_of(seen)
        now = network.forward(patches)
        delta = torch.tensor(0.1)
        parts = {
            "frame": frame,
            "emulator": emulator,
            "patches": lambda: network.patches_of(seen),
            "forward": lambda: network.forward(patches),
            "gradients": lambda: network.write_gradients(now, now, 1, 0.99, agent.gradients),
            "update": lambda: update(agent.gradients, delta),
        }
        rounds = 40 if compiled or part != "frame" else 15
        benchmark.pedantic(parts[part], rounds=rounds, warmup_rounds=3)
    keep(table, f"{method}, {how}", part, benchmark)


@pytest.mark.benchmark(timer=time.process_time)
def test_the_limit_that_memory_sets_to_the_update(benchmark, table):
    one_thread()
    arrays = zeros(7, LAYOUT.n_weights)

    def once():
        for array in arrays:
            array.add_(1.0)

    benchmark.pedantic(once, rounds=40, warmup_rounds=3)
    keep(table, "seven arrays, + 1", "update", benchmark)
