"""Fingerprints: of everything that is made, a hash of the code that made it and of the versions that this ran on.

From the entries of a `Code` everything is followed that is reachable by names: functions, classes and constants, in
whichever module of the project they stand. Snakemake keeps the fingerprint with every job and runs a job again when it
changes. Fingerprinting reads files; it imports and executes nothing of the project.

A name says what is used, so what is looked up by text (`importlib.import_module(name)`) is not seen: who writes such
code names the entries. A module that is used as a value, as in `getattr(module, name)`, counts with all that it has.
"""

import gc
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from metatrace.errors import UserError
from metatrace.pipeline.definitions import BARE, Chain, Module, Target, read_module

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
# All definitions of a module.
EVERYTHING = "*"
# Why an entry counts.
JOB = "the job itself"


@dataclass(frozen=True)
class Fingerprint:
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


def fingerprint(code: "Code") -> Fingerprint:
    """The fingerprint of some code of this project.

    Raises:
      UserError: an entry is in no file, or a file is no Python.
    """
    return _project().fingerprint(code)


def users(code: "Code") -> dict[str, list[str]]:
    """Why each definition and package counts: the definitions that use it, or `JOB`."""
    return _project().users(code)


def differences(now: Fingerprint, modules: Mapping[str, str], packages: Mapping[str, str]) -> list[str]:
    """In what the code of a result differs from the code as it is now: one line per module or package.

    Args:
      modules, packages: those that the result names. Without modules, those are not compared.
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
    """The code in a folder, as far as it has been read.

    Attributes:
      folder: holds the package and the scripts that jobs name by their path.
    """

    folder: Path
    package: str = PACKAGE
    not_entered: tuple[str, ...] = NOT_ENTERED
    _modules: dict[str, Module | None] = field(default_factory=dict)
    _entered: dict[str, bool] = field(default_factory=dict)
    _imported: dict[str, set[str]] = field(default_factory=dict)
    _used: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)
    _fingerprints: "dict[Code, Fingerprint]" = field(default_factory=dict)

    def fingerprint(self, code: "Code") -> Fingerprint:
        """See `fingerprint`."""
        if code not in self._fingerprints:
            with _no_garbage_collection():
                reached = self._reached(code)
            definitions = {_shown(key): self._use(key)[0] for key in sorted(reached) if ":" in key and self._says(key)}
            definitions |= {f"{REGISTRY}:{fact}": _hash([fact]) for fact in code.facts}
            packages = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
            packages |= dict(sorted(self._version(key) for key in reached if ":" not in key))
            lines = [*map(" ".join, definitions.items()), *map("==".join, packages.items())]
            self._fingerprints[code] = Fingerprint(_hash(lines), definitions, packages)
        return self._fingerprints[code]

    def users(self, code: "Code") -> dict[str, list[str]]:
        """See `users`."""
        found: dict[str, set[str]] = {"python": {"everything"}}
        for key, by in self._reached(code).items():
            name = _shown(key) if ":" in key else self._version(key)[0]
            found.setdefault(name, set()).update(map(_shown, by))
        found |= {f"{REGISTRY}:{fact}": {JOB} for fact in code.facts}
        return {name: sorted(by) for name, by in found.items()}

    def _reached(self, code: "Code") -> dict[str, set[str]]:
        """All definitions and packages that code reaches, with the definitions that use them."""
        reached: dict[str, set[str]] = {}
        waiting: list[str] = []

        def reach(keys: Iterable[str], user: str) -> None:
            for key in keys:
                if key.endswith(EVERYTHING):
                    reach(self._everything(key.partition(":")[0], code.method), user)
                elif key not in reached and not self._is_of_others(key, code.method):
                    reached[key] = set()
                    waiting.append(key)
                if key in reached and key != user:
                    reached[key].add(user)

        for entry in code.entries:
            reach(self._entry(entry), JOB)
        while waiting:
            key = waiting.pop()
            if ":" in key:
                reach(self._use(key)[1], key)
        return reached

    def _entry(self, entry: str) -> set[str]:
        name, _, definition = entry.partition(":")
        module = self._module(name)
        if module is None or (definition and definition not in module.definitions):
            raise UserError(f"{entry}: is not in {self.folder}, though a job names it")
        found = {f"{name}:{BARE}"}
        self._reach(name, (definition,) if definition else (), name, found, set())
        return found

    def _everything(self, name: str, method: str) -> set[str]:
        """A module's definitions, but for those of other methods and what only these use of the module."""
        module = self._module(name)
        keys = {f"{name}:{definition}" for definition in module.definitions} if module else set()
        waiting = [key for key in keys if self._is_of_others(key, method)]
        theirs: set[str] = set()
        while waiting:
            key = waiting.pop()
            theirs.add(key)
            waiting += (self._use(key)[1] & keys) - theirs
        return keys - theirs | {f"{name}:{BARE}"}

    def _is_of_others(self, key: str, method: str) -> bool:
        name, _, definition = key.partition(":")
        module = self._module(name) if definition and method else None
        return module is not None and method not in module.used_by.get(definition, (method,))

    def _says(self, key: str) -> bool:
        name, _, definition = key.partition(":")
        module = self._module(name)
        return module is not None and bool(module.definitions[definition].digest)

    def _use(self, key: str) -> tuple[str, frozenset[str]]:
        """A definition's hash and what it uses: definitions, and packages by the name that is imported."""
        if key not in self._used:
            name, _, which = key.partition(":")
            module = self._module(name)
            assert module is not None
            definition = module.definitions[which]
            found: set[str] = set()
            bindings: set[str] = set()
            for chain in definition.uses:
                root, rest = chain[0], chain[1:]
                if root in module.definitions:
                    found.add(f"{name}:{root}")
                for target in definition.imports.get(root) or module.definitions[BARE].imports.get(root) or ():
                    self._follow(root, target, rest, name, found, bindings)
                if root == "globals":
                    found.add(f"{name}:{EVERYTHING}")
            for imported, part in definition.executed:
                if part == "*":
                    self._reach(imported, (), name, found, bindings)
                else:
                    found |= self._import(imported, name)
                    if part and self._module(f"{imported}.{part}") is not None:
                        found |= self._import(f"{imported}.{part}", name)
            self._used[key] = _hash([definition.digest, *sorted(bindings)]), frozenset(found)
        return self._used[key]

    def _follow(
        self, bound: str, target: Target, rest: Chain, origin: str, found: set[str], bindings: set[str]
    ) -> None:
        """Follows what an import binds a name to."""
        bindings.add(f"{bound} is {' '.join(target)}")
        module, name = target
        self._reach(module, (name, *rest) if name else rest, origin, found, bindings)

    def _reach(self, name: str, chain: Chain, origin: str, found: set[str], bindings: set[str]) -> None:
        """Adds to `found` what `chain` means in a module, and what importing the module does."""
        found |= self._import(name, origin)
        if not self._is_entered(name, origin):
            return
        module = self._module(name)
        if not chain:
            found.add(f"{name}:{EVERYTHING}")
            return
        first, rest = chain[0], chain[1:]
        imports = module.definitions[BARE].imports.get(first, set()) if module else set()
        if module and first in module.definitions:
            found.add(f"{name}:{first}")
        elif imports - {(name, first)}:
            for target in imports - {(name, first)}:
                self._follow(f"{name}.{first}", target, rest, origin, found, bindings)
        elif self._module(f"{name}.{first}") is not None:
            self._reach(f"{name}.{first}", rest, origin, found, bindings)
        elif not first.startswith("__"):
            found.add(f"{name}:{EVERYTHING}")

    def _import(self, name: str, origin: str) -> set[str]:
        """What importing a module does: the bare statements of it and of the packages that it lies in."""
        if name not in self._imported:
            top = name.partition(".")[0]
            if self._is_ours(name):
                parts = [part for part in _with_parents(name) if self._is_entered(part, "") and self._module(part)]
                self._imported[name] = {f"{part}:{BARE}" for part in parts}
            else:
                self._imported[name] = set() if top in sys.stdlib_module_names else {top}
        return self._imported[name]

    def _is_entered(self, name: str, origin: str) -> bool:
        if name not in self._entered:
            self._entered[name] = self._is_ours(name) and not any(_matches(name, one) for one in self.not_entered)
        return self._entered[name] or name == origin

    def _is_ours(self, name: str) -> bool:
        return name.partition(".")[0] == self.package or name.endswith(".py")

    def _module(self, name: str) -> Module | None:
        """A module, or a script by its path; None if there is no such file."""
        if name not in self._modules:
            self._modules[name] = None
            path = self._path(name) if self._is_ours(name) else None
            if path is not None:
                try:
                    self._modules[name] = read_module(path.read_bytes(), name, path.name == "__init__.py")
                except SyntaxError as error:
                    raise UserError(f"{path}:{error.lineno}: is not Python ({error.msg})") from None
                except ValueError as error:
                    raise UserError(f"{path}: USED_BY must be a literal: names and their methods ({error})") from None
        return self._modules[name]

    def _path(self, name: str) -> Path | None:
        if name.endswith(".py"):  # of an installed package the scripts lie where the workflow is started
            paths = [os.path.join(self.folder, name), name]
        else:
            path = os.path.join(self.folder, *name.split("."))
            paths = [f"{path}.py", os.path.join(path, "__init__.py")]
        return next((Path(path) for path in paths if os.path.isfile(path)), None)

    def _version(self, module: str) -> tuple[str, str]:
        """The distribution that holds a package, and its version."""
        name = _DISTRIBUTIONS.get(module, module)
        installed = self._installed.get(_normal(name))
        if installed is not None:
            return _normal(name), installed
        from importlib import metadata  # a tenth of a fingerprint's time, and nearly never needed

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


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """A syntax tree is thousands of objects and no garbage: looking for some doubles the time that reading takes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _normal(distribution: str) -> str:
    return distribution.replace("_", "-").replace(".", "-").lower()


def _matches(name: str, pattern: str) -> bool:
    """`fnmatch` for patterns that begin or end with `*`, at a thousandth of its cost for the first name."""
    if pattern.startswith("*"):
        return name.endswith(pattern[1:])
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def _with_parents(name: str) -> Iterator[str]:
    while name:
        yield name
        name = "" if name.endswith(".py") else name.rpartition(".")[0]


def _shown(key: str) -> str:
    return f"{key}{WHEN_IMPORTED}" if key.endswith(":") else key


def _hash(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
