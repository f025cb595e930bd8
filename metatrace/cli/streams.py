"""Standard streams that are closed, or that take nothing: they end no run."""

import os
import sys
from typing import Any


def prepare() -> None:
    """Makes the standard streams usable, to be called before the first file is opened.

    A closed stream becomes one that takes nothing, so that no file of ours gets its number. Standard error may refuse
    what it likes; `main` reports it if standard output refuses something.
    """
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # as long as the process lives
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if not isinstance(sys.stderr, _Lenient):
        sys.stderr = _Lenient(sys.stderr)


def discard(descriptor: int) -> None:
    """Has a stream take and drop everything, also what Python tries to write when it ends."""
    drain = os.open(os.devnull, os.O_WRONLY)
    os.dup2(drain, descriptor)
    os.close(drain)


class _Lenient:
    """A text stream that drops what it cannot write."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except OSError:
            discard(2)
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            discard(2)
