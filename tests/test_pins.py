"""One list of dependencies, stated three times: the ranges, the lock and the conda environment agree."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import metatrace

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Distributions whose name is not that of the module that they hold, or depend on it.
DISTRIBUTION_OF_MODULE = {
    "PIL": "pillow",
    "docutils": "snakemake",
    "pydantic_core": "pydantic",
    "snakemake_interface_logger_plugins": "snakemake",
    "vl_convert": "vl-convert-python",
    "yaml": "pyyaml",
}
# Packages that conda-forge names differently from PyPI.
PYPI_NAME = {"matplotlib-base": "matplotlib", "pytorch": "torch"}


def requirements(lines: list[str]) -> dict[str, SpecifierSet]:
    parsed = [Requirement(line) for line in lines]
    return {canonicalize_name(r.name): r.specifier for r in parsed}


def of_extras(*names: str) -> list[str]:
    """The requirements of some extras, without those that they include."""
    lines = [line for name in names for line in PROJECT["optional-dependencies"][name]]
    return [line for line in lines if not line.startswith("metatrace[")]


RUNTIME_LINES = [*PROJECT["dependencies"], *of_extras("torch", "gymnasium", "workflow")]
RUNTIME = requirements(RUNTIME_LINES)
DEV = requirements(of_extras("dev"))
DIRECT = RUNTIME | DEV


def lock_lines() -> list[str]:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def locked() -> dict[str, Version]:
    pairs = [line.split("==") for line in lock_lines()]
    return {canonicalize_name(name): Version(version) for name, version in pairs}


def conda() -> dict[str, str]:
    """Name -> what follows it in environment.yml, the pip section included, under PyPI's names."""
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    lines = [entry for entry in entries if isinstance(entry, str)]
    lines += [line for entry in entries if isinstance(entry, dict) for line in entry["pip"]]
    found = {}
    for line in lines:
        match = re.fullmatch(r"([A-Za-z0-9_.-]+)\s*(.*)", line)
        assert match, f"environment.yml: cannot read {line!r}"
        name = canonicalize_name(match[1])
        name = PYPI_NAME.get(name, name)
        assert name not in found, f"environment.yml names {name} twice"
        found[name] = match[2]
    return found


def imported(folder: str) -> Iterator[tuple[str, Path]]:
    """Every top-level module that a folder's Python files import from outside the project, and where."""
    files = sorted((ROOT / folder).rglob("*.py"))
    own = {path.stem for path in files} | {"metatrace", "tests", "benchmarks"}
    if folder == "metatrace":
        own = {"metatrace"}
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module or ""]
            else:
                continue
            for module in modules:
                top = module.partition(".")[0]
                if top not in own and top not in sys.stdlib_module_names:
                    yield top, path.relative_to(ROOT)


def test_the_lock_holds_exact_public_versions_sorted_by_name() -> None:
    names = []
    for line in lock_lines():
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!]+", line), f"cannot read {line!r}"
        names.append(canonicalize_name(line.partition("==")[0]))
    assert names == sorted(set(names))
    assert "metatrace" not in names


@pytest.mark.parametrize("name", locked())
def test_the_lock_can_be_installed_with_the_oldest_python(name: str) -> None:
    supported = metadata(name)["Requires-Python"] or ""
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert SpecifierSet(supported).contains(f"{oldest}.0")


def test_no_dependency_is_declared_twice() -> None:
    assert not RUNTIME.keys() & DEV.keys()
    assert len(RUNTIME) == len(RUNTIME_LINES)
    assert len(DEV) == len(of_extras("dev"))


@pytest.mark.parametrize("name", sorted(DIRECT))
def test_every_direct_dependency_has_a_range_and_its_lock_lies_in_it(name: str) -> None:
    assert str(DIRECT[name]), f"pyproject.toml gives no range for {name}"
    assert name in locked(), f"requirements.lock lacks {name}"
    assert locked()[name] in DIRECT[name], f"{name} is locked at {locked()[name]}, outside {DIRECT[name]}"


@pytest.mark.parametrize("name", sorted(DIRECT))
def test_conda_installs_the_locked_version(name: str) -> None:
    assert name in conda(), f"environment.yml lacks {name}"
    pin = conda()[name]
    assert re.fullmatch(r"={1,2}[^=,*]+", pin), f"environment.yml: {name} is {pin!r}, not an exact version"
    assert Version(pin.lstrip("=")) == locked()[name]


def test_conda_installs_nothing_else() -> None:
    assert conda().keys() - DIRECT.keys() == {"python", "pip"}


def test_conda_takes_a_python_that_the_project_supports() -> None:
    allowed, conda_range = SpecifierSet(PROJECT["requires-python"]), SpecifierSet(conda()["python"])
    minors = [Version(f"3.{minor}") for minor in range(8, 20)]
    taken = [version for version in minors if version in conda_range]
    assert taken
    assert all(version in allowed for version in taken)


def test_the_package_imports_only_declared_dependencies() -> None:
    missing = {
        (module, str(path))
        for module, path in imported("metatrace")
        if canonicalize_name(DISTRIBUTION_OF_MODULE.get(module, module)) not in RUNTIME
    }
    assert not missing, f"not in pyproject.toml's dependencies: {sorted(missing)}"


@pytest.mark.parametrize("folder", ["tests", "benchmarks", "workflow"])
def test_everything_else_imports_only_declared_dependencies(folder: str) -> None:
    missing = {
        (module, str(path))
        for module, path in imported(folder)
        if canonicalize_name(DISTRIBUTION_OF_MODULE.get(module, module)) not in DIRECT
    }
    assert not missing, f"not in pyproject.toml's dependencies or its dev group: {sorted(missing)}"


def test_citation_and_changes_have_the_packages_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == metatrace.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([\d.]+)", changes, re.MULTILINE)[0] == metatrace.__version__
