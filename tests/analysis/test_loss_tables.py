"""Tables of runs with losses, on made-up runs."""

import numpy as np
import pytest

from metatrace.analysis import losses
from metatrace.runs.key import RunKey
from metatrace.runs.results import LossRun


def made(values, seed=0, mu="0.01", **meta):
    key = RunKey("tracking", "idbd", "0.05", mu, "0", seed)
    return LossRun(
        key, np.empty(0), np.empty(0, np.int64), meta, losses=np.array(values), step_sizes=np.array([0.2, 0.4, 0.01])
    )


def test_scores_weigh_a_short_last_block_by_its_length():
    runs = [made([4.0, 3.0, 1.0], seed, block=10, examples=25) for seed in (1, 0)]
    table = losses.scores(runs, 20, "examples")
    assert table["seed"].tolist() == [0, 1] and table["examples"].tolist() == [25, 25]
    np.testing.assert_allclose(table["final"], (3 * 10 + 1 * 5) / 15)
    np.testing.assert_allclose(table["auc"], (4 * 10 + 3 * 10 + 1 * 5) / 25)
    assert not table["diverged"].any()


def test_curves_say_how_many_examples_had_been_seen():
    table = losses.curves([made([4.0, 3.0, 1.0], seed, block=10, examples=25) for seed in range(3)], 20)
    assert table["example"].tolist() == [10, 20, 25] and table["runs"].tolist() == [3, 3, 3]
    assert table["mean"].tolist() == [4.0, 3.5, 2.0]


def test_losses_of_episodes_go_over_episodes():
    runs = [made([4.0, 2.0], seed) for seed in range(2)]
    assert losses.curves(runs, 2)[["episode", "mean"]].values.tolist() == [[1, 4.0], [2, 3.0]]
    assert losses.scores(runs, 1, "episodes")[["episodes", "final"]].values.tolist() == [[2, 2.0], [2, 2.0]]


def test_step_sizes_by_group():
    table = losses.step_sizes([made([1.0], block=10, examples=10)], {"relevant": slice(2), "irrelevant": slice(2, 3)})
    assert table["group"].tolist() == ["relevant", "irrelevant"]
    assert table[["mean", "least", "largest"]].values.tolist() == [
        [pytest.approx(0.3), 0.2, 0.4],
        [0.01, 0.01, 0.01],
    ]
