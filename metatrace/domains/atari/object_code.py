"""The compiled passes of a step as a file, see `metatrace.compiled.object_code`."""

from collections.abc import Callable
from pathlib import Path

from metatrace.compiled import object_code
from metatrace.domains.atari.step_kernel_layout import N_INTEGERS, N_POINTERS

KERNEL = "step_kernel"


def compile_object() -> bytes:
    """Compiles the passes. An update's arrays never overlap; those that a pass only reads may."""
    return object_code.compile_object("metatrace.domains.atari.step_kernel", arrays_apart=True)


def load(path: Path) -> Callable[..., None]:
    """Loads the passes: a function of `step_kernel.entry`'s integers and addresses.

    Raises:
      UserError: the file is missing, cut short or no object file.
    """
    remedy = f"metatrace compile --kernel {KERNEL} --output '{path}'"
    return object_code.load(path, integers=N_INTEGERS, pointers=N_POINTERS, remedy=remedy)
