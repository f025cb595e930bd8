"""What an observed frame of seaquest takes, emulator included, and each part of it.

    pytest benchmarks/test_atari.py --benchmark-only -s

Processor time, as a ratio to one numpy multiplication in place of 7 × 680,000 float32, which is measured in the same
sitting; that is about what mixed Metatrace keeps of the network's weights. "Plain" is the agent written to be read,
on one core. Nothing here asserts on time.
"""

import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest

from metatrace.compiled import object_code
from metatrace.domains import readings
from metatrace.domains.atari.domain import DOMAIN
from metatrace.domains.atari.readings import READINGS
from metatrace.domains.games import trainer_of
from metatrace.domains.protocol import Request
from metatrace.runs.key import RunKey

METHODS = ("none", "scalar", "vector", "mixed")
PARTS = ("frame", "emulator", "act", "learn")


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    path = tmp_path_factory.mktemp("kernel") / "step_kernel.o"
    path.write_bytes(object_code.as_file("step_kernel", "", DOMAIN.compile("step_kernel")))
    return path


@pytest.fixture(scope="module")
def table():
    """Collects the median and the fastest time by name and part; prints the table when the last benchmark is done."""
    rows = {}
    yield rows
    unit = rows.pop("7 × 680,000 float32 in place", {}).get("frame")
    print(f"\n\n{'median / fastest':<20}" + "".join(f"{part:>15}" for part in PARTS))
    for name, row in rows.items():
        ratios = [[time / one for time, one in zip(row[part], unit, strict=True)] for part in PARTS if part in row]
        print(f"{name:<20}" + "".join(f"{median:>8.2f} / {fastest:.2f}" for median, fastest in ratios))
    print(f"1 is {unit[0] * 1e3:.2f} / {unit[1] * 1e3:.2f} ms")


def keep(table, name, part, benchmark):
    if benchmark.stats:  # none under --benchmark-disable
        table.setdefault(name, {})[part] = benchmark.stats.stats.median, benchmark.stats.stats.min


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("how", ["compiled", "plain"])
@pytest.mark.parametrize("method", METHODS)
def test_a_frame(benchmark, kernel, table, method, how, part):
    answers = readings.complete(READINGS["seaquest"], {}, "readings")
    key = RunKey("seaquest", method, "2^-12", "0.001", "0", 0)
    request = Request(key, 10**6, answers, device="cpu", kernel=kernel if how == "compiled" else None)
    trainer = trainer_of(request, DOMAIN.make, DOMAIN.reward_reading)
    rng = np.random.default_rng(0)

    def emulator():
        if trainer.environment.step(int(rng.integers(18))).over:
            trainer.environment.reset()

    parts = {
        "frame": trainer.step,
        "emulator": emulator,
        "act": lambda: trainer.agent.act(0.5),
        "learn": lambda: trainer.agent.learn(0.0, trainer.observation, False),
    }
    parts["act"]()
    rounds = 150 if how == "compiled" else 15
    benchmark.pedantic(parts[part], rounds=rounds, warmup_rounds=10)
    keep(table, f"{method}, {how}", part, benchmark)


@pytest.mark.benchmark(timer=time.process_time)
def test_the_unit(benchmark, table):
    array = np.ones((7, 680_000), np.float32)
    benchmark.pedantic(lambda: np.multiply(array, np.float32(1.0000001), out=array), rounds=60, warmup_rounds=3)
    keep(table, "7 × 680,000 float32 in place", "frame", benchmark)
