# From run files to tidy tables.


rule aggregate:
    input:
        run_files,
    output:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=TABLES),
    log:
        f"{RESULTS}/logs/aggregate/{{figure}}.log",
    conda:
        ENVIRONMENT
    params:
        grid=grid_of,
        runs=RUNS,
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
    message:
        "Aggregating the runs of {wildcards.figure}"
    shell:
        "python -m metatrace aggregate --runs {params.runs:q} --environment {params.grid[environment]}"
        " --method {params.grid[method]} --alpha {params.grid[alpha]} --mu {params.grid[mu]}"
        " --seeds {params.grid[seeds]} --episodes {params.grid[episodes]} --code {params.grid[runs_code]}"
        " --smoothing {params.grid[smoothing]} --final {params.grid[final]}"
        " --spread-alpha-max {params.grid[spread_alpha_max]} --output {params.tables:q} > {log:q} 2>&1"


rule table_as_csv:
    input:
        f"{RESULTS}/tables/{{figure}}/{{table}}.parquet",
    output:
        in_report(f"{RESULTS}/tables/{{figure}}_{{table}}.csv", "table", presentation.TABLES),
    log:
        f"{RESULTS}/logs/tables/{{figure}}_{{table}}.log",
    wildcard_constraints:
        table="|".join(presentation.TABLES),
    conda:
        ENVIRONMENT
    params:
        table={"code": FINGERPRINTS["table"]},
    message:
        "Writing the {wildcards.table} of {wildcards.figure} as CSV"
    shell:
        "python -m metatrace table {input:q} --output {output:q} > {log:q} 2>&1"
