"""A record of what the results of a scale hold: of every file its time and a hash.

Snakemake records when a job has written a file, but not what. With both one can tell a file that was changed
from one that merely has a new time, as all files of a copied folder have.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from metatrace.errors import UserError
from metatrace.runs import atomic


class Contents:
    """The record of a scale; one that is missing or damaged counts as empty.

    Args:
      path: its file, next to Snakemake's own records.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: dict[str, tuple[float, str]] = {}
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
            self._entries = {str(name): (float(time), str(digest)) for name, (time, digest) in read.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            pass

    def holds(self, path: str, time: float) -> bool | None:
        """Whether a file holds what it held when it had the time `time`; None if that is not recorded."""
        recorded = self._entries.get(path)
        if recorded is None or not same_time(recorded[0], time):
            return None
        return _digest(path) == recorded[1]

    def update(self, paths: Iterable[str]) -> None:
        """Records what the files hold; reads those with another time than recorded, and drops those that are gone."""
        entries = {}
        for path in paths:
            try:
                time = os.stat(path).st_mtime
            except OSError:
                continue
            known = self._entries.get(path)
            digest = known[1] if known is not None and known[0] == time else _digest(path)
            if digest is not None:
                entries[path] = (time, digest)
        if entries == self._entries:
            return
        self._entries = entries
        # In a folder that takes no files: whatever gets a new time is then rebuilt, which is right but slower.
        with suppress(UserError):
            atomic.write_atomically(self.path, json.dumps(entries, separators=(",", ":")).encode())


def same_time(one: float, other: float) -> bool:
    """Whether two times of a file are the same, by what file systems and records keep of them."""
    return abs(one - other) <= 1e-3


def _digest(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
