"""The kinds of job, and the code behind each: put together from the registries of domains and kinds of figure.

An entry `module:function` counts with all that it uses. So a verb, which imports everything for one purpose or another,
is never an entry as a whole, and a better message in `metatrace run` makes no run stale.
"""

from collections.abc import Iterable

from metatrace.domains.protocol import Code, Domain
from metatrace.domains.registry import DOMAINS
from metatrace.errors import UserError
from metatrace.figures.kinds.kind import Kind
from metatrace.figures.kinds.registry import KINDS
from metatrace.methods import METHODS
from metatrace.pipeline import provenance

_MAKING = "metatrace.pipeline.making"


def domain_jobs(domains: Iterable[Domain]) -> dict[str, Code]:
    """`compile_<kernel>`, and `run_<domain>_<method>` for each method that runs there.

    Where that is by a compiled kernel and there is a plain agent as well, `run_<domain>_<method>_plain`. The same code
    stands behind all environments of a domain.
    """
    jobs: dict[str, Code] = {}
    for domain in domains:
        jobs |= {f"compile_{kernel}": domain.kernel_code(kernel) for kernel in domain.kernels}
        environment = next(iter(domain.environments))
        for method in (token for token, method in METHODS.items() if domain.name in method.domains):
            jobs[f"run_{domain.name}_{method}"] = domain.code(environment, method)
            if "agent" in domain.options and domain.kernel_of(method) is not None:
                jobs[f"run_{domain.name}_{method}_plain"] = domain.code(environment, method, "plain")
    return jobs


def kind_jobs(kinds: Iterable[Kind]) -> dict[str, Code]:
    """`tables_<kind>` and `pictures_<kind>`; what is looked up by name at run time stands here by name."""
    jobs: dict[str, Code] = {}
    for kind in kinds:
        thin = (thinning(kind),) if kind.is_thinned else ()
        drawn = sorted({picture.draw for picture in kind.all_pictures})
        jobs[f"tables_{kind.name}"] = Code((f"{_MAKING}:make_tables", kind.make, *thin))
        jobs[f"pictures_{kind.name}"] = Code((f"{_MAKING}:draw_pictures", *drawn))
    return jobs


def thinning(kind: Kind) -> str:
    """What makes the explorer's data of a figure (`module:function`), by the unit of its runs, or for its losses."""
    return f"metatrace.analysis.thinned:thin_{'losses' if kind.has_losses else kind.unit}"


JOBS: dict[str, Code] = {
    **domain_jobs(DOMAINS),
    **kind_jobs(KINDS.values()),
    "chosen_settings": Code((f"{_MAKING}:choose_settings",)),
    "claims": Code((f"{_MAKING}:judge_claims",)),
    "article": Code((f"{_MAKING}:write_article",)),
    "explorer": Code((f"{_MAKING}:write_explorer",)),
    "try_page": Code((f"{_MAKING}:write_try_page",)),
    "report": Code((f"{_MAKING}:write_report",)),
}
# The workflow's rules whose names are not those of their jobs.
RULES: dict[str, tuple[str, ...]] = {
    f"run_{domain.name}": tuple(job for job in domain_jobs([domain]) if job.startswith("run_")) for domain in DOMAINS
}


def fingerprint_of(job: str) -> provenance.Fingerprint:
    """The fingerprint of a job.

    Raises:
      UserError: there is no such job.
    """
    if job not in JOBS:
        raise UserError(f"there is no job {job!r}; it must be one of {', '.join(JOBS)}")
    return provenance.fingerprint(JOBS[job])


def code_of(job: str) -> str:
    """The digest of a job's fingerprint."""
    return fingerprint_of(job).digest


def is_long(domain: Domain) -> bool:
    """Whether runs of a domain take hours or days: those that can go on from a checkpoint."""
    return "checkpoint" in domain.options


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
