"""Steps per second of every compiled kernel and of the plain agent, in one process.

    pytest benchmarks --benchmark-only -s

The plain agent is timed over few episodes and the kernel over many, each on the same setting. The table
at the end gives µs a step (the fastest round of each) and the ratio. Nothing here asserts on time.
"""

import pytest

from metatrace.compiled import object_code
from metatrace.domains import readings
from metatrace.domains.mountain_car import compiled, dense, plain, sarsa, sarsa_plain
from metatrace.domains.mountain_car.domain import DOMAIN
from metatrace.domains.mountain_car.settings import Settings
from metatrace.methods import METHODS, SARSA

MUS = {
    "none": 0.0,
    "scalar": 2**-8,
    "scalar-unnormalized": 2**-16,
    "sid": 2**-16,
    "nosid": 2**-12,
    "vector": 2**-8,
    "vector-unnormalized": 2**-12,
    "mixed": 2**-8,
    "mixed-unnormalized": 2**-16,
    "rmsprop": 0.0,
    "adam": 0.0,
    "obgd": 0.0,
    "sarsa-none": 0.0,
    "sarsa-scalar": 2**-10,
    "sarsa-mixed": 2**-10,
    "sarsa-sid": 2**-16,
    "sarsa-nosid": 2**-8,
}
EPISODES = {"plain": 5, "compiled": 400}
ROUNDS = {"plain": 3, "compiled": 5}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    for name in DOMAIN.kernels:
        (folder / name).write_bytes(object_code.as_file(name, "", DOMAIN.compile(name)))
    return {name: compiled.load(folder / name, name) for name in DOMAIN.kernels}


@pytest.fixture(scope="module")
def table():
    """Collects µs a step by method and agent; prints the table when the last benchmark is done."""
    rows = {}
    yield rows
    print(f"\n\n{'method':<31}{'plain µs/step':>15}{'kernel µs/step':>16}{'ratio':>8}")
    for method, row in rows.items():
        if {"plain", "compiled"} <= row.keys():
            ratio = row["plain"] / row["compiled"]
            print(f"{method:<31}{row['plain']:>15.1f}{row['compiled']:>16.3f}{ratio:>8.0f}")


@pytest.mark.parametrize("agent", ["plain", "compiled"])
@pytest.mark.parametrize("drifting", [False, True], ids=["", "drifting"])
@pytest.mark.parametrize("method", MUS)
def test_steps_per_second(benchmark, kernels, table, method, drifting, agent):
    if drifting and "drifting_mountain_car" in METHODS[method].excluded:
        pytest.skip("does not run there")
    asked = DOMAIN.environments["drifting_mountain_car" if drifting else "mountain_car"].asked(method)
    settings = Settings(
        method,
        2**-10 if drifting else 2**-8,
        MUS[method],
        seed=0,
        episodes=EPISODES[agent],
        drifting=drifting,
        drift=1e-5 if drifting else 0.0,
        readings=readings.complete(asked, {}, "readings"),
    )
    name = DOMAIN.kernel_of(method)
    by_kernel = {"dense_kernel": dense, "sarsa_lazy_kernel": sarsa, "sarsa_packed_kernel": sarsa}.get(name, compiled)
    by_plain = sarsa_plain if METHODS[method].agent == SARSA else plain
    train = by_plain.train if agent == "plain" else lambda settings: by_kernel.train(kernels[name], settings)
    training = benchmark.pedantic(train, (settings,), rounds=ROUNDS[agent], warmup_rounds=1)
    assert training.steps == training.lengths.sum()
    if benchmark.stats:  # none under --benchmark-disable
        microseconds = benchmark.stats.stats.min / training.steps * 1e6
        benchmark.extra_info["µs per step"] = microseconds
        table.setdefault(f"{method}{', drifting' * drifting}", {})[agent] = microseconds
