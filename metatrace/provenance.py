"""How results were made: fingerprints of the code behind them, and the versions that it ran on.

A fingerprint is a hash over the syntax trees of an entry point's modules and all project modules that
they import, transitively, and over the versions of the packages that these use. Comments, docstrings
and layout do not enter it; a renamed variable does. Snakemake keeps it with every job and runs a job
again when it changes.
"""

import ast
import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata, util
from pathlib import Path

import grimp

from metatrace.errors import UserError

PROJECT = "metatrace"
# What each kind of job runs. A mountain car run is made by one compiled kernel alone: the plain agent
# and the tuners are held equal to it by tests, but no byte of a result comes from them.
ENTRY_POINTS: dict[str, tuple[str, ...]] = {
    "compile_lazy_kernel": ("metatrace.mountain_car.object_code", "metatrace.mountain_car.lazy_kernel"),
    "compile_packed_kernel": ("metatrace.mountain_car.object_code", "metatrace.mountain_car.packed_kernel"),
    "run_lazy_kernel": (
        "metatrace.mountain_car.compiled",
        "metatrace.mountain_car.lazy_kernel",
        "metatrace.mountain_car.object_code",
        "metatrace.mountain_car.record",
    ),
    "run_packed_kernel": (
        "metatrace.mountain_car.compiled",
        "metatrace.mountain_car.object_code",
        "metatrace.mountain_car.packed_kernel",
        "metatrace.mountain_car.record",
    ),
    "compile_step_kernel": ("metatrace.atari.object_code", "metatrace.atari.step_kernel"),
    "run_game": (
        "metatrace.atari.object_code",
        "metatrace.atari.record",
        "metatrace.atari.step_kernel",
        "metatrace.atari.train",
    ),
    "run_plain": ("metatrace.mountain_car.plain", "metatrace.mountain_car.record"),
    "table": ("metatrace.analysis.tables",),
    "aggregate": ("metatrace.analysis.aggregate", "metatrace.analysis.collect", "metatrace.analysis.tables"),
    "aggregate_beta": (
        "metatrace.analysis.aggregate",
        "metatrace.analysis.beta",
        "metatrace.analysis.collect",
        "metatrace.analysis.tables",
    ),
    "aggregate_games": (
        "metatrace.analysis.collect",
        "metatrace.analysis.games",
        "metatrace.analysis.tables",
    ),
    "best_alphas": ("metatrace.analysis.games", "metatrace.analysis.tables"),
    "best_mu": ("metatrace.analysis.best", "metatrace.analysis.tables"),
    "learning_curves": ("metatrace.figures.learning_curves",),
    "sensitivity": ("metatrace.figures.sensitivity",),
    "draw_best_mu": ("metatrace.figures.best_mu",),
    "mu_and_beta": ("metatrace.figures.mu_and_beta",),
    "games": ("metatrace.figures.games",),
}


@dataclass(frozen=True)
class Fingerprint:
    """The digest, and what went into it: a hash a module and a version a package."""

    digest: str
    modules: dict[str, str]
    packages: dict[str, str]


def of_job(job: str) -> Fingerprint:
    """The fingerprint of a kind of job (a key of `ENTRY_POINTS`).

    Raises:
      UserError: there is no such kind of job.
    """
    if job not in ENTRY_POINTS:
        raise UserError(f"{job!r} is no kind of job; it must be one of {', '.join(ENTRY_POINTS)}")
    return of_modules(ENTRY_POINTS[job])


@lru_cache
def of_modules(entries: tuple[str, ...]) -> Fingerprint:
    """The fingerprint of entry modules and everything that they import."""
    graph = _graph()
    reached = set(entries).union(*(graph.find_upstream_modules(entry) for entry in entries))
    ours = sorted(name for name in reached if name.partition(".")[0] == PROJECT)
    external = {name.partition(".")[0] for name in reached} - {PROJECT} - sys.stdlib_module_names
    modules = {name: _hash_of_module(name) for name in ours}
    packages = {"python": f"{sys.version_info.major}.{sys.version_info.minor}", **_versions(external)}
    parts = [*(f"{name} {digest}" for name, digest in modules.items())]
    parts += [f"{name}=={version}" for name, version in packages.items()]
    return Fingerprint(hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16], modules, packages)


@lru_cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(PROJECT, include_external_packages=True, cache_dir=None)


@lru_cache
def _hash_of_module(module: str) -> str:
    spec = util.find_spec(module)
    assert spec is not None and spec.origin is not None, module
    return _hash_of(Path(spec.origin).read_text(encoding="utf-8"))


def _hash_of(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                del node.body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]


def _versions(packages: Iterable[str]) -> dict[str, str]:
    # The packages whose distribution has another name than their module.
    distributions = {"PIL": "pillow", "yaml": "PyYAML"}
    return {name: metadata.version(distributions.get(name, name)) for name in sorted(packages)}
