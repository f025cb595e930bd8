"""Fingerprints: of everything that is made, a hash of the code that made it and of the versions that this ran on.

From the entries of a `Code` everything is followed that is reachable by names: functions, classes and constants, in
whichever module of the project they stand. Snakemake keeps the fingerprint with every job and runs a job again when it
changes. Fingerprinting reads files; it imports and executes nothing of the project.

A name says what is used, so what is looked up by text (`importlib.import_module(name)`) is not seen: who writes such
code names the entries. A module that is used as a value, as in `getattr(module, name)`, counts with all that it has.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from metatrace.domains.protocol import Code
    from metatrace.pipeline.project import Project

PACKAGE = Path(__file__).resolve().parents[1]


class Fingerprint(NamedTuple):
    """The digest, and what went into it: a hash of each definition (`module:name`) and the version of each package."""

    digest: str
    definitions: dict[str, str]
    packages: dict[str, str]

    @property
    def modules(self) -> dict[str, str]:
        """A hash of each module over the definitions that count, as run files have it in `meta`."""
        lines: dict[str, list[str]] = {}
        for key, digest in self.definitions.items():
            lines.setdefault(key.partition(":")[0], []).append(f"{key} {digest}")
        return {module: hash_of(entries) for module, entries in lines.items()}


@cache
def fingerprint(code: "Code") -> Fingerprint:
    """The fingerprint of some code of this project.

    It is kept next to Python's own compiled modules, and taken from there as these are: while no file of the project
    has another time or size.

    Raises:
      UserError: an entry is in no file, or a file is no Python.
    """
    kept = PACKAGE / "__pycache__" / f"{hash_of([repr(code)])}.fingerprint.json"
    state = _state(PACKAGE)
    with suppress(OSError, ValueError, TypeError):
        of_state, *parts = json.loads(kept.read_text(encoding="utf-8"))
        if of_state == state:
            return Fingerprint(*parts)
    found = _project().fingerprint(code)
    with suppress(OSError):  # in a folder that takes no files; what is written in part is no JSON
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps([state, *found]), encoding="utf-8")
    return found


@cache
def _state(package: Path) -> str:
    """Another text when a file of the package has another time or size, or something else is installed."""
    files = [f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}" for path in sorted(package.rglob("*.py"))]
    return hash_of([sys.version, *map("==".join, sorted(installed().items())), *files])


def users(code: "Code") -> dict[str, list[str]]:
    """Why each definition and package counts: the definitions that use it, or `JOB`."""
    return _project().users(code)


def differences(now: Fingerprint, modules: Mapping[str, str], packages: Mapping[str, str]) -> list[str]:
    """In what the code of a result differs from the code as it is now: one line per module or package.

    Modules are not compared if the result names none.
    """
    lines = []
    today = now.modules
    for name in sorted({*modules, *today} if modules else ()):
        if name not in today:
            lines.append(f"module {name}: counted then and no longer does")
        elif name not in modules:
            lines.append(f"module {name}: counts now and did not then")
        elif modules[name] != today[name]:
            lines.append(f"module {name}: has changed")
    for name in sorted({*packages, *now.packages}):
        if packages.get(name) != now.packages.get(name):
            then, here = (versions.get(name, "none") for versions in (packages, now.packages))
            lines.append(f"package {name}: {then} then, {here} now")
    return lines


@cache
def _project() -> "Project":
    from metatrace.pipeline.project import Project  # most runs find their fingerprint kept

    return Project(PACKAGE.parent)


def installed() -> dict[str, str]:
    """The version of each distribution, as the names of its folders say."""
    versions: dict[str, str] = {}
    for folder in filter(os.path.isdir, sys.path):
        for name in sorted(os.listdir(folder)):
            if name.endswith(".dist-info"):
                distribution, _, version = name.removesuffix(".dist-info").partition("-")
                versions.setdefault(normal(distribution), version)
    return versions


def normal(distribution: str) -> str:
    """The one spelling of a distribution's name."""
    return distribution.replace("_", "-").replace(".", "-").lower()


def hash_of(lines: Iterable[str]) -> str:
    """A hash of some lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
