"""Published scores of games, as `config/reference_scores.csv` has them."""

import csv
import math
import os
from typing import Any

import numpy as np
import pandas as pd

from metatrace.errors import UserError
from metatrace.runs import atomic

RANDOM = "random"
_TYPES = {
    **dict.fromkeys(("game", "agent"), "str"),
    "frames": "int64",
    "value": "float64",
    **dict.fromkeys(("protocol", "source", "comparable"), "str"),
}


def read_reference(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Reads a CSV file of reference scores, such as `config/reference_scores.csv`.

    Returns:
      one row per score, in the order of the file: game, agent, frames (observed, a whole number), value, protocol,
      source and comparable; other columns are left out.

    Raises:
      UserError: missing, unreadable, no such table, or a row with a game, agent or source left empty, or with
        a number that is none. The line names the file, and the row, counted from 1 below the header.
    """
    text = atomic.read_text(path, "it must be a table of reference scores, CSV in UTF-8")
    try:
        reader = csv.DictReader(text.removeprefix("\ufeff").splitlines(keepends=True), strict=True)
        rows: list[dict[str, Any]] = list(reader)
        header = reader.fieldnames or ()
    except csv.Error as error:
        raise UserError(f"{path}: is no CSV ({error})") from None
    missing = [column for column in _TYPES if column not in header]
    if missing:
        raise UserError(f"{path}: lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}")
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
    return pd.DataFrame(rows, columns=list(_TYPES)).astype(_TYPES)


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
