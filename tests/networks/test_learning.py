"""The agent learns: on catch, from chance to nine balls in ten, with every kind of tuning.

That of the paper's games takes millions of frames. Catch has the same network, agent and tuners.
"""

import numpy as np
import pytest
from marks import slow

from metatrace.domains.atari import catch
from metatrace.domains.atari.domain import DOMAIN
from metatrace.domains.atari.readings import READINGS
from metatrace.domains.protocol import Request
from metatrace.domains.readings import complete
from metatrace.runs.key import RunKey

METHODS = ("none", "scalar", "vector", "mixed")
SLOW = ("scalar", "vector", "mixed")  # what the first does not show, the comparison with autograd does


@pytest.fixture
def returns(kernel_files):
    """Of each ball: 1 for a catch, −1 for a miss."""

    def returns_of(method, frames):
        key, answers = RunKey("catch", method, "2^-7", "0.001", "0", 0), complete(READINGS["catch"], {}, "readings")
        request = Request(key, frames, answers, device="cpu", kernel=kernel_files("step_kernel"))
        training = DOMAIN.trainer(request).run()
        assert not training.diverged
        return np.array(training.returns)

    return returns_of


@pytest.mark.parametrize("method", [slow(name) if name in SLOW else name for name in METHODS])
def test_it_gets_far_beyond_chance_in_seconds_on_a_small_field(monkeypatch, returns, method):
    """Three columns and four rows, where play that does not see the ball has a mean return of −1/3."""
    monkeypatch.setattr(catch, "COLUMNS", 3)
    monkeypatch.setattr(catch, "ROWS", 4)
    monkeypatch.setattr(catch, "WIDTH", 28)
    monkeypatch.setattr(catch, "HEIGHT", 21)
    balls = returns(method, 2400)
    deviation = 2 / np.sqrt(300)  # at most, of a mean of 300 balls
    assert balls[-300:].mean() > -1 / 3 + 5 * deviation
    assert balls[-300:].mean() > balls[:300].mean() + 3 * deviation


@pytest.mark.slow
@pytest.mark.parametrize("method", ("none", "mixed"))
def test_it_catches_nine_balls_in_ten_within_minutes(returns, method):
    balls = returns(method, 30_000)
    assert (balls[-500:] == 1).mean() >= 0.9
