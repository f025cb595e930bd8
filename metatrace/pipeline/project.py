"""The code of this project as definitions that use each other, from the entries of a job on."""

import sys
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from metatrace.errors import UserError
from metatrace.pipeline.definitions import BARE, Module, Target, read_module
from metatrace.pipeline.provenance import Fingerprint, hash_of, installed, normal

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
        definitions |= {f"{REGISTRY}:{fact}": hash_of([fact]) for fact in code.facts}
        packages = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
        packages |= dict(sorted(self._version(key) for key in reached if ":" not in key))
        lines = [*map(" ".join, definitions.items()), *map("==".join, packages.items())]
        return Fingerprint(hash_of(lines), definitions, packages)

    def users(self, code: "Code") -> dict[str, list[str]]:
        """See `users`."""
        found: dict[str, set[str]] = {"python": {"everything"}}
        for key, by in self._reached(code).items():
            name = _shown(key) if ":" in key else self._version(key)[0]
            found.setdefault(name, set()).update(map(_shown, by))
        found |= {f"{REGISTRY}:{fact}": {JOB} for fact in code.facts}
        return {name: sorted(by) for name, by in found.items()}

    def _reached(self, code: "Code") -> dict[str, set[str]]:
        """All definitions (`module:name`) and packages that code reaches, with the definitions that use them."""
        reached: dict[str, set[str]] = {}
        waiting = [(key, JOB) for entry in code.entries for key in self._entry(entry)]
        waiting += ((package, JOB) for package in code.packages)
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
            digest = hash_of([definition.digest, *sorted(bindings)]) if definition.digest else ""
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
        version = self._installed.get(normal(name))
        if version is not None:
            return normal(name), version
        from importlib import metadata  # slow to import, and hardly ever needed

        for name in metadata.packages_distributions().get(module, ()):
            return normal(name), metadata.version(name)
        return module, "not installed"

    @cached_property
    def _installed(self) -> dict[str, str]:
        return installed()


# Distributions that have another name than the package in them, for speed.
_DISTRIBUTIONS = {"PIL": "pillow", "vl_convert": "vl-convert-python", "yaml": "pyyaml"}


def _shown(key: str) -> str:
    return f"{key}{WHEN_IMPORTED}" if key.endswith(":") else key
