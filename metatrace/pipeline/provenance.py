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
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from metatrace.errors import UserError
from metatrace.pipeline.definitions import BARE, Module, Target, read_module

if TYPE_CHECKING:
    from metatrace.domains.protocol import Code

PACKAGE = "metatrace"
# Never entered from another module: registries, whose entries matter one by one (as `Code.entries` and `Code.facts`),
# and prose. A job may name a definition of these as an entry; it then counts, with what it uses.
NOT_ENTERED = (
    "metatrace.methods",  # labels and colours; a new method must make no run stale
    "metatrace.errors",  # how an error is told
    "metatrace.progress",  # the progress bar
    "*.domain",  # labels and texts; a new environment must make no run stale
    "*.readings",  # the reasons of readings; the answers in force stand in every run's `meta`
    "metatrace.domains.registry",
    "metatrace.figures.kinds",  # captions and checks; each kind names what makes its tables and pictures
    "metatrace.figures.kinds.*",
)
# What a module does when it is imported, where people are told of definitions.
WHEN_IMPORTED = "(when imported)"
REGISTRY = "(registry)"
# Why an entry counts.
JOB = "the job itself"


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
        return {module: _hash(entries) for module, entries in lines.items()}


@cache
def fingerprint(code: "Code") -> Fingerprint:
    """The fingerprint of some code of this project.

    It is kept next to Python's own compiled modules, and taken from there as these are: while no file of the project
    has another time or size.

    Raises:
      UserError: an entry is in no file, or a file is no Python.
    """
    project = _project()
    kept = project.folder / project.package / "__pycache__" / f"{_hash([repr(code)])}.fingerprint.json"
    with suppress(OSError, ValueError, TypeError):
        state, *parts = json.loads(kept.read_text(encoding="utf-8"))
        if state == project.state:
            return Fingerprint(*parts)
    state, found = project.state, project.fingerprint(code)
    with suppress(OSError):  # in a folder that takes no files; what is written in part is no JSON
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps([state, *found]), encoding="utf-8")
    return found


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
    return Project(Path(__file__).resolve().parents[2])


