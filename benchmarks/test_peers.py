"""Metatrace next to what others publish, on the same work, in one process.

    pip install -e .[dev,benchmarks]
    pytest benchmarks/test_peers.py --benchmark-only -s

On mountain car's tiles: Swift-Sarsa (Javed and Sutton, 2024, pip `swiftsarsa`, C++ behind Python) and our compiled
SARSA(λ). Swift-Sarsa's time is that of its own two calls a step alone; ours has the car, the tiles and the choice of
actions in it. The mean return of the last 100 episodes stands beside it, each at one setting that learns.

On MinAtar breakout: Stream AC(λ) (`stream_ac`) and our compiled agent, environment included. Their networks differ: two
of 132,000 weights there, one here. Nothing here asserts on time.
"""

import time

import numpy as np
import pytest

from metatrace.compiled import object_code
from metatrace.domains import readings
from metatrace.domains.games import trainer_of
from metatrace.domains.minatar.domain import DOMAIN as MINATAR
from metatrace.domains.minatar.game import Game
from metatrace.domains.mountain_car import compiled, sarsa
from metatrace.domains.mountain_car.domain import DOMAIN as MOUNTAIN_CAR
from metatrace.domains.mountain_car.dynamics import TIME_LIMIT, at_goal, next_state
from metatrace.domains.mountain_car.settings import Settings
from metatrace.domains.mountain_car.tiles import N_TILES, active_tiles
from metatrace.domains.protocol import Request
from metatrace.runs.key import RunKey

EPISODES = 400
ASKED = MOUNTAIN_CAR.environments["mountain_car"].asked("sarsa-none")
SETTINGS = {"sarsa-none": (2**-8, 0.0), "sarsa-nosid": (2**-8, 2**-8), "sarsa-mixed": (2**-8, 2**-10)}
FRAMES = 1000


@pytest.fixture(scope="module")
def table():
    """Collects µs a step and a note by name; prints them, and ratios to the first of each part, at the end."""
    rows = {}
    yield rows
    for part in dict.fromkeys(part for part, _ in rows):
        here = {name: row for (there, name), row in rows.items() if there == part}
        peer = next(iter(here.values()))[0]
        print(f"\n\n{part:<34}{'µs a step':>12}{'times as fast':>15}")
        for name, (microseconds, note) in here.items():
            print(f"{name:<34}{microseconds:>12.2f}{peer / microseconds:>15.1f}  {note}")


def swift_sarsa(episodes, seed=0):
    """Plays mountain car with Swift-Sarsa; its seconds, the steps and the returns."""
    peer = pytest.importorskip("swiftsarsa", reason="pip install -e .[benchmarks]")
    agent = peer.SwiftSarsaBinaryFeatures(N_TILES, 3, 0.8, 2**-8, 1e-3, 0.5, 0.999, 1e-8, 1e-10)
    rng = np.random.default_rng(seed)
    seconds, steps, returns, reward, gamma = 0.0, 0, [], 0.0, 0.0
    for _ in range(episodes):
        state, length = (float(rng.uniform(-0.6, -0.4)), 0.0), 0
        while length < TIME_LIMIT and not at_goal(state):
            tiles = active_tiles(np.float32(state)).tolist()
            start = time.process_time()
            values = agent.get_action_values(tiles)
            seconds += time.process_time() - start
            action = int(rng.integers(3)) if rng.random() < 0.1 else int(np.argmax(values))
            start = time.process_time()
            agent.learn(tiles, reward, gamma, action)
            seconds += time.process_time() - start
            state, reward, gamma, length = next_state(state, action), -1.0, 0.99, length + 1
        gamma = 0.0  # the last reward is learned with the next episode's first state, whose value does not count
        steps += length
        returns.append(-length)
    return seconds, steps, returns


def test_swift_sarsa(benchmark, table):
    made = []
    benchmark.pedantic(lambda: made.append(swift_sarsa(EPISODES)), rounds=1)
    seconds, steps, returns = made[-1]
    table["mountain car, SARSA(λ)", "Swift-Sarsa"] = seconds / steps * 1e6, f"final {np.mean(returns[-100:]):.0f}"


@pytest.mark.parametrize("method", SETTINGS)
def test_our_sarsa(benchmark, table, tmp_path, method):
    alpha, mu = SETTINGS[method]
    name = MOUNTAIN_CAR.kernel_of(method)
    (tmp_path / name).write_bytes(object_code.as_file(name, "", MOUNTAIN_CAR.compile(name)))
    kernel = compiled.load(tmp_path / name, name)
    answers = readings.complete(ASKED, {}, "readings")
    made, times = [], []

    def train():
        start = time.process_time()
        made.append(sarsa.train(kernel, Settings(method, alpha, mu, 0, EPISODES, readings=answers)))
        times.append(time.process_time() - start)

    benchmark.pedantic(train, rounds=5, warmup_rounds=1)
    steps, returns = made[-1].steps, made[-1].returns
    note = f"final {returns[-100:].mean():.0f}, the car included"
    table["mountain car, SARSA(λ)", f"{method}, compiled"] = min(times) / steps * 1e6, note


def test_stream_ac(benchmark, table):
    import stream_ac
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    game = Game("breakout", seed=np.random.SeedSequence(0))
    agent = stream_ac.StreamAC(game.shape.channels, game.shape.n_actions)
    seen = [agent.see(game.reset())]

    def frame():
        x = seen[-1]
        action = agent.act(x)
        step = game.step(action)
        agent.learn(x, action, step.reward, agent.see(step.observation), step.over)
        seen[-1] = agent.see(game.reset() if step.over else step.observation)

    keep(table, "Stream AC(λ), torch", time_of(benchmark, frame, FRAMES))


@pytest.mark.parametrize("method", ["none", "mixed"])
def test_our_network(benchmark, table, tmp_path, method):
    path = tmp_path / "step_kernel.o"
    path.write_bytes(object_code.as_file("step_kernel", "", MINATAR.compile("step_kernel")))
    answers = readings.complete(MINATAR.environments["minatar_breakout"].asked(method), {}, "readings")
    key = RunKey("minatar_breakout", method, "2^-10", "0.001" if method != "none" else "0", "0", 0)
    request = Request(key, 10**9, answers, device="cpu", kernel=path)
    trainer = trainer_of(request, MINATAR.make, MINATAR.reward_reading)
    keep(table, f"{method}, compiled", time_of(benchmark, trainer.step, FRAMES))


def time_of(benchmark, step, count):
    """The median processor time of a step, in seconds."""
    times = []

    def timed():
        start = time.process_time_ns()
        step()
        times.append(time.process_time_ns() - start)

    benchmark.pedantic(timed, rounds=count, warmup_rounds=50)
    return float(np.median(times)) / 1e9


def keep(table, name, seconds):
    table["MinAtar breakout", name] = seconds * 1e6, "a frame, the game included"
