"""What a run file holds, how it is written, and how it is read back.

A run file is `<root>/<environment>/<method>/alpha~A/mu~M/drift~D/seed~S.npz`: arrays `returns`
(float64, undiscounted return of each episode), `lengths` (int64, steps of each episode), where it
applies `frames` (int64, observed frames at each episode's end), `entropy` (float64, the policy's mean
entropy in each episode, in nats) and `beta` (float64, episodes × groups), and `meta`, a JSON string that says
how the run was made. The same run gives the same bytes. Only a run that counts in frames may have no finished
episode.

A run of regression or prediction also has `losses` (float64, the mean loss of each block of `meta.block` examples,
or of each episode; the last block may be shorter), `step_sizes` (float64, of each weight at the end) and, where it
applies, `changes` (float64, blocks × layers, ‖Δw‖² of a layer's weights over each block of `meta.changes_block`
examples). Regression has no episodes, so that `returns` and `lengths` are empty there and `beta` is blocks × groups.
"""

import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from metatrace.errors import UserError
from metatrace.runs.atomic import remedy, write_atomically
from metatrace.runs.key import RunKey

SCHEMA_VERSION = 1
# The largest array and JSON text that a run file may declare: far above any real run, far below
# what a garbled or hostile file could ask the reader to allocate.
MAX_EPISODES = 10_000_000
MAX_META_BYTES = 1 << 20
# What numpy and zipfile raise on bytes that are no run file, or no longer one.
GARBLED = (
    *(AttributeError, MemoryError, OverflowError, ValueError, KeyError, TypeError, EOFError, OSError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)
_TYPES = {"f": np.float64, "i": np.int64}
_ARRAYS = {
    **{"returns": "f", "lengths": "i", "frames": "i", "entropy": "f", "beta": "f"},
    **{"losses": "f", "step_sizes": "f", "changes": "f"},
}
_TWO_DIMENSIONS = ("beta", "changes")


@dataclass
class Run:
    """A finished run: its tuple, its arrays and how it was made (`meta`)."""

    key: RunKey
    returns: np.ndarray
    lengths: np.ndarray
    meta: dict[str, Any]
    frames: np.ndarray | None = None
    entropy: np.ndarray | None = None
    beta: np.ndarray | None = None
    diverged_episode: int | None = None  # 0-based index into `returns`


@dataclass
class LossRun(Run):
    """A run of regression or prediction.

    Attributes:
      diverged_episode: the index into `losses` where there are no episodes.
    """

    losses: np.ndarray | None = None
    step_sizes: np.ndarray | None = None
    changes: np.ndarray | None = None


def save_run(path: str | os.PathLike[str], run: Run) -> None:
    """Writes a run file, atomically and reproducibly (no time stamps inside)."""
    meta = {
        "schema": SCHEMA_VERSION,
        **{key: getattr(run.key, key) for key in RunKey.__dataclass_fields__},
        "diverged_episode": run.diverged_episode,
        **run.meta,
    }
    values = {name: getattr(run, name, None) for name in _ARRAYS}
    arrays: dict[str, Any] = {
        name: np.asarray(value, _TYPES[_ARRAYS[name]]) for name, value in values.items() if value is not None
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, meta=np.array(json.dumps(meta, sort_keys=True)), **arrays)
    write_atomically(path, buffer.getvalue())


def load_meta(path: str | os.PathLike[str]) -> dict[str, Any]:
    """How a run was made (`Run.meta`), without its arrays: a tenth of the work of `load_run`.

    Raises:
      UserError: missing, damaged where it was read, or no run file. The line names the file and the
        command that rebuilds it.
    """
    with _errors_told(path), open(path, "rb") as file, zipfile.ZipFile(file) as archive:
        return _meta_of(read_member(archive, "meta", MAX_META_BYTES))


def read_member(archive: zipfile.ZipFile, name: str, most_bytes: int) -> np.ndarray:
    """One array of an open npz file, without the others.

    Raises:
      one of `GARBLED`: it is not there, damaged, or larger than `most_bytes`.
    """
    if archive.getinfo(f"{name}.npy").file_size > most_bytes:
        raise ValueError("absurd size")
    with archive.open(f"{name}.npy") as file:
        return np.lib.format.read_array(file, allow_pickle=False)


@contextmanager
def _errors_told(path: str | os.PathLike[str]) -> Iterator[None]:
    """Tells in one line what is wrong with a run file that is read."""
    try:
        yield
    except FileNotFoundError:
        raise UserError(
            f"{path}: there is no such run file; make it with the snakemake command of its config"
        ) from None
    except GARBLED as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise UserError(f"{path}: cannot be read ({error.strerror})") from None
        raise UserError(f"{path}: is cut short, garbled or no run file; {remedy(path)}") from None


def load_run(path: str | os.PathLike[str]) -> Run:
    """Reads and checks a run file.

    Raises:
      UserError: missing, cut short, garbled, not a run file, or of another schema. The line names
        the file and the command that rebuilds it.
    """
    with _errors_told(path):
        # A run file is small; reading it whole keeps a file that is being replaced consistent.
        arrays, meta = _read_arrays(Path(path).read_bytes())
    if meta.get("schema") != SCHEMA_VERSION:
        raise UserError(f"{path}: has schema {meta.get('schema')!r}, not {SCHEMA_VERSION}; {remedy(path)}")
    try:
        tokens = {key: str(meta[key]) for key in ("environment", "method", "alpha", "mu", "drift")}
        identity = RunKey(**tokens, seed=int(meta["seed"]))
        diverged = meta["diverged_episode"]
        diverged = None if diverged is None else int(diverged)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UserError(f"{path}: lacks the tuple that made it; {remedy(path)}") from None
    make = LossRun if "losses" in arrays else Run
    return make(identity, meta=meta, diverged_episode=diverged, **arrays)


def load_runs(root: Path, keys: Iterable[RunKey], *, episodes: int | None, code: Mapping[str, str]) -> list[Run]:
    """Reads runs below `root` (`results/<scale>/runs`).

    Args:
      episodes: of every run; None for games, whose runs have as many as end within their frames, and for regression.
      code: the fingerprint of the code that makes each method's runs now.

    Raises:
      UserError: a file is missing, damaged, holds another run than its path says, or was made by
        other code than `code`. The line names the file and how to rebuild it.
    """
    runs = []
    for key in keys:
        path = key.path(root)
        run = load_run(path)
        advice = remedy(path)
        made_by, now = run.meta.get("code"), code[key.method]
        if run.key != key:
            raise UserError(f"{path}: holds another run ({run.key}); {advice}")
        if episodes is not None and len(run.returns) != episodes:
            raise UserError(f"{path}: has {len(run.returns)} episodes, not {episodes}; {advice}")
        if made_by != now:
            raise UserError(f"{path}: is stale: code {made_by} made it, the code is now {now}; {advice}")
        runs.append(run)
    return runs


def _meta_of(text: np.ndarray) -> dict[str, Any]:
    if text.shape != () or text.dtype.kind != "U":
        raise ValueError("meta is no text")
    meta = json.loads(str(text))
    if not isinstance(meta, dict):
        raise ValueError("meta is no table")
    return meta


def _read_arrays(raw: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        if not {"meta", "returns", "lengths"} <= set(names) <= {"meta", *_ARRAYS}:
            raise ValueError("not the arrays of a run file")
        meta = _meta_of(read_member(archive, "meta", MAX_META_BYTES))
        arrays = {name: read_member(archive, name, 64 * MAX_EPISODES) for name in names if name != "meta"}
    episodes = len(arrays["returns"])
    blocks = len(arrays["losses"]) if "losses" in arrays and not episodes else episodes
    rows = {"returns": episodes, "lengths": episodes, "step_sizes": None, "changes": None}
    for name, array in arrays.items():
        dimensions, length = 2 if name in _TWO_DIMENSIONS else 1, rows.get(name, blocks)
        if array.dtype.kind != _ARRAYS[name] or array.ndim != dimensions or length not in (None, len(array)):
            raise ValueError(f"{name} has the wrong kind or shape")
    empty = blocks == 0 and "frames" not in arrays
    finite = (arrays[name] for name in ("returns", "losses") if name in arrays)
    if empty or not all(np.isfinite(array).all() for array in finite):
        raise ValueError("not the contents of a run file")
    return arrays, meta
