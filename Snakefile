# The whole paper: `snakemake`. Another scale: `snakemake --configfile config/quick.yaml`.
# A part: `snakemake figure_3`, `snakemake mountain_car`.

from snakemake.utils import min_version

min_version("9.0")

if "figures" not in config:

    configfile: "config/paper.yaml"


report: "reports/front_page.rst"


include: "workflow/rules/common.smk"


wildcard_constraints:
    figure="|".join(FIGURES),
    method="[a-z-]+",
    alpha="[^/]+",
    mu="[^/]+",
    seed=r"\d+",


rule all:
    default_target: True
    input:
        f"{RESULTS}/report.html",


include: "workflow/rules/run.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"
