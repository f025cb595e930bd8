"""The kinds of job, and the code behind each: put together from the registries of domains and kinds of figure.

An entry `module:function` counts with all that it uses. So a verb, which imports everything for one purpose or another,
is never an entry as a whole, and a better message in `metatrace run` makes no run stale.
"""

import sys
from collections.abc import Iterable

from metatrace.domains.protocol import Code, Domain
from metatrace.domains.registry import DOMAINS
from metatrace.errors import UserError
from metatrace.figures.kinds.kind import Kind, Picture
from metatrace.methods import METHODS
from metatrace.pipeline import provenance


def domain_jobs(domains: Iterable[Domain]) -> dict[str, Code]:
    """`compile_<kernel>`, and `run_<domain>_<method>` for each method that runs there.

    Where that is by a compiled kernel and there is a plain agent as well, `run_<domain>_<method>_plain`.
    """
    jobs: dict[str, Code] = {}
    for domain in domains:
        environment = next(iter(domain.environments))
        jobs |= {f"compile_{kernel}": domain.kernel_code(kernel) for kernel in domain.kernels}
        for token, method in METHODS.items():
            if domain.name in method.domains:
                jobs[f"run_{domain.name}_{token}"] = domain.code(environment, token)
                if "agent" in domain.options and domain.kernel_of(token) is not None:
                    jobs[f"run_{domain.name}_{token}_plain"] = domain.code(environment, token, "plain")
    return jobs


def kind_jobs(kinds: Iterable[Kind]) -> dict[str, Code]:
    """`tables_<kind>` and `pictures_<kind>`, without the scripts that call these functions."""
    jobs: dict[str, Code] = {}
    for kind in kinds:
        jobs[f"tables_{kind.name}"] = Code((kind.make,))
        jobs[f"pictures_{kind.name}"] = Code(tuple(sorted({picture.draw for picture in pictures_of(kind)})))
    return jobs


def pictures_of(kind: Kind) -> list[Picture]:
    """All pictures that figures of a kind may have: those at the top level of the module of its config model."""
    return [value for value in vars(sys.modules[kind.model.__module__]).values() if isinstance(value, Picture)]


JOBS: dict[str, Code] = {
    **domain_jobs(DOMAINS),
    "table": Code(("metatrace.cli.main:_table", "metatrace.analysis.tables")),
    "aggregate": Code(
        (
            "metatrace.cli.main:_aggregate",
            "metatrace.analysis.aggregate",
            "metatrace.runs.collect",
            "metatrace.analysis.tables",
        )
    ),
    "aggregate_beta": Code(
        (
            "metatrace.cli.main:_aggregate",
            "metatrace.analysis.aggregate",
            "metatrace.analysis.beta",
            "metatrace.runs.collect",
            "metatrace.analysis.tables",
        )
    ),
    "aggregate_games": Code(
        (
            "metatrace.cli.main:_aggregate_games",
            "metatrace.runs.collect",
            "metatrace.analysis.games",
            "metatrace.analysis.tables",
        )
    ),
    "thin": Code(
        (
            "metatrace.cli.main:_thin",
            "metatrace.runs.collect",
            "metatrace.analysis.smoothing",
            "metatrace.analysis.tables",
            "metatrace.analysis.thinned",
        )
    ),
    "thin_games": Code(
        (
            "metatrace.cli.main:_thin_games",
            "metatrace.runs.collect",
            "metatrace.analysis.games",
            "metatrace.analysis.tables",
            "metatrace.analysis.thinned",
        )
    ),
    "best_alphas": Code(("metatrace.cli.main:_best_alphas", "metatrace.analysis.games", "metatrace.analysis.tables")),
    "best_mu": Code(("metatrace.cli.main:_best_mu", "metatrace.analysis.best", "metatrace.analysis.tables")),
    "paired": Code(("metatrace.cli.main:_paired", "metatrace.analysis.paired", "metatrace.analysis.tables")),
    "aggregate_scores": Code(
        ("metatrace.cli.main:_aggregate_scores", "metatrace.analysis.aggregate_scores", "metatrace.analysis.tables")
    ),
    "compare_methods": Code(
        ("metatrace.cli.main:_compare_methods", "metatrace.analysis.methods", "metatrace.analysis.tables")
    ),
    "learning_curves": Code(
        ("metatrace.cli.main:_learning_curves", "metatrace.analysis.points", "metatrace.figures.learning_curves")
    ),
    "sensitivity": Code(("metatrace.cli.main:_sensitivity", "metatrace.figures.sensitivity")),
    "heat_map": Code(("metatrace.cli.main:_heat_map", "metatrace.figures.heat_map")),
    "draw_best_mu": Code(
        ("metatrace.cli.main:_draw_best_mu", "metatrace.analysis.points", "metatrace.figures.best_mu")
    ),
    "by_drift": Code(("metatrace.cli.main:_by_drift", "metatrace.figures.by_drift")),
    "mu_and_beta": Code(
        ("metatrace.cli.main:_mu_and_beta", "metatrace.analysis.points", "metatrace.figures.mu_and_beta")
    ),
    "games": Code(("metatrace.cli.main:_games", "metatrace.figures.games")),
    "draw_methods": Code(("metatrace.cli.main:_draw_methods", "metatrace.figures.methods")),
    "draw_paired": Code(("metatrace.cli.main:_draw_paired", "metatrace.figures.paired")),
    "draw_paired_curves": Code(
        ("metatrace.cli.main:_draw_paired_curves", "metatrace.analysis.points", "metatrace.figures.paired_curves")
    ),
    "claims": Code(
        (
            "metatrace.cli.main:_claims",
            "metatrace.report.claim_evidence",
            "metatrace.report.claims",
            "metatrace.report.claims_page",
        )
    ),
    "explorer": Code(("metatrace.cli.main:_explorer", "metatrace.report.explorer")),
}
# The workflow's rules whose names are not those of their jobs.
RULES: dict[str, tuple[str, ...]] = {
    "run_mountain_car": tuple(job for job in JOBS if job.startswith("run_mountain_car_")),
    "run_game": tuple(job for job in JOBS if job.startswith("run_atari_")),
    "table_as_csv": ("table",),
    "draw_games": ("games",),
}


def fingerprint_of(job: str) -> provenance.Fingerprint:
    """The fingerprint of a job.

    Raises:
      UserError: there is no such job.
    """
    if job not in JOBS:
        raise UserError(f"there is no job {job!r}; it must be one of {', '.join(JOBS)}")
    return provenance.fingerprint(JOBS[job])


def jobs_of(name: str) -> tuple[str, ...]:
    """The jobs that a name stands for: a job, or a rule of the workflow.

    Raises:
      UserError: there is no such job and no such rule.
    """
    if name in JOBS:
        return (name,)
    if name not in RULES:
        raise UserError(f"there is no job and no rule {name!r}; it must be one of {', '.join([*JOBS, *RULES])}")
    return RULES[name]
