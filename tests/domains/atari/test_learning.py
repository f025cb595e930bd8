"""The agent learns: on catch, from chance to nine balls in ten, with every kind of tuning.

That of the paper's games takes millions of frames. Catch has the same network, agent and tuners.
"""

import numpy as np
import pytest

from metatrace.domains import readings
from metatrace.domains.atari import catch
from metatrace.domains.atari.readings import READINGS
from metatrace.domains.atari.settings import Settings
from metatrace.domains.atari.train import Trainer, one_thread, train

METHODS = ("none", "scalar", "vector", "mixed")
SLOW = ("scalar", "vector")  # what the other two do not show is little


def returns(kernel, method, frames):
    """Of each ball: 1 for a catch, −1 for a miss."""
    one_thread()
    answers = readings.complete(READINGS["catch"], {}, "readings")
    training = train(Trainer(Settings("catch", method, 2**-7, 0.001, 0, frames, answers, "cpu"), kernel))
    assert not training.diverged
    return np.array(training.returns)


@pytest.mark.parametrize(
    "method", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in METHODS]
)
def test_it_gets_far_beyond_chance_in_seconds_on_a_small_field(monkeypatch, kernel, method):
    """Three columns and four rows, where play that does not see the ball has a mean return of −1/3."""
    monkeypatch.setattr(catch, "COLUMNS", 3)
    monkeypatch.setattr(catch, "ROWS", 4)
    monkeypatch.setattr(catch, "WIDTH", 28)
    monkeypatch.setattr(catch, "HEIGHT", 21)
    balls = returns(kernel, method, 2400)
    deviation = 2 / np.sqrt(300)  # at most, of a mean of 300 balls
    assert balls[-300:].mean() > -1 / 3 + 5 * deviation
    assert balls[-300:].mean() > balls[:300].mean() + 3 * deviation


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_it_catches_nine_balls_in_ten_within_minutes(kernel, method):
    balls = returns(kernel, method, 30_000)
    assert (balls[-500:] == 1).mean() >= 0.9
