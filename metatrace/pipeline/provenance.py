"""How results were made: fingerprints of the code behind them, and the versions that it ran on.

A fingerprint is a hash over the syntax trees of an entry point's modules and all project modules that
they import, transitively, and over the versions of the packages that these use. Comments, docstrings
and layout do not enter it; a renamed variable does. Snakemake keeps it with every job and runs a job
again when it changes.

An entry point `module:function` is that function alone: the command line's module imports everything, but
what one of its verbs does with tables is in that verb.
"""

import ast
import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata, util
from pathlib import Path

import grimp

from metatrace.domains.protocol import Code
from metatrace.errors import UserError

PROJECT = "metatrace"
# What each kind of job runs. A mountain car run is made by one compiled kernel alone: the plain agent
# and the tuners are held equal to it by tests, but no byte of a result comes from them. The verbs of runs
# and kernels only hand options over to the modules named here, so they are left out: a better message there
# must not cost months of games.
ENTRY_POINTS: dict[str, tuple[str, ...]] = {
    "compile_lazy_kernel": (
        "metatrace.compiled.object_code",
        "metatrace.domains.mountain_car.lazy_kernel",
    ),
    "compile_packed_kernel": (
        "metatrace.compiled.object_code",
        "metatrace.domains.mountain_car.packed_kernel",
    ),
    "run_lazy_kernel": (
        "metatrace.domains.mountain_car.compiled",
        "metatrace.domains.mountain_car.lazy_kernel",
        "metatrace.compiled.object_code",
        "metatrace.domains.mountain_car.record",
    ),
    "run_packed_kernel": (
        "metatrace.domains.mountain_car.compiled",
        "metatrace.compiled.object_code",
        "metatrace.domains.mountain_car.packed_kernel",
        "metatrace.domains.mountain_car.record",
    ),
    "compile_step_kernel": ("metatrace.compiled.object_code", "metatrace.domains.atari.step_kernel"),
    "run_game": (
        "metatrace.compiled.object_code",
        "metatrace.domains.atari.record",
        "metatrace.domains.atari.step_kernel",
        "metatrace.domains.atari.train",
    ),
    "run_plain": ("metatrace.domains.mountain_car.plain", "metatrace.domains.mountain_car.record"),
    "table": ("metatrace.cli.main:_table", "metatrace.analysis.tables"),
    "aggregate": (
        "metatrace.cli.main:_aggregate",
        "metatrace.analysis.aggregate",
        "metatrace.runs.collect",
        "metatrace.analysis.tables",
    ),
    "aggregate_beta": (
        "metatrace.cli.main:_aggregate",
        "metatrace.analysis.aggregate",
        "metatrace.analysis.beta",
        "metatrace.runs.collect",
        "metatrace.analysis.tables",
    ),
    "aggregate_games": (
        "metatrace.cli.main:_aggregate_games",
        "metatrace.runs.collect",
        "metatrace.analysis.games",
        "metatrace.analysis.tables",
    ),
    "thin": (
        "metatrace.cli.main:_thin",
        "metatrace.runs.collect",
        "metatrace.analysis.smoothing",
        "metatrace.analysis.tables",
        "metatrace.analysis.thinned",
    ),
    "thin_games": (
        "metatrace.cli.main:_thin_games",
        "metatrace.runs.collect",
        "metatrace.analysis.games",
        "metatrace.analysis.tables",
        "metatrace.analysis.thinned",
    ),
    "best_alphas": (
        "metatrace.cli.main:_best_alphas",
        "metatrace.analysis.games",
        "metatrace.analysis.tables",
    ),
    "best_mu": ("metatrace.cli.main:_best_mu", "metatrace.analysis.best", "metatrace.analysis.tables"),
    "paired": ("metatrace.cli.main:_paired", "metatrace.analysis.paired", "metatrace.analysis.tables"),
    "aggregate_scores": (
        "metatrace.cli.main:_aggregate_scores",
        "metatrace.analysis.aggregate_scores",
        "metatrace.analysis.tables",
    ),
    "compare_methods": (
        "metatrace.cli.main:_compare_methods",
        "metatrace.analysis.methods",
        "metatrace.analysis.tables",
    ),
    "learning_curves": (
        "metatrace.cli.main:_learning_curves",
        "metatrace.analysis.points",
        "metatrace.figures.learning_curves",
    ),
    "sensitivity": ("metatrace.cli.main:_sensitivity", "metatrace.figures.sensitivity"),
    "heat_map": ("metatrace.cli.main:_heat_map", "metatrace.figures.heat_map"),
    "draw_best_mu": (
        "metatrace.cli.main:_draw_best_mu",
        "metatrace.analysis.points",
        "metatrace.figures.best_mu",
    ),
    "by_drift": ("metatrace.cli.main:_by_drift", "metatrace.figures.by_drift"),
    "mu_and_beta": (
        "metatrace.cli.main:_mu_and_beta",
        "metatrace.analysis.points",
        "metatrace.figures.mu_and_beta",
    ),
    "games": ("metatrace.cli.main:_games", "metatrace.figures.games"),
    "draw_methods": ("metatrace.cli.main:_draw_methods", "metatrace.figures.methods"),
    "draw_paired": ("metatrace.cli.main:_draw_paired", "metatrace.figures.paired"),
    "draw_paired_curves": (
        "metatrace.cli.main:_draw_paired_curves",
        "metatrace.analysis.points",
        "metatrace.figures.paired_curves",
    ),
    "claims": (
        "metatrace.cli.main:_claims",
        "metatrace.report.claim_evidence",
        "metatrace.report.claims",
        "metatrace.report.claims_page",
    ),
    "explorer": ("metatrace.cli.main:_explorer", "metatrace.report.explorer"),
}
# The workflow's rules that have another name than their kinds of job.
RULES: dict[str, tuple[str, ...]] = {
    "run_mountain_car": ("run_lazy_kernel", "run_packed_kernel"),
    "table_as_csv": ("table",),
    "draw_games": ("games",),
}


