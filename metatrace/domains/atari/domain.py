"""The five games of the Arcade Learning Environment, and catch, as the rest of the project knows them."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from metatrace.domains.atari.readings import READINGS
from metatrace.domains.protocol import Code, Domain, Environment, Progress, Request, facts_of
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.runs.results import Run

_FOLDER = "metatrace.domains.atari"
# A game without a policy earns nothing; a ball that is missed costs 1.
_FAILED = {"catch": -1.0}


class Atari(Domain):
    """Games learned from the screen by a network; see `metatrace.domains.protocol.Domain`."""

    name = "atari"
    environments: Mapping[str, Environment] = {
        token: Environment(token, token.replace("_", " "), readings, _FAILED.get(token, 0.0))
        for token, readings in READINGS.items()
    }
    unit = "frames"
    unit_text = "observed frames"
    length_in_meta = "observed_frames"
    options = frozenset({"device", "checkpoint"})
    kernels: tuple[str, ...] = ("step_kernel",)
    slowest = "seaquest"  # it has all 18 actions, the largest policy

    def train(self, request: Request, progress: Progress) -> "Run":
        """By the compiled passes where the method has them and the run is on a processor, else by torch."""
        from metatrace.compiled import object_code
        from metatrace.domains.atari import record, train, update
        from metatrace.domains.atari.checkpoint import Checkpoint

        settings = record.settings_of(request)
        device = train.device(settings.device)
        on_card = device.type == "cuda"
        train.one_thread()
        kernel = None
        if not on_card and self.kernel_of(settings.method) is not None:
            assert request.kernel is not None, "the caller names the kernel's file"
            kernel = update.load(request.kernel)
        trainer = train.Trainer(settings, kernel)
        saved = None
        if request.checkpoint is not None:
            run = {**asdict(request.key), **request.made_by, "device": device.type, "frames": request.length}
            run |= {"readings": dict(settings.readings), "hyper": dict(request.hyper)}
            saved = Checkpoint(request.checkpoint, run, request.checkpoint_every)
            progress(saved.take_up(trainer), before=True)

        def after_step(trainer: train.Trainer) -> None:
            progress(1)
            if saved is not None and saved.due():
                saved.save(trainer.state())

        training = train.train(trainer, after_step)
        processor = train.card(device) if on_card else object_code.this_processor()
        return record.run_of(request, settings, training, device.type, processor)

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The agent, the games, the method's tuner, and the compiled passes if it has them."""
        entry = METHODS[method]
        entries: tuple[str, ...] = (f"{_FOLDER}.record", f"{_FOLDER}.train", entry.tuner)
        kernel = self.kernel_of(method)
        if kernel is not None:
            entries = (*entries, f"{_FOLDER}.update:load", *self.kernel_code(kernel).entries)
        return Code(entries, method, facts_of(entry))

    def kernel_code(self, kernel: str) -> Code:
        """The passes and what compiles them."""
        parts = (f"{_FOLDER}.{kernel}:{part}" for part in ("entry", "SIGNATURE", "FASTMATH"))
        return Code((*parts, "metatrace.compiled.object_code:compile_object"))

    def compile(self, kernel: str) -> bytes:
        """Their machine code. An update's arrays never overlap; those that a pass only reads may."""
        from metatrace.compiled import object_code

        return object_code.compile_object(f"{_FOLDER}.{kernel}", "entry", arrays_apart=True)


DOMAIN = Atari()
