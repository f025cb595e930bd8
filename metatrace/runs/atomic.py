"""Files written whole or not at all, and text files read."""

import os
import shlex
from contextlib import suppress
from pathlib import Path

from metatrace.errors import UserError


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes `data` to `path` whole or not at all, also if the power fails: it is on the disk before it has its name.

    The temporary file carries the process id, so that an orphan of a killed workflow that still
    writes the same result cannot tear ours.

    Raises:
      UserError: the file cannot be written. The line names it.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise UserError(
            f"{target}: cannot be written ({error.strerror}); choose an output folder that you may write to"
        ) from None


def _sync_folder(folder: Path) -> None:
    """Has the names in a folder on the disk, on file systems that can promise it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Fails now, before the work, where `write_atomically` would fail after it."""
    if Path(path).is_dir():
        raise UserError(f"{path}: cannot be written (it is a folder); name a file")
    folder = Path(path).absolute().parent
    while not folder.exists():
        folder = folder.parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise UserError(
            f"{path}: cannot be written ({folder} is no writable folder); choose an output folder that you may write to"
        )


def remedy(path: str | os.PathLike[str]) -> str:
    """How to rebuild a damaged or stale result, whichever config it belongs to."""
    return f"rebuild it with: rm {shlex.quote(os.fspath(path))}, and then the same snakemake command again"


def read_text(path: str | os.PathLike[str], advice: str) -> str:
    """The text of a file in UTF-8.

    Raises:
      UserError: the file is missing, cannot be read or is no such text. The line names it and ends with `advice`.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file; {advice}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); {advice}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is no text in UTF-8; {advice}") from None
