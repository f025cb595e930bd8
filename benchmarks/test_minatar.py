"""Frames a second of MinAtar's games with each method, the games included.

    pytest benchmarks/test_minatar.py --benchmark-only -s

The median round, in processor time of one core; below it the share of the untuned agent's, in the same sitting.
"Plain" is the agent written to be read, on breakout. Nothing here asserts on time.
"""

import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

from metatrace.compiled import object_code
from metatrace.domains import readings
from metatrace.domains.minatar.domain import DOMAIN
from metatrace.domains.protocol import Request
from metatrace.methods import METHODS, complete_hyper
from metatrace.runs.key import UNTUNED, RunKey

PLAIN = "plain"
GAMES = {game: game.removeprefix("minatar_") for game in DOMAIN.environments}
COMPILED = [method for method in METHODS if DOMAIN.kernel_of(method)]
FRAMES, PLAIN_FRAMES = 100, 5  # a round; the first round is not measured
ROUNDS = 20


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    for name in DOMAIN.kernels:
        (folder / name).write_bytes(object_code.as_file(name, "", DOMAIN.compile(name)))
    return folder


@pytest.fixture(scope="module")
def rates():
    """Collects the frames a second by method and column; prints the table when the last one is measured."""
    found = {}
    yield found
    columns = [*GAMES.values(), PLAIN]
    if found:
        print(f"\n\n{'frames a second':<22}" + "".join(f"{column:>16}" for column in columns))
    for method in METHODS:
        shown = {column: found[method, column] for column in columns if found.get((method, column))}
        shares = {column: rate / found[UNTUNED, column] for column, rate in shown.items() if (UNTUNED, column) in found}
        for label, values, form in ((method, shown, ",.0f"), ("", shares, ".2f")):
            if values:
                cells = (format(values[column], form) if column in values else "–" for column in columns)
                print(f"{label:<22}" + "".join(f"{cell:>16}" for cell in cells))


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("method", COMPILED)
def test_a_frame(benchmark, kernels, rates, method, game):
    kernel = kernels / str(DOMAIN.kernel_of(method))
    rates[method, GAMES[game]] = frames_a_second(benchmark, game, method, kernel, FRAMES)


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("method", COMPILED)
def test_a_frame_of_the_plain_agent(benchmark, rates, method):
    rates[method, PLAIN] = frames_a_second(benchmark, "minatar_breakout", method, None, PLAIN_FRAMES)


def frames_a_second(benchmark, game, method, kernel, frames):
    """By the median of the rounds, each of some frames; None under --benchmark-disable."""
    answers = readings.complete(DOMAIN.environments[game].readings, {}, "readings")
    key = RunKey(game, method, "2^-10", "0.001" if METHODS[method].has_mu else "0", "0", 0)
    hyper = complete_hyper(method, {}, "hyper", DOMAIN.name)
    trainer = DOMAIN.trainer(Request(key, 10**9, answers, hyper, device="cpu", kernel=kernel))

    def some_frames():
        for _ in range(frames):
            trainer.step()

    benchmark.pedantic(some_frames, rounds=ROUNDS, warmup_rounds=1)
    return frames / benchmark.stats.stats.median if benchmark.stats else None
