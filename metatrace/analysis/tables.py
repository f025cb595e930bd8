"""Tables as files: Parquet, written and read, and CSV."""

import io
import os
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow

from metatrace.errors import UserError
from metatrace.runs import atomic, results
from metatrace.runs.atomic import remedy


def write(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes a table as Parquet, atomically; the same table gives the same bytes."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, engine="pyarrow", index=False, compression="zstd", write_page_checksum=True)
    atomic.write_atomically(path, buffer.getvalue())


def read(path: Path) -> pd.DataFrame:
    """Reads a Parquet table.

    Raises:
      UserError: the file is missing, cut short or no table.
    """
    try:
        # A garbled number would else pass for another one.
        return pd.read_parquet(path, engine="pyarrow", page_checksum_verification=True)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such table; make it with the snakemake command of its config") from None
    except (*results.GARBLED, pyarrow.ArrowException):
        raise UserError(f"{path}: is cut short, garbled or no table; {remedy(path)}") from None


def read_all(folder: Path, *names: str) -> tuple[pd.DataFrame, ...]:
    """Tables of a figure by name.

    Raises:
      UserError: as `read`.
    """
    return tuple(read(folder / f"{name}.parquet") for name in names)


def require_columns(frame: pd.DataFrame, columns: Iterable[str], path: Path) -> None:
    """Refuses a table of another kind.

    Raises:
      UserError: `frame`, read from `path`, lacks a column.
    """
    missing = [column for column in columns if column not in frame]
    if missing:
        raise UserError(f"{path}: has no column {', '.join(missing)}; {remedy(path)}")


def as_csv(frame: pd.DataFrame) -> bytes:
    """The table as CSV; numbers keep every digit."""
    return frame.to_csv(index=False, lineterminator="\n").encode()
