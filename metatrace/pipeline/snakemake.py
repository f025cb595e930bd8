"""All that touches Snakemake's internals."""

import atexit
import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import snakemake.api  # noqa: F401  # first: by itself snakemake.dag imports in a circle
from snakemake import common, rules
from snakemake.dag import DAG
from snakemake.executors.dryrun import Executor as DryRunExecutor
from snakemake.io import IOFile, Mtime
from snakemake.jobs import Job
from snakemake.output_index import OutputIndex
from snakemake.persistence.file import FilePersistence
from snakemake.scheduling.job_scheduler import JobScheduler

from metatrace.config import loading
from metatrace.errors import UserError
from metatrace.pipeline import job_times, recovery
from metatrace.pipeline.plan import Plan
from metatrace.pipeline.progress_line import ProgressLine, Sort
from metatrace.pipeline.status import WantedRun
from metatrace.report import context
from metatrace.runs.key import RunKey, environment_in

_FOLDER = Path(".snakemake")
# How the names of the rules begin whose files runs need, but are not made of.
_BEFORE_RUNS = ("compile_", "frame_times")


def plan_or_exit(workflow: Any) -> Plan:
    """The plan of the one config that Snakemake was given; a wrong one ends it with one line and exit code 2."""
    try:
        asked = loading.resolve(list(map(_shown, workflow.configfiles)), dict(workflow.config_settings.config))
        return Plan(asked, loading.read(Path(workflow.basedir, "config/paper.yaml")))
    except UserError as error:
        _exit(error)


def _shown(path: Any) -> Path:
    """A config file as a user would name it."""
    relative = os.path.relpath(path)
    return Path(path if relative.startswith("..") else relative)


def report_config(plan: Plan) -> dict[str, Any]:
    """What the report's captions find in Snakemake's config, if this Snakemake writes a report."""
    if not any(argument.split("=")[0] == "--report" for argument in sys.argv[1:]):
        return {}
    return {
        "presentation": plan.report_context(),
        "verdicts": context.verdicts(Path(plan.results, "tables/claims.json")),
        "effort": _effort(plan),
    }


def _effort(plan: Plan) -> dict[str, Any]:
    """What the jobs of a scale took, as Snakemake recorded them."""
    records = FilePersistence(nolock=True)
    kernels = set(plan.kernels().values())
    files = [path for path in recovery.files_of(plan) if path not in kernels and os.path.exists(path)]
    # A job's log is its own; the files that it made have a record each.
    jobs = {
        tuple(record.log or ()): job_times.Job(record.rule, record.starttime, record.endtime)
        for record in map(records.metadata, map(IOFile, files))
        if record and record.starttime and record.endtime
    }
    return job_times.summarize_jobs(list(jobs.values()), plan.packages())


def shorten_output(workflow: Any) -> None:
    """Shows one line of progress, unless an option asks for more or for less.

    Errors are shown as ever, and the file that Snakemake names at its end has everything. A dry run keeps the table of
    jobs and the reasons for them, and spares itself the text about each job, which takes a third of its time.
    """
    settings = workflow.output_settings
    if settings.quiet or settings.verbose or settings.printshellcmds:
        return
    DryRunExecutor.printjob = lambda executor, job: None

    def jobs() -> Iterator[Sort]:
        # A set of its own: the line is written in another thread, while Snakemake may add jobs.
        for job in workflow.dag._needrun | workflow.dag._finished:
            yield Sort.of(job.rule.name, job.wildcards_dict)

    for handler in workflow.logger_manager.logger.handlers:
        if handler.name == "DefaultStreamHandler":
            handler.addFilter(ProgressLine(handler.stream, _at_a_time(workflow), jobs))


def _at_a_time(workflow: Any) -> int:
    """How many jobs of one core run at a time: on a cluster, which has no number of cores, its submissions."""
    settings = workflow.resource_settings
    return settings.nodes or settings.cores or 1


def run_of(wildcards: Any) -> WantedRun:
    """The run that a job makes."""
    w = wildcards
    variant = w.place.removeprefix("readings/").removesuffix("/")
    return WantedRun(variant, RunKey(environment_in(w.environment), w.method, w.alpha, w.mu, w.drift, int(w.seed)))


def look_behind_kernels() -> None:
    """Has Snakemake look at every run by itself, also if its kernel is to be compiled or its time measured again.

    Snakemake does not look at jobs that come after one that is to run: it takes them as stale. But kernels and times
    are inputs that make no run stale (`ancient`), so it would forget the runs that are missing or stale themselves.
    """
    every_job = DAG.bfs

    def bfs(dag: Any, direction: Any, *jobs: Any, **options: Any) -> Any:
        if direction is dag.depending and all(job.rule.name.startswith(_BEFORE_RUNS) for job in jobs):
            return iter(jobs)
        return every_job(dag, direction, *jobs, **options)

    DAG.bfs = bfs