@dataclass
class Project:
    """The code of a package in a folder, as far as it has been read."""

    folder: Path
    package: str = PACKAGE
    not_entered: tuple[str, ...] = NOT_ENTERED
    _modules: dict[str, Module | None] = field(default_factory=dict)
    _used: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)

    def fingerprint(self, code: "Code") -> Fingerprint:
        """See `fingerprint`."""
        reached = self._reached(code)
        hashes = {_shown(key): self._use(key)[0] for key in sorted(reached) if ":" in key}
        definitions = {key: digest for key, digest in hashes.items() if digest}
        definitions |= {f"{REGISTRY}:{fact}": _hash([fact]) for fact in code.facts}
        packages = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
        packages |= dict(sorted(self._version(key) for key in reached if ":" not in key))
        lines = [*map(" ".join, definitions.items()), *map("==".join, packages.items())]
        return Fingerprint(_hash(lines), definitions, packages)

    def users(self, code: "Code") -> dict[str, list[str]]:
        """See `users`."""
        found: dict[str, set[str]] = {"python": {"everything"}}
        for key, by in self._reached(code).items():
            name = _shown(key) if ":" in key else self._version(key)[0]
            found.setdefault(name, set()).update(map(_shown, by))
        found |= {f"{REGISTRY}:{fact}": {JOB} for fact in code.facts}
        return {name: sorted(by) for name, by in found.items()}

    @cached_property
    def state(self) -> str:
        """Another text when a file of the package has another time or size, or something else is installed."""
        files = [
            f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}"
            for path in sorted((self.folder / self.package).rglob("*.py"))
        ]
        return _hash([sys.version, *map("==".join, sorted(self._installed.items())), *files])

    def _reached(self, code: "Code") -> dict[str, set[str]]:
        """All definitions (`module:name`) and packages that code reaches, with the definitions that use them."""
        reached: dict[str, set[str]] = {}
        waiting = [(key, JOB) for entry in code.entries for key in self._entry(entry)]
        while waiting:
            key, user = waiting.pop()
            if self._is_of_others(key, code.method):
                continue
            if key not in reached and ":" in key:
                waiting += ((used, key) for used in self._use(key)[1] if used != key)
            reached.setdefault(key, set()).add(user)
        return reached

    def _entry(self, entry: str) -> set[str]:
        name, _, definition = entry.partition(":")
        module = self._module(name)
        if module is None or definition not in module.definitions:
            raise UserError(f"{entry}: is not in {self.folder}, though a job names it")
        found = {f"{name}:{definition}"} if definition else self._everything(name)
        return found | {f"{name}:{BARE}"} | self._import(name)

    def _everything(self, name: str) -> set[str]:
        module = self._module(name)
        return {f"{name}:{definition}" for definition in module.definitions} if module else set()

    def _is_of_others(self, key: str, method: str) -> bool:
        """Whether only other methods use a definition."""
        name, _, definition = key.partition(":")
        module = self._module(name) if definition and method else None
        return module is not None and method not in module.used_by.get(definition, (method,))

    def _use(self, key: str) -> tuple[str, frozenset[str]]:
        """A definition's hash, "" if it says nothing, and what it uses: definitions, and packages by their import."""
        if key not in self._used:
            name, _, which = key.partition(":")
            module = self._module(name)
            assert module is not None
            definition = module.definitions[which]
            found: set[str] = set()
            bindings: set[str] = set()
            imports = module.definitions[BARE].imports | definition.imports
            for root, *rest in definition.uses:
                if root in module.definitions:
                    found.add(f"{name}:{root}")
                for target in imports.get(root, ()):
                    self._follow(root, target, rest, found, bindings)
                if root == "globals":
                    found |= self._everything(name)
            if which == BARE:
                found = found.union(*map(self._import, module.executed))
            digest = _hash([definition.digest, *sorted(bindings)]) if definition.digest else ""
            self._used[key] = digest, frozenset(found)
        return self._used[key]

    def _follow(self, bound: str, target: Target, rest: list[str], found: set[str], bindings: set[str]) -> None:
        """Follows what an import binds a name to, and the attributes after the name."""
        bindings.add(f"{bound} is {' '.join(target)}")
        module, name = target
        self._reach(module, [name, *rest] if name else rest, found, bindings)

    def _reach(self, name: str, chain: list[str], found: set[str], bindings: set[str]) -> None:
        """Adds to `found` what `chain` means in a module, and what importing the module does."""
        found |= self._import(name)
        if not self._is_entered(name):
            return
        module = self._module(name)
        first, *rest = chain or ["*"]
        if module and first in module.definitions:
            found.add(f"{name}:{first}")
        elif module and (targets := module.definitions[BARE].imports.get(first, set()) - {(name, first)}):
            for target in targets:
                self._follow(f"{name}.{first}", target, rest, found, bindings)
        elif self._module(f"{name}.{first}") is not None:
            self._reach(f"{name}.{first}", rest, found, bindings)
        elif not first.startswith("__"):
            found |= self._everything(name)

    def _import(self, name: str) -> set[str]:
        """What importing a module does: the bare statements of it and of the packages that it lies in."""
        top = name.partition(".")[0]
        if top != self.package:
            return set() if top in sys.stdlib_module_names else {top}
        modules = accumulate(name.split("."), "{}.{}".format)
        return {f"{part}:{BARE}" for part in modules if self._is_entered(part) and self._module(part)}

    def _is_entered(self, name: str) -> bool:
        ours = name.partition(".")[0] == self.package
        return ours and not any(fnmatchcase(name, pattern) for pattern in self.not_entered)

    def _module(self, name: str) -> Module | None:
        """A module of the package; None if there is no such file."""
        if name not in self._modules:
            path = self.folder.joinpath(*name.split("."))
            files = [path.with_name(f"{path.name}.py"), path / "__init__.py"]
            self._modules[name] = None
            for file in filter(Path.is_file, files if name.partition(".")[0] == self.package else []):
                try:
                    self._modules[name] = read_module(file.read_bytes(), name, file.name == "__init__.py")
                except SyntaxError as error:
                    raise UserError(f"{file}:{error.lineno}: is not Python ({error.msg})") from None
                except ValueError as error:
                    raise UserError(f"{file}: USED_BY must be a literal: names and their methods ({error})") from None
        return self._modules[name]

    def _version(self, module: str) -> tuple[str, str]:
        """The distribution that holds a package, and its version."""
        name = _DISTRIBUTIONS.get(module, module)
        installed = self._installed.get(_normal(name))
        if installed is not None:
            return _normal(name), installed
        from importlib import metadata  # slow to import, and hardly ever needed

        for name in metadata.packages_distributions().get(module, ()):
            return _normal(name), metadata.version(name)
        return module, "not installed"

    @cached_property
    def _installed(self) -> dict[str, str]:
        """The version of each distribution, as the names of its folders say."""
        versions: dict[str, str] = {}
        for folder in filter(os.path.isdir, sys.path):
            for name in sorted(os.listdir(folder)):
                if name.endswith(".dist-info"):
                    distribution, _, version = name.removesuffix(".dist-info").partition("-")
                    versions.setdefault(_normal(distribution), version)
        return versions


# Distributions that have another name than the package in them, for speed.
_DISTRIBUTIONS = {"PIL": "pillow", "vl_convert": "vl-convert-python", "yaml": "pyyaml"}


def _normal(distribution: str) -> str:
    return distribution.replace("_", "-").replace(".", "-").lower()


def _shown(key: str) -> str:
    return f"{key}{WHEN_IMPORTED}" if key.endswith(":") else key


def _hash(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
