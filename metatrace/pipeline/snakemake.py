"""All that touches Snakemake's internals."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from snakemake.io import IOFile, Mtime

from metatrace.config.experiments import Experiments
from metatrace.errors import UserError
from metatrace.pipeline import recovery
from metatrace.pipeline.contents import Contents

_FOLDER = Path(".snakemake")


def recover_before_jobs(workflow: Any, asked: Experiments, folder: str, kernels: Iterable[str]) -> None:
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
                _recover(workflow, asked, folder, list(kernels))
        build_dag()

    workflow._build_dag = recover_and_build


def _recover(workflow: Any, asked: Experiments, folder: str, kernels: list[str]) -> None:
    contents = _contents(asked)

    def recorded(path: str) -> float | None:
        record = workflow.persistence.metadata(IOFile(path))
        return record and record.endtime

    found = recovery.examine(asked, folder, kernels, recorded, contents)
    # Forced, and not removed: then a dry run lists the same jobs.
    workflow.dag.forcefiles.update(found.changed)
    if workflow.dryrun:
        workflow.iocache.mtime.update({path: Mtime(local=time) for path, time in found.times.items()})
    else:
        try:
            found.carry_out()
        except UserError as error:
            print(f"metatrace: error: {error}", file=sys.stderr)
            sys.exit(2)
        contents.update(recovery.files_of(asked, folder, kernels))
    for line in found.lines(dry=workflow.dryrun):
        print(f"metatrace: {line}", file=sys.stderr)


def record_contents(asked: Experiments, folder: str, kernels: Iterable[str]) -> None:
    """Records what the results hold now that the jobs have ended; for the handlers `onsuccess` and `onerror`."""
    _contents(asked).update(recovery.files_of(asked, folder, kernels))


def _contents(asked: Experiments) -> Contents:
    return Contents(_FOLDER / "metatrace" / f"{asked.scale}.json")
