"""Predictions on mountain car, on plain and on drifting and noisy features, as the rest of the project knows them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metatrace.domains.prediction.readings import READINGS
from metatrace.domains.protocol import Code, Domain, Environment, Progress, Request, facts_of
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.runs.results import Run

_FOLDER = "metatrace.domains.prediction"
# Kernel -> its function for numba
_KERNELS = {
    "prediction_lazy_kernel": f"{_FOLDER}.kernels:lazy",
    "prediction_packed_kernel": f"{_FOLDER}.kernels:packed",
    "tidbd_kernel": f"{_FOLDER}.kernels:tidbd",
}
_LABELS = {
    "prediction": "prediction on mountain car",
    "drifting_prediction": "prediction on drifting mountain car",
}


class Prediction(Domain):
    """TD(λ) under a fixed policy; see `metatrace.domains.protocol.Domain`."""

    name = "prediction"
    environments: Mapping[str, Environment] = {
        token: Environment(token, _LABELS[token], readings, 0.0, has_drift=token.startswith("drifting"))
        for token, readings in READINGS.items()
    }
    options = frozenset({"agent"})
    kernels = tuple(_KERNELS)
    slowest = "drifting_prediction"

    def train(self, request: Request, progress: Progress) -> "Run":
        """By the method's compiled kernel, or by the plain agent if it has none or the request says so."""
        from metatrace.compiled import object_code
        from metatrace.domains.prediction.settings import run_of, settings_of

        settings = settings_of(request)
        kernel = self.kernel_of(settings.method) if request.agent == "fast" else None
        if kernel is None:
            from metatrace.domains.prediction import plain

            return run_of(request, plain.train(settings, progress), "plain", object_code.this_processor())
        from metatrace.domains.mountain_car.compiled import load
        from metatrace.domains.prediction import compiled

        assert request.kernel is not None, "the caller names the kernel's file"
        training = compiled.train(load(request.kernel, kernel), settings, progress)
        return run_of(request, training, "compiled", object_code.processor())

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The kernel and what feeds it; or the plain agent and the method's tuner."""
        entry = METHODS[method]
        kernel = self.kernel_of(method) if agent == "fast" else None
        if kernel is None:
            entries: tuple[str, ...] = (f"{_FOLDER}.plain:train", entry.tuner)
        else:
            load = "metatrace.domains.mountain_car.compiled:load"
            entries = (f"{_FOLDER}.compiled:train", load, *self.kernel_code(kernel).entries)
        record = (f"{_FOLDER}.settings:settings_of", f"{_FOLDER}.settings:run_of")
        return Code((*record, *entries), method, facts_of(entry, self.name))

    def kernel_code(self, kernel: str) -> Code:
        """The kernel and what compiles it."""
        return Code((_KERNELS[kernel], "metatrace.compiled.object_code:compile_object"))

    def compile(self, kernel: str) -> bytes:
        """Its machine code."""
        from metatrace.compiled import object_code

        module, _, name = _KERNELS[kernel].partition(":")
        return object_code.compile_object(module, name)


DOMAIN = Prediction()
