# What every rule needs: the checked config, where results lie, what code makes them.

import sys
from pathlib import Path

from metatrace import experiments, numbers, presentation, provenance
from metatrace.errors import UserError


def checked_config():
    """The config as experiments; a wrong one ends the workflow with one line and exit code 2."""
    try:
        # Read from the file as well: Snakemake's own reading no longer shows what was unquoted.
        for path in workflow.configfiles:
            experiments.read(Path(path))
        where = ", ".join(map(str, workflow.configfiles)) or "config"
        return experiments.check(config, where), experiments.read(Path(workflow.basedir, "config/paper.yaml"))
    except UserError as error:
        print(f"metatrace: error: {error}", file=sys.stderr)
        sys.exit(2)


ASKED, PAPER = checked_config()
RESULTS = f"results/{ASKED.scale}"
FIGURES = ASKED.figures
FINGERPRINTS = {job: provenance.of_job(job).digest for job in provenance.ENTRY_POINTS}
ENVIRONMENT = str(Path(workflow.basedir, "environment.yml"))
# What the report's front page and captions show.
config["presentation"] = presentation.of(ASKED, PAPER, FINGERPRINTS)

# The parallelism is Snakemake's: one thread a job.
shell.prefix("set -euo pipefail; export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1; ")


wildcard_constraints:
    figure="|".join(FIGURES),
    method="[a-z-]+",
    alpha="[^/]+",
    mu="[^/]+",
    seed=r"\d+",


def figure_of(wildcards):
    """The figure that a job works for."""
    return FIGURES[wildcards.figure]


def words(values):
    """Values as words of a shell command; number tokens need no quoting."""
    return " ".join(map(str, values))
