# The whole paper: `snakemake`. Another scale: `snakemake --configfile config/quick.yaml`.
# A part: `snakemake figure_3`, `snakemake mountain_car`.

from snakemake.utils import min_version

min_version("9.0")

if not workflow.overwrite_configfiles:

    configfile: "config/paper.yaml"


report: "reports/front_page.rst"


include: "workflow/rules/common.smk"


wildcard_constraints:
    figure=any_of(PLAN.asked.figures),
    method=any_of(METHODS),
    alpha="[^/]+",
    mu="[^/]+",
    drift="[^/]+",
    seed=r"\d+",
    # An empty constraint would be none at all, and would not match the empty place.
    place="|".join(map(re.escape, PLAN.places)) or "(?:)",


onstart:
    PLAN.write_config()
    internals.lift_rate_limit(workflow)
    internals.tell_time(workflow, PLAN)


onsuccess:
    internals.record_contents(PLAN)


onerror:
    internals.record_contents(PLAN)


rule all:
    default_target: True
    input:
        all_files(PLAN.figures),
        outputs.page_files(RESULTS),
    message:
        "All of the {PLAN.asked.scale} scale is there; the article: {RESULTS}/index.html"


include: "workflow/rules/runs.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/pictures.smk"
include: "workflow/rules/pages.smk"