def spare_repetitions() -> None:
    """Spares Snakemake what it would do again and again for every job: half of a dry run's time.

    It makes millions of objects that live as long as it does. Among them Python would look for garbage hundreds of
    times, and once more at the end, for a tenth of the time. For every job Snakemake asks which arguments the same few
    functions take, and which rules make the same files. To name a job's environment, which is that of its rule, it
    finds out what the job is told. And a dry run gives back what it never took for a job: cores, memory.

    A run that three figures need is looked for three times. While a job waits for a checkpoint, Snakemake asks for its
    inputs once more and then looks at all jobs again, for the sake of inputs that depend on how jobs are grouped;
    there are none here. No folder is an output, so none holds another. Every log has the wildcards of its outputs.
    """
    find = DAG.update

    async def find_once(dag: DAG, jobs: list[Job], file: Any = None, visited: Any = (), **options: Any) -> Job:
        if len(jobs) == 1 and jobs[0] in dag.dependencies and jobs[0] not in visited:
            return jobs[0]
        return await find(dag, jobs, file, visited or None, **options)

    async def update_none(dag: DAG) -> bool:
        return False

    gc.freeze()
    atexit.register(gc.freeze)
    gc.set_threshold(200_000, 50, 100)
    common.get_function_params = rules.get_function_params = cache(common.get_function_params)
    OutputIndex.match_producers = cache(OutputIndex.match_producers)
    Job.conda_env_spec = property(lambda job: job.rule.expand_conda_env({}))
    DAG.update = find_once
    DAG.update_incomplete_input_expand_jobs = update_none
    DAG.check_directory_outputs = lambda dag: None
    Job.is_valid = lambda job: None
    give_back = JobScheduler._free_resources
    JobScheduler._free_resources = lambda scheduler, job: scheduler.dryrun or give_back(scheduler, job)


def lift_rate_limit(workflow: Any) -> None:
    """Lets as many jobs start in a second as there are, where no cluster is asked.

    Snakemake's limiter for clusters leaves a timer behind for every finished job, each of which wakes the scheduler
    once a second: thousands of short jobs would spend more time on that than on themselves.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def tell_time(workflow: Any, plan: Plan) -> None:
    """Says how long the long runs that are to be made take on this machine, if that is long."""
    jobs = list(workflow.dag.needrun_jobs())
    runs = [run_of(job.wildcards) for job in jobs if job.rule.name.startswith("run_")]
    choices = [job.wildcards.figure for job in jobs if job.rule.name == "chosen_settings"]
    told = False
    for domain in plan.long_domains():
        count, lengths = plan.left_to_learn(domain, runs, choices)
        if not count:
            continue
        told = True
        counted = f"{domain.name.capitalize()}: {count} run{'s' if count > 1 else ''} to learn."
        print(counted, "A short trial says how long it takes:", file=sys.stderr)
        of_methods = [f"{method}={length}" for method, length in lengths.items()]
        command = [sys.executable, "-m", "metatrace", "estimate", f"--{domain.unit}", *of_methods]
        command += ["--environment", domain.slowest, "--device", plan.asked.device]
        subprocess.run([*command, "--cores", str(min(_at_a_time(workflow), count))], stdout=sys.stderr, check=False)
    if told:
        print(
            "What needs none of these runs comes first. A run that is cut short goes on from its checkpoint. In hours "
            "rather than days: snakemake --configfile config/preview.yaml; in minutes: config/quick.yaml.",
            file=sys.stderr,
        )


def recover_before_jobs(workflow: Any, plan: Plan) -> None:
    """Has `recovery` put a scale right if and when Snakemake is about to run jobs.

    Called while the Snakefile is read, where Snakemake does not yet say what it is going to do. It says so before it
    looks at its locks and at the files: `_build_dag` is called by `--summary` and all such options too, but only
    after an executor was chosen are there jobs to run. A dry run changes no file.
    """
    if not workflow.is_main_process:  # jobs on a cluster work for one that has done this
        return
    recovery.hold_workdir_lock(_FOLDER, keep=False)
    build_dag = workflow._build_dag

    def recover_and_build() -> None:
        if workflow.executor_plugin is not None:
            alone = recovery.hold_workdir_lock(_FOLDER, keep=not workflow.dryrun)
            if alone and not workflow.touch:  # whoever asks to touch takes the files as they are
                _recover(workflow, plan)
        build_dag()

    workflow._build_dag = recover_and_build


def _recover(workflow: Any, plan: Plan) -> None:
    def recorded(path: str) -> float | None:
        record = workflow.persistence.metadata(IOFile(path))
        return record and record.endtime

    found = recovery.examine(plan, recorded, _contents(plan))
    # Forced, and not removed: then a dry run lists the same jobs.
    workflow.dag.forcefiles.update(found.rebuilt)
    if workflow.dryrun:
        workflow.iocache.mtime.update({path: Mtime(local=time) for path, time in found.times.items()})
    else:
        try:
            found.carry_out()
        except UserError as error:
            _exit(error)
        record_contents(plan)
    for line in found.lines(dry=workflow.dryrun):
        print(f"metatrace: {line}", file=sys.stderr)


def record_contents(plan: Plan) -> None:
    """Records what the results hold now; called again when the jobs have ended."""
    _contents(plan).update(recovery.files_of(plan))


def _contents(plan: Plan) -> recovery.Contents:
    return recovery.Contents(_FOLDER / "metatrace" / f"{plan.asked.scale}.json")


def _exit(error: UserError) -> NoReturn:
    print(f"metatrace: error: {error}", file=sys.stderr)
    sys.exit(2)
