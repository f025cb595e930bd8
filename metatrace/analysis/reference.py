"""Published scores of games, as `config/reference_scores.csv` has them."""

import csv
import math
import os
from typing import Any

import numpy as np
import pandas as pd

from metatrace.errors import UserError

RANDOM = "random"
_REFERENCE = {
    **dict.fromkeys(("game", "agent"), "str"),
    "frames": "int64",
    "value": "float64",
    **dict.fromkeys(("protocol", "source", "comparable"), "str"),
}


def read_reference(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Reads a CSV file of reference scores, such as `config/reference_scores.csv`.

    Its columns are game, agent, frames (observed, a whole number), value, protocol, source and comparable;
    others are left out. In the file a protocol `same` is that of the row above, and `same, 4 games` is it
    with another last part. Here each is spelled out: among some of the rows "same" would mean another.

    Returns:
      one row per score, in the order of the file, with these columns.

    Raises:
      UserError: missing, unreadable, no such table, or a row with a game, agent or source left empty, or with
        a number that is none. The line names the file, and the row, counted from 1 below the header.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            rows: list[dict[str, Any]] = list(reader)
            header = reader.fieldnames or ()
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file of reference scores") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is no text in UTF-8; save the table as CSV in UTF-8") from None
    except csv.Error as error:
        raise UserError(f"{path}: is no CSV ({error})") from None
    missing = [column for column in _REFERENCE if column not in header]
    if missing:
        raise UserError(f"{path}: lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}")
    above = ""
    for number, row in enumerate(rows, start=1):
        where = f"{path}: row {number}"
        # DictReader keeps what a row has too much under None, and None for what it lacks.
        if None in row or None in row.values():
            raise UserError(f"{where}: has not as many fields as the header, which has {len(header)}")
        for column in ("game", "agent", "source"):
            if not row[column].strip():
                raise UserError(f"{where}: {column} is empty; every score needs one")
        row["frames"] = _whole(row["frames"], where)
        row["value"] = _number(row["value"], where)
        row["protocol"] = above = _spelled_out(row["protocol"], above, where)
    return pd.DataFrame(rows, columns=list(_REFERENCE)).astype(_REFERENCE)


def _whole(text: str, where: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= np.iinfo(np.int64).max):
        raise UserError(f"{where}: frames is {text!r}; it must be a whole number such as 50000000")
    return int(text)


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserError(f"{where}: value is {text!r}; it must be a number such as 25.7")
    return value


def _spelled_out(protocol: str, above: str, where: str) -> str:
    """The protocol, its "same" replaced by what it stands for, the one `above`."""
    same, comma, last = protocol.partition(",")
    if same.strip() != "same":
        return protocol
    if not above:
        raise UserError(f"{where}: protocol is {protocol!r}, but there is none above it; write it out")
    return ", ".join([*above.split(", ")[:-1], last.strip()]) if comma else above
