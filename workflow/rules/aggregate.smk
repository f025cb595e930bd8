# From run files to tidy tables.


for name, tables, kinds, extra in (
    ("aggregate", EPISODE_TABLES, ["step_sizes", "best_mu", "paired"], ""),
    ("aggregate_beta", (*EPISODE_TABLES, "beta", "final_beta"), ["mu_and_beta"], "--beta"),
):

    rule:
        name:
            name
        input:
            run_files,
        output:
            expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=tables),
        log:
            f"{RESULTS}/logs/aggregate/{{figure}}.log",
        wildcard_constraints:
            figure=of_kind(*kinds),
        priority: FIRST_DRAWN
        conda:
            ENVIRONMENT
        params:
            grid=grid_of,
            tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
            extra=extra,
        message:
            "Aggregating the runs of {wildcards.figure}"
        shell:
            "python -m metatrace aggregate --runs {params.grid[runs]:q} --environment {params.grid[environment]}"
            " --method {params.grid[method]} --alpha {params.grid[alpha]} --mu {params.grid[mu]}"
            " --drift {params.grid[drift]} --seeds {params.grid[seeds]} --episodes {params.grid[length]}"
            " --code {params.grid[runs_code]} --smoothing {params.grid[smoothing]} --final {params.grid[final]}"
            " --spread-alpha-max {params.grid[spread_alpha_max]} {params.extra}"
            " --output {params.tables:q} > {log:q} 2>&1"


rule aggregate_games:
    input:
        runs=run_files,
        reference="config/reference_scores.csv",
    output:
        expand(
            f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet",
            table=["curves", "scores", "settings", "best_constant", "reference"],
        ),
    log:
        f"{RESULTS}/logs/aggregate/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("games"),
    conda:
        ENVIRONMENT
    params:
        grid=grid_of,
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
    message:
        "Aggregating the runs of {wildcards.figure}"
    shell:
        "python -m metatrace aggregate-games --runs {params.grid[runs]:q} --environment {params.grid[environment]}"
        " --method {params.grid[method]} --alpha {params.grid[alpha]} --mu {params.grid[mu]}"
        " --seeds {params.grid[seeds]} --frames {params.grid[length]} --code {params.grid[runs_code]}"
        " --smoothing {params.grid[smoothing]} --final {params.grid[final]} --reference {input.reference:q}"
        " --output {params.tables:q} > {log:q} 2>&1"


rule aggregate_scores:
    input:
        scores=f"{RESULTS}/tables/{{figure}}/scores.parquet",
        reference="config/reference_scores.csv",
    output:
        f"{RESULTS}/tables/{{figure}}/aggregate_scores.parquet",
    log:
        f"{RESULTS}/logs/aggregate_scores/{{figure}}.log",
    wildcard_constraints:
        figure="|".join(
            name for name, figure in FIGURES.items() if figure.kind == "games" and len(figure.environments) > 1
        )
        or "(?!)",
    conda:
        ENVIRONMENT
    params:
        made={"code": FINGERPRINTS["aggregate_scores"]},
    message:
        "Taking the games of {wildcards.figure} together"
    shell:
        "python -m metatrace aggregate-scores {input.scores:q} --reference {input.reference:q}"
        " --output {output:q} > {log:q} 2>&1"


checkpoint best_alphas:
    input:
        lambda wildcards: f"{RESULTS}/tables/{figure_of(wildcards).best.figure}/settings.parquet",
    output:
        f"{RESULTS}/tables/{{figure}}/best_alphas.txt",
    log:
        f"{RESULTS}/logs/best_alphas/{{figure}}.log",
    wildcard_constraints:
        figure="|".join(name for name, figure in FIGURES.items() if figure.best) or "(?!)",
    conda:
        ENVIRONMENT
    params:
        choice=lambda wildcards: {
            "code": FINGERPRINTS["best_alphas"],
            "count": figure_of(wildcards).best.count,
            "environment": FIGURES[figure_of(wildcards).best.figure].environments[0],
            "method": figure_of(wildcards).best.method,
        },
    message:
        "Choosing the initial step-sizes of {wildcards.figure}"
    shell:
        "python -m metatrace best-alphas {input:q} --environment {params.choice[environment]}"
        " --method {params.choice[method]} --count {params.choice[count]} --output {output:q} > {log:q} 2>&1"


rule best_mu:
    input:
        f"{RESULTS}/tables/{{figure}}/scores.parquet",
    output:
        f"{RESULTS}/tables/{{figure}}/best_mu.parquet",
    log:
        f"{RESULTS}/logs/best_mu/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("best_mu"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        choice={"code": FINGERPRINTS["best_mu"]},
    message:
        "Choosing the best μ of every method in {wildcards.figure}"
    shell:
        "python -m metatrace best-mu {input:q} --output {output:q} > {log:q} 2>&1"


rule paired:
    input:
        f"{RESULTS}/tables/{{figure}}/scores.parquet",
    output:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=["differences", "overview"]),
    log:
        f"{RESULTS}/logs/paired/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("paired"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        pair=lambda wildcards: {
            "code": FINGERPRINTS["paired"],
            "first": figure_of(wildcards).methods[0],
            "second": figure_of(wildcards).methods[1],
        },
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
    message:
        "Comparing the two methods of {wildcards.figure}"
    shell:
        "python -m metatrace paired {input:q} --first {params.pair[first]} --second {params.pair[second]}"
        " --output {params.tables:q} > {log:q} 2>&1"


rule compare_methods:
    input:
        lambda wildcards: [
            f"{RESULTS}/tables/{member.name}/{table}.parquet"
            for member in figure_of(wildcards).members
            for table in ("scores", "settings", "spread")
        ],
    output:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=["settings", "spread", "best_over_alpha"]),
    log:
        f"{RESULTS}/logs/compare_methods/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("compared"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        choice={"code": FINGERPRINTS["compare_methods"], "spread_alpha_max": ASKED.spread_alpha_max},
        members=lambda wildcards: [f"{RESULTS}/tables/{member.name}" for member in figure_of(wildcards).members],
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
    message:
        "Comparing the methods of {wildcards.figure}"
    shell:
        "python -m metatrace compare-methods --tables {params.members:q}"
        " --spread-alpha-max {params.choice[spread_alpha_max]} --output {params.tables:q} > {log:q} 2>&1"


rule table_as_csv:
    input:
        f"{RESULTS}/tables/{{figure}}/{{table}}.parquet",
    output:
        in_report(f"{RESULTS}/tables/{{figure}}_{{table}}.csv", "table", labels.TABLES),
    log:
        f"{RESULTS}/logs/tables/{{figure}}_{{table}}.log",
    wildcard_constraints:
        table="|".join(labels.TABLES),
    conda:
        ENVIRONMENT
    params:
        table={"code": FINGERPRINTS["table"]},
    message:
        "Writing the {wildcards.table} of {wildcards.figure} as CSV"
    shell:
        "python -m metatrace table {input:q} --output {output:q} > {log:q} 2>&1"
