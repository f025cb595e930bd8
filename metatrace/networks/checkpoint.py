"""Checkpoints: a long run's whole state in one file, so that a killed run goes on where it was.

A checkpoint is an npz file of plain arrays and `meta`, a JSON string: the run's tuple, frames, readings, and
the code that trains. Only the run that wrote it takes it up again.
"""

import io
import json
import os
import shlex
import sys
import time
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metatrace.errors import UserError
from metatrace.runs import atomic, results

if TYPE_CHECKING:
    from metatrace.networks.training import Trainer

SCHEMA_VERSION = 1
_MAX_BYTES = 1 << 28  # of all arrays together; real ones have about 20 MB
_GARBLED = (*results.GARBLED, IndexError)


@dataclass
class Checkpoint:
    """Where a run's checkpoint lies and what must match for it to be taken up; saves now and then.

    Attributes:
      identity: what tells this run from all others, as plain JSON types.
      seconds: how often to save.
    """

    path: Path
    identity: Mapping[str, Any]
    seconds: float = 300.0
    _saved: float = field(default_factory=time.monotonic)

    def due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self._saved >= self.seconds

    def save(self, state: Mapping[str, np.ndarray]) -> None:
        """Writes the state, whole or not at all."""
        buffer = io.BytesIO()
        meta = json.dumps({"schema": SCHEMA_VERSION, **self.identity}, sort_keys=True)
        np.savez(buffer, allow_pickle=False, meta=np.array(meta), **state)
        atomic.write_atomically(self.path, buffer.getvalue())
        self._saved = time.monotonic()

    def load(self) -> dict[str, np.ndarray] | None:
        """The saved state; None where there is none, or only a damaged one, which is set aside.

        Raises:
          UserError: the file is of another run or of other code. The line names the file.
        """
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read ({error.strerror})") from None
        try:
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                if sum(info.file_size for info in archive.infolist()) > _MAX_BYTES:
                    raise ValueError("absurd size")
            with np.load(io.BytesIO(raw), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            meta = json.loads(str(arrays.pop("meta")))
            schema = meta.pop("schema")
        except _GARBLED:
            aside = self.path.with_name(f"{self.path.name}.damaged")
            with suppress(FileNotFoundError):  # an orphan of the same run has ended, and removed it
                os.replace(self.path, aside)
            print(
                f"{self.path}: is cut short, garbled or no checkpoint: the run starts from its beginning, "
                f"the file is now {aside}",
                file=sys.stderr,
            )
            return None
        wanted = json.loads(json.dumps({**self.identity}))
        if schema != SCHEMA_VERSION or meta != wanted:
            other = [key for key in sorted({*meta, *wanted}) if meta.get(key) != wanted.get(key)]
            raise UserError(
                f"{self.path}: is the checkpoint of another run or of other code "
                f"(it differs in {', '.join(other) or 'schema'}); {self._to_start_over()}"
            )
        return arrays

    def take_up(self, trainer: "Trainer") -> int:
        """Sets a fresh trainer of the same run to the saved state, if there is one; how many frames it has then.

        Raises:
          UserError: the file is of another run or of other code, or does not hold a whole state. The line names it.
        """
        state = self.load()
        if state is None:
            return 0
        try:
            trainer.restore(state)
        except (UserError, *_GARBLED):
            raise UserError(f"{self.path}: does not hold a whole state; {self._to_start_over()}") from None
        print(f"goes on from {self.path}, frame {trainer.training.observed}", file=sys.stderr)
        return trainer.training.observed

    def _to_start_over(self) -> str:
        return f"to start the run from its beginning: rm {shlex.quote(str(self.path))}"


def progress(path: Path) -> tuple[int, dict[str, Any]] | None:
    """How many frames a checkpoint has, and of what run it is; None where there is none, or a damaged one."""
    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(str(results.read_member(archive, "meta", results.MAX_META_BYTES)))
            return int(results.read_member(archive, "counters", 1 << 10)[0]), dict(meta)
    except _GARBLED:
        return None
