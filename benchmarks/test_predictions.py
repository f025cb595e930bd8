"""µs a step of every compiled kernel of TD(λ) on drifting and noisy features.

    pytest benchmarks/test_predictions.py --benchmark-only -s

Nothing here asserts on time.
"""

import pytest

from metatrace.compiled import object_code
from metatrace.domains import readings
from metatrace.domains.mountain_car.compiled import load
from metatrace.domains.prediction import compiled
from metatrace.domains.prediction.domain import DOMAIN
from metatrace.domains.prediction.settings import settings_of
from metatrace.domains.protocol import Request
from metatrace.methods import complete_hyper
from metatrace.runs.key import RunKey

MUS = {
    "none": "0",
    "scalar": "2^-8",
    "vector": "2^-8",
    "mixed": "2^-8",
    "vector-unnormalized": "2^-13",
    "tidbd": "2^-10",
    "tidbd-scalar": "2^-15",
    "autotidbd": "2^-4",
}
EPISODES, ROUNDS = 400, 5


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    for name in DOMAIN.kernels:
        (folder / name).write_bytes(object_code.as_file(name, "", DOMAIN.compile(name)))
    return {name: load(folder / name, name) for name in DOMAIN.kernels}


@pytest.mark.parametrize("method", MUS)
def test_microseconds_per_step(benchmark, kernels, method):
    answers = readings.complete(DOMAIN.environments["drifting_prediction"].readings, {}, "readings")
    key = RunKey("drifting_prediction", method, "2^-6", MUS[method], "6e-6", 0)
    settings = settings_of(Request(key, EPISODES, answers, complete_hyper(method, {}, "hyper")))
    kernel = kernels[DOMAIN.kernel_of(method)]
    training = benchmark.pedantic(compiled.train, args=(kernel, settings), rounds=ROUNDS, warmup_rounds=1)
    print(f"\n{method}: {benchmark.stats.stats.min / training.lengths.sum() * 1e6:.2f} µs a step")
