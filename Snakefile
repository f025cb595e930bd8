# The whole paper: `snakemake`. Another scale: `snakemake --configfile config/quick.yaml`.
# A part: `snakemake figure_3`, `snakemake mountain_car`.

from snakemake.utils import min_version

min_version("9.0")

if "figures" not in config and "base" not in config:

    configfile: "config/paper.yaml"


report: "reports/front_page.rst"


include: "workflow/rules/common.smk"


wildcard_constraints:
    figure="|".join(FIGURES),
    method="[a-z-]+",
    alpha="[^/]+",
    mu="[^/]+",
    drift="[^/]+",
    seed=r"\d+",
    # An empty constraint would be none at all, and would not match the empty place.
    place="|".join(map(re.escape, PLACES)) or "(?:)",


onstart:
    # Here nothing limits how many jobs may start in a second. Snakemake's limiter for clusters leaves a timer
    # behind for every finished job, each of which wakes the scheduler once a second: thousands of short jobs
    # would spend more time on that than on themselves.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    tell_time()


onsuccess:
    snakemake_hooks.record_contents(ASKED, RESULTS, KERNELS.values())


onerror:
    snakemake_hooks.record_contents(ASKED, RESULTS, KERNELS.values())


rule all:
    default_target: True
    input:
        all_files(list(FIGURES.values())),
        outputs.page_files(RESULTS),
    message:
        "All of the {ASKED.scale} scale is there; the report: {RESULTS}/report.html"


include: "workflow/rules/run.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/explorer.smk"
include: "workflow/rules/report.smk"
