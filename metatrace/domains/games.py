"""Domains of games that a network learns from what it sees: what their runs have in common.

Nothing heavy is imported here; a run imports what it needs.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from metatrace import numbers
from metatrace.domains.protocol import Code, Domain, Progress, Request, facts_of
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.networks.environment import Environment
    from metatrace.networks.training import Trainer
    from metatrace.runs.results import Run

GAMMA, LAM = 0.99, 0.8
PSI = 0.01  # ψ, the weight of the entropy term
# Kernel -> the module that makes trainings by it: `trainer_of`, `run_of`
_TRAINING = {"step_kernel": __name__, "related_kernel": "metatrace.domains.related_games"}


class Games(Domain):
    """Games learned by a network; see `metatrace.domains.protocol.Domain`.

    A subclass has what is not here, and `make`. `sources` are the modules of its games, for fingerprints;
    `reward_reading` is the reading that says whether the agent learns from clipped rewards.
    """

    sources: tuple[str, ...]
    reward_reading = "learned_reward"
    unit = "frames"
    unit_text = "observed frames"
    length_in_meta = "observed_frames"
    options = frozenset({"device", "checkpoint"})
    kernels: tuple[str, ...] = tuple(_TRAINING)

    def make(self, environment: str, seed: Any, readings: Mapping[str, str]) -> "Environment":
        """A game, by its token; `seed` is a numpy SeedSequence."""
        raise NotImplementedError

    def train(self, request: Request, progress: Progress) -> "Run":
        """By the compiled agent where there is one for the method and the run is on a processor, else by the plain."""
        from metatrace.networks.checkpoint import Checkpoint

        request = replace(request, device=self.device(request.device))
        trainer = self.trainer(request)
        saved = None
        if request.checkpoint is not None:
            device = device_of(request.device).partition(":")[0]
            run = {**asdict(request.key), **request.made_by, "device": device, "frames": request.length}
            run |= {"readings": dict(request.readings), "hyper": dict(request.hyper)}
            saved = Checkpoint(request.checkpoint, run, request.checkpoint_every)
            progress(saved.take_up(trainer), before=True)

        def after_step() -> None:
            progress(1)
            if saved is not None and saved.due():
                saved.save(trainer.state())

        trainer.run(after_step)
        made: Run = import_module(self._training(request.key.method)).run_of(request, trainer)
        return made

    def trainer(self, request: Request) -> "Trainer":
        """The training that a request asks for, at its beginning."""
        module = import_module(self._training(request.key.method))
        made: Trainer = module.trainer_of(request, self.make, self.reward_reading)
        return made

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The games, the agents, the method's tuner, and the compiled passes if it has them."""
        entry = METHODS[method]
        kernel, training = self.kernel_of(method), self._training(method)
        compiled = () if kernel is None else self.kernel_code(kernel).entries
        made = (f"{training}:trainer_of", f"{training}:run_of")
        return Code((*made, *self.sources, entry.tuner, *compiled), method, facts_of(entry, self.name))

    def kernel_code(self, kernel: str) -> Code:
        """The passes and what compiles them."""
        module = _passes(kernel)
        parts = (f"{module}:{part}" for part in ("entry", "SIGNATURE", "FASTMATH"))
        return Code((*parts, "metatrace.compiled.object_code:compile_object"))

    def compile(self, kernel: str) -> bytes:
        """Their machine code. An update's arrays never overlap; those that a pass only reads may."""
        from metatrace.compiled import object_code

        return object_code.compile_object(_passes(kernel), "entry", arrays_apart=True)

    def _training(self, method: str) -> str:
        """The module that makes trainings of a method."""
        return _TRAINING[self.kernel_of(method) or "step_kernel"]


def _passes(kernel: str) -> str:
    """The module of a kernel."""
    return f"metatrace.networks.{kernel}"


def device_of(chosen: str) -> str:
    """The device of a run: `auto` is the graphics card where there is one.

    Without its driver there is none. Else torch is asked; to import it takes longer than all else at a run's start.
    """
    drivers = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")  # NVIDIA's, Windows' and AMD's
    if chosen == "cpu" or (chosen == "auto" and not any(map(os.path.exists, drivers))):
        return "cpu"
    from metatrace.networks import plain

    return str(plain.device(chosen))


def trainer_of(request: Request, make: Callable[..., "Environment"], reward_reading: str) -> "Trainer":
    """The training that a request asks for, at its beginning; `make` makes the game."""
    import numpy as np

    from metatrace.networks.shape import initial_weights
    from metatrace.networks.training import Trainer
    from metatrace.tuning import make_tuner, readings_of

    key, readings = request.key, request.readings
    of_environment, of_policy, of_network = np.random.SeedSequence(key.seed).spawn(3)
    environment = make(key.environment, of_environment, readings)
    shape = environment.shape
    start = int(of_network.generate_state(1, np.uint64)[0] >> 1)
    weights = initial_weights(shape, start, readings["output_layers"])
    settings: dict[str, Any] = dict(
        alpha=numbers.parse(key.alpha, "alpha"),
        mu=numbers.parse(key.mu, "mu", zero=True),
        gamma=GAMMA,
        lam=LAM,
        psi=PSI,
        hyper=request.hyper,
        **readings_of(key.method, readings),
    )
    agent: Any
    if device_of(request.device) == "cpu" and request.kernel is not None:
        from metatrace.networks import compiled

        kernel = compiled.load(request.kernel)
        agent = compiled.CompiledAgent(
            shape, weights, key.method, make_tuner(key.method, 1, **settings), kernel, gamma=GAMMA
        )
    else:
        import torch

        from metatrace.networks import plain

        torch.set_num_threads(1)
        torch.set_flush_denormal(True)  # traces decay into numbers too small for full precision, which are slow
        w = torch.from_numpy(weights).to(plain.device(request.device))
        network = partial(plain.value_and_logits, shape)
        agent = plain.PlainAgent(network, w, make_tuner(key.method, shape.n_weights, **settings), gamma=GAMMA)
    policy = np.random.Generator(np.random.PCG64(of_policy))
    return Trainer(agent, environment, policy, request.length, readings[reward_reading] == "clipped")


def run_of(request: Request, trainer: "Trainer") -> "Run":
    """What the run file of a training holds. Nothing in it depends on when it ran, or whether it was cut."""
    from metatrace.compiled.object_code import this_processor
    from metatrace.runs.results import Run

    training, device = trainer.training, device_of(request.device)
    if device != "cpu":
        import torch
    return Run(
        request.key,
        **training.arrays(),
        diverged_episode=len(training.returns) if training.diverged else None,
        meta={
            "device": device.partition(":")[0],
            "processor": this_processor() if device == "cpu" else torch.cuda.get_device_name(device),
            "observed_frames": request.length,
            **({"diverged_frame": training.observed} if training.diverged else {}),
            "gamma": GAMMA,
            "lam": LAM,
            "psi": PSI,
            "readings": dict(request.readings),
            **({"hyper": dict(request.hyper)} if request.hyper else {}),
        },
    )
