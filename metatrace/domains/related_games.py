"""Trainings on games by the methods of others: those that have passes of their own, and SARSA(λ)."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from metatrace import numbers
from metatrace.domains import games
from metatrace.domains.games import GAMMA, LAM, PSI, device_of
from metatrace.domains.protocol import Request
from metatrace.methods import METHODS, SARSA

if TYPE_CHECKING:
    import numpy as np

    from metatrace.networks.agent import NetworkAgent
    from metatrace.networks.environment import Environment
    from metatrace.networks.shape import NetworkShape
    from metatrace.networks.training import Trainer
    from metatrace.runs.results import Run

# Function -> the methods that alone use it, for fingerprints.
USED_BY: dict[str, tuple[str, ...]] = {
    "optimiser_agent": ("rmsprop", "adam", "obgd"),
    "sarsa_agent": ("sarsa-none",),
}
_TEMPERATURE = ("tau_0", "tau_k")  # hyper-parameters of the agent, not of its tuner


def trainer_of(request: Request, make: Callable[..., "Environment"], reward_reading: str) -> "Trainer":
    """The training that a request asks for, at its beginning; `make` makes the game."""
    is_compiled = device_of(request.device) == "cpu" and request.kernel is not None
    if METHODS[request.key.method].agent == SARSA:
        return _trainer_by(sarsa_agent, request, make, reward_reading)
    if is_compiled:
        return _trainer_by(optimiser_agent, request, make, reward_reading)
    return games.trainer_of(request, make, reward_reading)


def run_of(request: Request, trainer: "Trainer") -> "Run":
    """What the run file of a training holds: as with the paper's methods, but SARSA(λ) has no entropy term."""
    run = games.run_of(request, trainer)
    if METHODS[request.key.method].agent == SARSA:
        run.meta["psi"] = 0.0
    return run


def _trainer_by(
    make_agent: Callable[[Request, "NetworkShape", "np.ndarray"], "NetworkAgent"],
    request: Request,
    make: Callable[..., "Environment"],
    reward_reading: str,
) -> "Trainer":
    """As `games.trainer_of`, with the same streams of random numbers, by another agent."""
    import numpy as np

    from metatrace.networks.shape import initial_weights
    from metatrace.networks.training import Trainer

    of_environment, of_policy, of_network = np.random.SeedSequence(request.key.seed).spawn(3)
    environment = make(request.key.environment, of_environment, request.readings)
    start = int(of_network.generate_state(1, np.uint64)[0] >> 1)
    weights = initial_weights(environment.shape, start, request.readings["output_layers"])
    policy = np.random.Generator(np.random.PCG64(of_policy))
    agent = make_agent(request, environment.shape, weights)
    return Trainer(agent, environment, policy, request.length, request.readings[reward_reading] == "clipped")


def optimiser_agent(request: Request, shape: "NetworkShape", weights: "np.ndarray") -> "NetworkAgent":
    """The compiled agent with an optimiser."""
    from metatrace.networks import related

    assert request.kernel is not None
    tuner, kernel = _tuner(request, 1, PSI), related.load(request.kernel)
    return related.OptimiserAgent(shape, weights, request.key.method, tuner, kernel, gamma=GAMMA)


def sarsa_agent(request: Request, shape: "NetworkShape", weights: "np.ndarray") -> "NetworkAgent":
    """SARSA(λ): the compiled agent on a processor if there is a kernel, else the plain one."""
    temperature = {name: numbers.parse(request.hyper[name], name, zero=True) for name in _TEMPERATURE}
    settings: dict[str, Any] = {"gamma": GAMMA, **temperature}
    if device_of(request.device) == "cpu" and request.kernel is not None:
        from metatrace.networks import related

        return related.CompiledSarsa(shape, weights, _tuner(request, 1, 0.0), related.load(request.kernel), **settings)
    import torch

    from metatrace.networks import plain
    from metatrace.networks.plain_sarsa import PlainSarsa

    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # traces decay into numbers too small for full precision, which are slow
    w = torch.from_numpy(weights).to(plain.device(request.device))
    network = partial(plain.value_and_logits, shape)
    return PlainSarsa(network, w, _tuner(request, shape.n_weights, 0.0), **settings)


def _tuner(request: Request, n_weights: int, psi: float) -> Any:
    from metatrace.tuning import make_tuner, readings_of

    key = request.key
    return make_tuner(
        key.method,
        n_weights,
        alpha=numbers.parse(key.alpha, "alpha"),
        mu=numbers.parse(key.mu, "mu", zero=True),
        gamma=GAMMA,
        lam=LAM,
        psi=psi,
        hyper={name: token for name, token in request.hyper.items() if name not in _TEMPERATURE},
        **readings_of(key.method, request.readings),
    )
