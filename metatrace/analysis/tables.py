"""Reading the aggregated tables, and writing them as CSV."""

from pathlib import Path

import pandas as pd
import pyarrow

from metatrace.errors import UserError
from metatrace.results import remedy


def read(path: Path) -> pd.DataFrame:
    """Reads a Parquet table.

    Raises:
      UserError: the file is missing, cut short or no table.
    """
    try:
        return pd.read_parquet(path, engine="pyarrow")
    except FileNotFoundError:
        raise UserError(
            f"{path}: there is no such table; make it with the snakemake command of its config"
        ) from None
    except (OSError, ValueError, pyarrow.ArrowException):
        raise UserError(f"{path}: is cut short, garbled or no table; {remedy(path)}") from None


def as_csv(frame: pd.DataFrame) -> bytes:
    """The table as CSV; numbers keep every digit."""
    return frame.to_csv(index=False, lineterminator="\n").encode()
