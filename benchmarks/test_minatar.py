"""What a frame of MinAtar's breakout takes with each method, the game included.

    pytest benchmarks/test_minatar.py --benchmark-only -s

Processor time, as a ratio to an untuned frame by the compiled agent, which is measured in the same sitting. "Plain" is
the agent written to be read, on one core. Nothing here asserts on time.
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
from metatrace.runs.key import RunKey

GAME = "minatar_breakout"
COMPILED = [method for method in METHODS if DOMAIN.kernel_of(method)]
FRAMES = {"compiled": 100, "plain": 5}  # a round; the first round is not measured
ROUNDS = 20


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    for name in DOMAIN.kernels:
        (folder / name).write_bytes(object_code.as_file(name, "", DOMAIN.compile(name)))
    return folder


@pytest.fixture(scope="module")
def table():
    """Collects the median and the fastest time by method and agent; prints the table when the last one is done."""
    rows = {}
    yield rows
    if ("none", "compiled") in rows:
        units = rows["none", "compiled"]
        print(f"\n\n{'median / fastest':<22}" + "".join(f"{how:>20}" for how in FRAMES))
        for method in COMPILED:
            of_agents = (rows.get((method, how)) for how in FRAMES)
            ratios = ([one / unit for one, unit in zip(times, units, strict=True)] for times in of_agents if times)
            print(f"{method:<22}" + "".join(f"{median:>13.2f} / {fastest:.2f}" for median, fastest in ratios))
        print(f"1 is {units[0] * 1e3:.3f} / {units[1] * 1e3:.3f} ms")


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("how", FRAMES)
@pytest.mark.parametrize("method", COMPILED)
def test_a_frame(benchmark, kernels, table, method, how):
    answers = readings.complete(DOMAIN.environments[GAME].readings, {}, "readings")
    key = RunKey(GAME, method, "2^-10", "0.001" if METHODS[method].has_mu else "0", "0", 0)
    hyper = complete_hyper(method, {}, "hyper", DOMAIN.name)
    kernel = kernels / str(DOMAIN.kernel_of(method)) if how == "compiled" else None
    trainer = DOMAIN.trainer(Request(key, 10**9, answers, hyper, device="cpu", kernel=kernel))

    def some_frames():
        for _ in range(FRAMES[how]):
            trainer.step()

    benchmark.pedantic(some_frames, rounds=ROUNDS, warmup_rounds=1)
    if benchmark.stats:  # none under --benchmark-disable
        stats = benchmark.stats.stats
        table[method, how] = stats.median / FRAMES[how], stats.min / FRAMES[how]
