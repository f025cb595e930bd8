# What the files of rules share: the plan of all jobs (metatrace/pipeline/plan.py), and what Snakemake asks of it.

import os
import re
import sys
from pathlib import Path

from metatrace.domains.registry import domain_of
from metatrace.errors import UserError
from metatrace.figures.kinds.registry import KINDS
from metatrace.methods import METHODS
from metatrace.pipeline import outputs
from metatrace.pipeline import snakemake as internals
from metatrace.pipeline.snakemake import run_of
from metatrace.report import context, labels

PLAN = internals.plan_or_exit(workflow)
RESULTS = PLAN.results
KERNELS = PLAN.kernels()
ENVIRONMENT = str(Path(workflow.basedir, "environment.yml"))
RUN = "{method}/alpha~{alpha}/mu~{mu}/drift~{drift}/seed~{seed}"
# What the report's front page and captions show.
config.update(internals.report_config(PLAN))
internals.shorten_output(workflow)
internals.spare_repetitions()
internals.look_behind_kernels()
internals.recover_before_jobs(workflow, PLAN)

# Jobs run `python` and `snakemake` of the environment that this Snakemake runs in, activated or not, and the code of
# this folder. The parallelism is Snakemake's: one thread per job.
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    PYTHONPATH=os.pathsep.join(filter(None, [str(workflow.basedir), os.environ.get("PYTHONPATH", "")])),
    **dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1"),
)


def any_of(names):
    """A wildcard constraint: one of some names; one that nothing meets if there are none."""
    return "|".join(names) or "(?!)"


def figure_of(wildcards):
    """The figure that a job works for."""
    return PLAN.figure(wildcards.figure)


def kernel_files(wildcards):
    """The kernel that a run needs, if any."""
    return PLAN.kernel_files(domain_of(run_of(wildcards).key.environment), [wildcards.method])


def run_job(wildcards):
    """What a run is told; a run that the config does not ask for is no job."""
    try:
        return PLAN.run_job(run_of(wildcards))
    except UserError as error:
        raise WorkflowError(str(error)) from None


def wait_for_choice(figure):
    """If other runs choose a figure's runs, has Snakemake ask again when they have."""
    if figure.chosen_by:
        checkpoints.chosen_settings.get(figure=figure.name)
    return figure


def tables_inputs(wildcards):
    """What a figure's tables are made of."""
    return PLAN.tables_inputs(wait_for_choice(figure_of(wildcards)))


def in_report(path, caption, shows):
    """Marks a file for the report, by section and figure."""
    return report(
        path,
        caption=f"../../reports/{caption}.rst",
        category=lambda wildcards: context.SECTIONS[figure_of(wildcards).section],
        subcategory=lambda wildcards: labels.without_wildcards(figure_of(wildcards).title),
        labels=lambda wildcards: labels.labels(figure_of(wildcards), shows),
    )


def tables_outputs(figure):
    """The files of a figure's tables, for all figures with the same tables."""
    thinned = outputs.thinned_files(RESULTS, [figure])
    files = [*outputs.table_files(RESULTS, [figure]), *thinned]
    csv = outputs.csv_tables_of(figure)
    shown = [
        in_report(f"{RESULTS}/tables/{{figure}}_{table}.csv", f"tables/{table}", labels.TABLES[table][0])
        for table in csv
    ]
    return [*outputs.for_every_figure(files, figure), *shown]


def pictures_outputs(figure):
    """The files of a figure's pictures, for all figures with the same pictures."""
    files = []
    for picture in KINDS[figure.kind].pictures(figure):
        prefix = f"{RESULTS}/figures/{{figure}}{picture.suffix}"
        files += [
            in_report(f"{prefix}.svg", picture.caption, picture.shows),
            *multiext(prefix, ".pdf", ".png"),
            in_report(f"{prefix}.csv", "drawn_table", f"{picture.shows}, the drawn table"),
        ]
    return files


def all_files(figures):
    """All results of some figures, runs as well: what is missing is made, needed for a picture or not.

    As functions: Snakemake reads a list of files for every rule, a function only for those that it is asked for.
    """
    chosen = [figure for figure in figures if figure.chosen_by]

    def files(_):
        runs = (path for figure in figures if not figure.chosen_by for path in PLAN.run_files(figure))
        return [*outputs.figure_files(RESULTS, figures), *dict.fromkeys(runs)]

    return [files, *(lambda _, figure=figure: PLAN.run_files(wait_for_choice(figure)) for figure in chosen)]
