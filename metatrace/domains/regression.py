"""What domains of regression share, as the rest of the project knows them."""

from importlib import import_module
from typing import TYPE_CHECKING

from metatrace.domains.protocol import Code, Domain, Progress, Request, facts_of
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.runs.results import Run


class Regression(Domain):
    """A domain whose runs count examples; see `metatrace.domains.protocol.Domain`.

    A subclass has a name, environments, kernels (one) and the slowest environment. Its folder has `train.py` with
    `train`, and `compiled.py` with `CompiledLearner`; `metatrace.compiled` has its kernel.
    """

    unit = "examples"
    unit_text = "examples"
    length_in_meta = "examples"
    options = frozenset({"agent"})

    @property
    def _folder(self) -> str:
        return f"metatrace.domains.{self.name}"

    @property
    def _kernel(self) -> str:
        (kernel,) = self.kernels
        return f"metatrace.compiled.{kernel}"

    def train(self, request: Request, progress: Progress) -> "Run":
        """By the compiled learner, or by the plain one if the request says so."""
        made: Run = import_module(f"{self._folder}.train").train(request, progress)
        return made

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The task, the learner, the method's tuner, and the compiled learner if the run is by it."""
        entry = METHODS[method]
        compiled = (f"{self._folder}.compiled:CompiledLearner", *self._compiled()) if agent == "fast" else ()
        return Code((f"{self._folder}.train:train", entry.tuner, *compiled), method, facts_of(entry, self.name))

    def kernel_code(self, kernel: str) -> Code:
        """The kernel and what compiles it."""
        return Code(self._compiled())

    def compile(self, kernel: str) -> bytes:
        """Its machine code."""
        from metatrace.compiled import object_code

        return object_code.compile_object(self._kernel, "entry", arrays_apart=True)

    def _compiled(self) -> tuple[str, ...]:
        parts = (f"{self._kernel}:{part}" for part in ("entry", "SIGNATURE", "FASTMATH"))
        return (*parts, "metatrace.compiled.object_code:compile_object")
