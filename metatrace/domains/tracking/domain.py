"""Linear regression on drifting targets, as the rest of the project knows it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metatrace.domains.protocol import Code, Domain, Environment, Progress, Request, facts_of
from metatrace.domains.tracking.readings import READINGS
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.runs.results import Run

_FOLDER, _KERNEL = "metatrace.domains.tracking", "metatrace.compiled.tracking_kernel"
_COMPILED = (
    *(f"{_KERNEL}:{part}" for part in ("entry", "SIGNATURE", "FASTMATH")),
    "metatrace.compiled.object_code:compile_object",
)
_LABELS = {
    "tracking": "tracking",
    "tracking_scales": "tracking with scaled targets",
    "tracking_2d": "tracking with two inputs",
}


class Tracking(Domain):
    """Sutton's tracking task and its variants; see `metatrace.domains.protocol.Domain`."""

    name = "tracking"
    # A run that has diverged predicts 0 from then on: its losses say so, and no one number does.
    environments: Mapping[str, Environment] = {
        token: Environment(token, _LABELS[token], readings, 0.0) for token, readings in READINGS.items()
    }
    unit = "examples"
    unit_text = "examples"
    length_in_meta = "examples"
    options = frozenset({"agent"})
    kernels = ("tracking_kernel",)
    slowest = "tracking"

    def train(self, request: Request, progress: Progress) -> "Run":
        """By the compiled learner, or by the plain one if the request says so."""
        from metatrace.domains.tracking import train

        return train.train(request, progress)

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The task, the learner, the method's tuner, and the compiled learner if the run is by it."""
        entry = METHODS[method]
        compiled = (f"{_FOLDER}.compiled:CompiledLearner", *_COMPILED) if agent == "fast" else ()
        return Code((f"{_FOLDER}.train:train", entry.tuner, *compiled), method, facts_of(entry, self.name))

    def kernel_code(self, kernel: str) -> Code:
        """The kernel and what compiles it."""
        return Code(_COMPILED)

    def compile(self, kernel: str) -> bytes:
        """Its machine code."""
        from metatrace.compiled import object_code

        return object_code.compile_object(_KERNEL, "entry", arrays_apart=True)


DOMAIN = Tracking()
