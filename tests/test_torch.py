"""`metatrace.torch` on networks of one's own: the plain agent's numbers, saved and restored, and the examples."""

import io
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from marks import slow
from torch import nn

from metatrace.networks import plain
from metatrace.networks.shape import Convolution, NetworkShape, initial_weights
from metatrace.torch import ActorCritic
from metatrace.tuning import make_tuner

EXAMPLES = Path(__file__).parents[1] / "docs/examples"
METHODS = ("none", "scalar", "vector", "mixed", "mixed-unnormalized", "rmsprop", "adam", "obgd")


class Network(nn.Module):
    """An unused layer and one that stays as it is are part of what people have."""

    def __init__(self, dtype=torch.float64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 6), nn.Tanh())
        self.policy, self.value, self.unused = nn.Linear(6, 3), nn.Linear(6, 1), nn.Linear(2, 2)
        self.fixed = nn.Parameter(torch.ones(6), requires_grad=False)
        self.to(dtype)

    def forward(self, observation):
        x = self.body(observation) * self.fixed
        return self.policy(x), self.value(x)


def play(learner, steps, start=0):
    """Returns every δ of a made-up stream, in episodes of seven steps."""
    rng = np.random.default_rng(0)
    observations, rewards = rng.normal(size=(41, 4)), rng.normal(size=40)
    deltas = []
    for step in range(start, start + steps):
        if step % 7 == 0:
            learner.start_episode()
        generator = torch.Generator().manual_seed(step)
        action = learner.act(observations[step], generator)
        deltas.append(learner.step(observations[step], action, rewards[step], observations[step + 1], step % 7 == 6))
    return deltas


def made(method="mixed", seed=0, dtype=torch.float64, **options):
    torch.manual_seed(seed)
    return ActorCritic(Network(dtype), method, **{"alpha": 2**-6, "mu": 2**-6, **options})


def weights(learner):
    return torch.cat([parameter.detach().flatten() for parameter in learner.module.parameters()])


@pytest.mark.parametrize("method", METHODS)
def test_it_learns_what_the_agent_of_the_games_learns(method):
    """A module that calls the games' network on weights of its own."""
    shape = NetworkShape(2, 7, (Convolution(3, 3),), 5, 3)
    start = torch.from_numpy(initial_weights(shape, 1, "pytorch_default")).double()

    class Game(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(start.clone())

        def forward(self, observation):
            return tuple(reversed(plain.value_and_logits(shape, self.w, observation.numpy())))

    settings = {"alpha": 2**-6, "mu": 2**-6, "psi": 0.01}
    learner = ActorCritic(Game(), method, **settings)
    agent = plain.PlainAgent(
        partial(plain.value_and_logits, shape), start, make_tuner(method, shape.n_weights, **settings), gamma=0.99
    )
    rng = np.random.default_rng(0)
    seen = rng.integers(0, 2, (21, 2, 7, 7)).astype(np.float64)
    learner.start_episode()
    agent.start_episode()
    agent.see(seen[0])
    for step in range(20):
        action, reward, terminal = agent.act(rng.random()), rng.normal(), step == 12
        delta = learner.step(seen[step], action, reward, seen[step + 1], terminal)
        assert delta == pytest.approx(agent.learn(reward, seen[step + 1], terminal), abs=1e-12)
        if terminal:
            learner.start_episode()
            agent.start_episode()
    assert torch.allclose(learner.module.w, agent.w, rtol=0, atol=1e-12)
    assert not torch.equal(learner.module.w, start)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_a_saved_learner_goes_on_as_if_it_had_not_stopped(method, dtype):
    whole = made(method, dtype=dtype)
    expected = play(whole, 40)
    first = made(method, dtype=dtype)
    assert play(first, 17) == expected[:17]
    file = io.BytesIO()
    torch.save({"module": first.module.state_dict(), "learner": first.state_dict()}, file)
    file.seek(0)
    saved = torch.load(file, weights_only=True)

    second = made(method, seed=9, dtype=dtype)
    second.module.load_state_dict(saved["module"])
    second.load_state_dict(saved["learner"])
    assert play(second, 23, start=17) == expected[17:]
    assert torch.equal(weights(second), weights(whole))
    assert second.z.dtype == dtype


def test_what_does_not_require_gradients_stays_as_it_is():
    learner = made()
    unused = learner.module.unused.weight.clone()
    play(learner, 10)
    assert torch.equal(learner.module.fixed, torch.ones(6).double())
    assert torch.equal(learner.module.unused.weight, unused)


def test_a_time_limit_is_bootstrapped_and_a_terminal_state_is_not():
    observation, after = np.ones(4), np.full(4, 2.0)
    learner = made("none")
    with torch.no_grad():
        value, after_value = (float(learner.module(torch.as_tensor(x))[1]) for x in (observation, after))
    assert learner.step(observation, 0, 1.0, after, True) == pytest.approx(1 - value)
    learner = made("none")
    assert learner.step(observation, 0, 1.0, after, False) == pytest.approx(1 + 0.99 * after_value - value)


def test_a_state_of_another_method_or_size_is_refused():
    with pytest.raises(ValueError, match="that of method scalar; this learner's method is mixed"):
        made("mixed").load_state_dict(made("scalar").state_dict())
    torch.manual_seed(0)
    other = ActorCritic(nn.Sequential(nn.Linear(2, 2)), alpha=0.1)
    with pytest.raises(ValueError, match="6 weights"):
        made("mixed").load_state_dict(other.state_dict())


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (nn.Identity(), "none that require gradients"),
        (nn.Linear(2, 2).half(), "float16"),
        (nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2).double()]), "float32 on cpu, torch.float64"),
    ],
)
def test_a_module_that_cannot_learn_is_refused(module, said):
    with pytest.raises(ValueError, match=said):
        ActorCritic(module, alpha=0.1)


def test_divergence_is_told():
    learner = made("none", alpha=1e200)
    with pytest.raises(FloatingPointError, match="diverged"):
        play(learner, 20)


def test_it_needs_numpy_and_torch_alone():
    heavy = "numba, llvmlite, pandas, pyarrow, snakemake, gymnasium, pydantic, matplotlib, yaml"
    code = f"import sys, metatrace.torch; print(*sorted(set('{heavy}'.split(', ')) & {{*sys.modules}}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.slow
def test_the_cartpole_example_learns():
    command = [sys.executable, EXAMPLES / "cartpole.py", "--episodes", "80"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    means = [float(line.rpartition(" ")[2]) for line in out.splitlines()]
    assert len(means) == 4 and max(means) > 2 * means[0]


@pytest.mark.parametrize("environment", ["CartPole-v1", slow("Acrobot-v1")])
def test_the_script_in_cleanrls_manner_runs(environment):
    command = [sys.executable, EXAMPLES / "cleanrl_style.py", "--env-id", environment, "--total-timesteps", "600"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "episodic_return=" in out