@dataclass(frozen=True)
class Fingerprint:
    """The digest, and what went into it: a hash a module and a version a package."""

    digest: str
    modules: dict[str, str]
    packages: dict[str, str]


def fingerprint(code: Code) -> Fingerprint:
    """The fingerprint of the code behind something made."""
    return of_modules(tuple(dict.fromkeys(entry.partition(":")[0] for entry in code.entries)))


def of_job(job: str) -> Fingerprint:
    """The fingerprint of a kind of job (a key of `ENTRY_POINTS`).

    Raises:
      UserError: there is no such kind of job.
    """
    if job not in ENTRY_POINTS:
        raise UserError(f"{job!r} is no kind of job; it must be one of {', '.join(ENTRY_POINTS)}")
    return of_modules(ENTRY_POINTS[job])


def jobs_of(name: str) -> tuple[str, ...]:
    """The kinds of job that a name means: its own, or those of a rule of the workflow.

    Raises:
      UserError: there is no such kind of job and no such rule.
    """
    if name not in ENTRY_POINTS and name not in RULES:
        known = ", ".join([*ENTRY_POINTS, *RULES])
        raise UserError(f"{name!r} is no kind of job and no rule that has one; it must be one of {known}")
    return RULES.get(name, (name,))


def importers(job: str) -> dict[str, list[str]]:
    """Why each module and package is in a job's fingerprint: the modules of the project that import it.

    An entry point has none, if nothing else of the job imports it.
    """
    graph, code = _graph(), of_job(job)
    found: dict[str, list[str]] = {name: [] for name in (*code.modules, *code.packages)}
    for module in (name for name in code.modules if ":" not in name):
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            name = imported if imported in code.modules else imported.partition(".")[0]
            if name in found and module not in found[name]:
                found[name].append(module)
    return found


def differences(now: Fingerprint, modules: Mapping[str, str], packages: Mapping[str, str]) -> list[str]:
    """In what the code of a result differs from the code as it is now: a line a module or package.

    Args:
      modules, packages: those that the result names. Without modules, those are not compared.
    """
    lines = []
    for name in sorted({*modules, *now.modules} if modules else ()):
        if name not in now.modules:
            lines.append(f"module {name}: entered then, and no longer does")
        elif name not in modules:
            lines.append(f"module {name}: enters now, and did not then")
        elif modules[name] != now.modules[name]:
            lines.append(f"module {name}: another one now")
    for name in sorted({*packages, *now.packages}):
        if packages.get(name) != now.packages.get(name):
            then, today = (versions.get(name, "none") for versions in (packages, now.packages))
            lines.append(f"package {name}: {then} then, {today} now")
    return lines


@lru_cache
def of_modules(entries: tuple[str, ...]) -> Fingerprint:
    """The fingerprint of entry modules and everything that they import."""
    graph = _graph()
    functions = sorted(entry for entry in entries if ":" in entry)
    whole = set(entries) - set(functions)
    reached = whole.union(*(graph.find_upstream_modules(entry) for entry in whole))
    ours = sorted(name for name in reached if name.partition(".")[0] == PROJECT)
    external = {name.partition(".")[0] for name in reached} - {PROJECT} - sys.stdlib_module_names
    modules = {name: _hash_of(_source(name)) for name in ours}
    modules |= {name: _hash_of_function(name) for name in functions}
    packages = {"python": f"{sys.version_info.major}.{sys.version_info.minor}", **_versions(external)}
    parts = [*(f"{name} {digest}" for name, digest in modules.items())]
    parts += [f"{name}=={version}" for name, version in packages.items()]
    return Fingerprint(hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16], modules, packages)


@lru_cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(PROJECT, include_external_packages=True, cache_dir=None)


@lru_cache
def _source(module: str) -> str:
    spec = util.find_spec(module)
    assert spec is not None and spec.origin is not None, module
    return Path(spec.origin).read_text(encoding="utf-8")


@lru_cache
def _hash_of(source: str) -> str:
    return _hash_of_tree(ast.parse(source))


@lru_cache
def _hash_of_function(name: str) -> str:
    module, _, function = name.partition(":")
    tree = ast.parse(_source(module))
    (found,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
    return _hash_of_tree(found)


def _hash_of_tree(tree: ast.AST) -> str:
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
    distributions = {"PIL": "pillow", "vl_convert": "vl-convert-python", "yaml": "PyYAML"}
    return {name: metadata.version(distributions.get(name, name)) for name in sorted(packages)}
