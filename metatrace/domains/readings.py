"""What a reading is: a question that the paper leaves open, and the answer in force.

Each is an option of the config (`readings:`) and of `metatrace run --reading KEY=VALUE`, is stored with every
run, and is listed in the report. The readings of an environment lie in its domain's `readings.py`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metatrace.errors import UserError


@dataclass(frozen=True)
class Reading:
    """A question that the paper leaves open; `values[0]` is the default answer."""

    id: str
    key: str
    question: str
    values: tuple[str, ...]
    why: str

    @property
    def default(self) -> str:
        return self.values[0]


def complete(readings: Iterable[Reading], chosen: Mapping[str, str], where: str) -> dict[str, str]:
    """An answer to each reading: the chosen one, else the default.

    Raises:
      UserError: an unknown key or value; `where` tells the user which file or option holds it.
    """
    known = {reading.key: reading for reading in readings}
    for key, value in chosen.items():
        if key not in known:
            raise UserError(f"{where}.{key}: there is no such reading; the readings are {', '.join(known)}")
        if value not in known[key].values:
            raise UserError(f"{where}.{key}: {value!r} is no answer; it must be one of {', '.join(known[key].values)}")
    return {key: chosen.get(key, reading.default) for key, reading in known.items()}
