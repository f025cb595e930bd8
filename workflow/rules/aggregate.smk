# From run files to tidy tables.

TABLES = ["curves", "scores", "settings", "spread"]


def run_files(wildcards):
    """The runs that a figure is drawn from."""
    return [run.path(f"{RESULTS}/runs") for run in figure_of(wildcards).runs()]


def grid_of(wildcards):
    """A figure's grid, and what to make of its runs."""
    figure = figure_of(wildcards)
    return {
        "alpha": words(figure.alphas),
        "code": FINGERPRINTS["aggregate"],
        "environment": figure.environment,
        "episodes": figure.episodes,
        "final": ASKED.final_episodes,
        "method": figure.method,
        "mu": words(figure.mus),
        "runs_code": FINGERPRINTS["run_mountain_car"],
        "seeds": words(figure.seeds),
        "smoothing": figure.smoothing,
        "spread_alpha_max": ASKED.spread_alpha_max,
    }


rule aggregate:
    input:
        run_files,
    output:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=TABLES),
    params:
        grid=grid_of,
        runs=f"{RESULTS}/runs",
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
    log:
        f"{RESULTS}/logs/aggregate/{{figure}}.log",
    conda:
        ENVIRONMENT
    message:
        "Aggregating the runs of {wildcards.figure}"
    shell:
        "python -m metatrace aggregate --runs {params.runs:q} --environment {params.grid[environment]}"
        " --method {params.grid[method]} --alpha {params.grid[alpha]} --mu {params.grid[mu]}"
        " --seeds {params.grid[seeds]} --episodes {params.grid[episodes]} --code {params.grid[runs_code]}"
        " --smoothing {params.grid[smoothing]} --final {params.grid[final]}"
        " --spread-alpha-max {params.grid[spread_alpha_max]} --output {params.tables:q} > {log:q} 2>&1"


rule scores_as_csv:
    input:
        f"{RESULTS}/tables/{{figure}}/{{table}}.parquet",
    output:
        report(
            f"{RESULTS}/tables/{{figure}}_{{table}}.csv",
            caption="../../reports/table.rst",
            category=lambda wildcards: presentation.SECTIONS[figure_of(wildcards).section],
            subcategory=lambda wildcards: presentation.heading(figure_of(wildcards)),
            labels=lambda wildcards: presentation.labels(figure_of(wildcards), presentation.TABLES[wildcards.table]),
        ),
    log:
        f"{RESULTS}/logs/scores_as_csv/{{figure}}_{{table}}.log",
    wildcard_constraints:
        table="scores|settings|spread",
    conda:
        ENVIRONMENT
    message:
        "Writing the {wildcards.table} of {wildcards.figure} as CSV"
    shell:
        "python -m metatrace table {input:q} --output {output:q} > {log:q} 2>&1"
