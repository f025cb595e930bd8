"""Mountain car, plain and drifting, as the rest of the project knows it."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from metatrace.domains.mountain_car.readings import READINGS
from metatrace.domains.protocol import Code, Domain, Environment, Progress, Request, facts_of
from metatrace.methods import ACTOR_CRITIC, METHODS, SARSA

if TYPE_CHECKING:
    from metatrace.runs.results import Run

_FOLDER = "metatrace.domains.mountain_car"
# Kernel -> its function for numba, and the one that trains by it
_KERNELS = {
    "lazy_kernel": (f"{_FOLDER}.kernels:lazy", f"{_FOLDER}.compiled:train"),
    "packed_kernel": (f"{_FOLDER}.kernels:packed", f"{_FOLDER}.compiled:train"),
    "dense_kernel": (f"{_FOLDER}.dense_kernels:dense", f"{_FOLDER}.dense:train"),
    "sarsa_lazy_kernel": (f"{_FOLDER}.sarsa_kernels:sarsa_lazy", f"{_FOLDER}.sarsa:train"),
    "sarsa_packed_kernel": (f"{_FOLDER}.sarsa_kernels:sarsa_packed", f"{_FOLDER}.sarsa:train"),
}
# Agent -> what trains it plainly
_PLAIN = {ACTOR_CRITIC: f"{_FOLDER}.plain:train", SARSA: f"{_FOLDER}.sarsa_plain:train"}
_FAILED = -200.0  # an episode that never reaches the goal


def _named(function: str) -> Any:
    """What `module:name` names, imported now."""
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)


class MountainCar(Domain):
    """The classic control task with tile features; see `metatrace.domains.protocol.Domain`."""

    name = "mountain_car"
    environments: Mapping[str, Environment] = {
        token: Environment(token, token.replace("_", " "), readings, _FAILED, has_drift=token.startswith("drifting"))
        for token, readings in READINGS.items()
    }
    options = frozenset({"agent"})
    kernels = tuple(_KERNELS)
    slowest = "drifting_mountain_car"

    def train(self, request: Request, progress: Progress) -> "Run":
        """By the method's compiled kernel, or by the plain agent if it has none or the request says so."""
        from metatrace.compiled import object_code
        from metatrace.domains.linear_runs import run_of
        from metatrace.domains.mountain_car.settings import BETA_GROUPS, settings_of

        settings = settings_of(request)
        kernel = self.kernel_of(settings.method) if request.agent == "fast" else None
        if kernel is None:
            training = _named(_PLAIN[METHODS[settings.method].agent])(settings, progress)
            return run_of(request, training, "plain", object_code.this_processor(), BETA_GROUPS)
        from metatrace.domains.mountain_car import compiled

        assert request.kernel is not None, "the caller names the kernel's file"
        training = _named(_KERNELS[kernel][1])(compiled.load(request.kernel, kernel), settings, progress)
        return run_of(request, training, "compiled", object_code.processor(), BETA_GROUPS)

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The kernel and what feeds it; or the plain agent and the method's tuner."""
        entry = METHODS[method]
        kernel = self.kernel_of(method) if agent == "fast" else None
        if kernel is None:
            entries: tuple[str, ...] = (_PLAIN[entry.agent], entry.tuner)
        else:
            entries = (_KERNELS[kernel][1], f"{_FOLDER}.compiled:load", *self.kernel_code(kernel).entries)
        record = (f"{_FOLDER}.settings:settings_of", "metatrace.domains.linear_runs:run_of")
        return Code((*record, *entries), method, facts_of(entry, self.name))

    def kernel_code(self, kernel: str) -> Code:
        """The kernel and what compiles it."""
        return Code((_KERNELS[kernel][0], "metatrace.compiled.object_code:compile_object"))

    def compile(self, kernel: str) -> bytes:
        """Its machine code."""
        from metatrace.compiled import object_code

        module, _, name = _KERNELS[kernel][0].partition(":")
        return object_code.compile_object(module, name)


DOMAIN = MountainCar()
