"""The compiled mountain car kernels as files, see `metatrace.compiled.object_code`."""

from collections.abc import Callable
from pathlib import Path

from metatrace.compiled import object_code

_N_POINTERS = 15


def compile_object(kernel: str) -> bytes:
    """Compiles a kernel (a key of `layout.KERNELS`)."""
    # By name, so that a change of one kernel leaves the fingerprint of the other.
    return object_code.compile_object(f"metatrace.domains.mountain_car.{kernel}")


def load(path: Path) -> Callable[..., None]:
    """Loads a kernel: a function of the number of episodes and the addresses of its arrays.

    Raises:
      UserError: the file is missing, cut short or no object file.
    """
    remedy = f"metatrace compile --output '{path}'"
    return object_code.load(path, integers=1, pointers=_N_POINTERS, remedy=remedy)
