# One page on which a reader picks curves, single runs and tables.


for name, kinds, length in (
    ("thin", ["step_sizes", "best_mu", "mu_and_beta", "paired"], "episodes"),
    ("thin_games", ["games"], "frames"),
):

    rule:
        name:
            name
        input:
            # Made of the same runs, so that these are there, and newer when they are.
            curves=f"{RESULTS}/tables/{{figure}}/curves.parquet",
            # So that Snakemake asks again for the grid when these are chosen.
            alphas=alphas_file,
        output:
            f"{RESULTS}/tables/{{figure}}/thinned.json",
        log:
            f"{RESULTS}/logs/thin/{{figure}}.log",
        wildcard_constraints:
            figure=of_kind(*kinds),
        priority: FIRST_DRAWN if name == "thin" else 0
        conda:
            ENVIRONMENT
        params:
            grid=thinned_grid_of,
            verb=name.replace("_", "-"),
            length=f"--{length}",
        message:
            "Thinning the runs of {wildcards.figure} for the explorer"
        shell:
            "python -m metatrace {params.verb} --runs {params.grid[runs]:q}"
            " --environment {params.grid[environment]} --method {params.grid[method]}"
            " --alpha {params.grid[alpha]} --mu {params.grid[mu]} --drift {params.grid[drift]}"
            " --seeds {params.grid[seeds]} {params.length} {params.grid[length]}"
            " --code {params.grid[runs_code]} --smoothing {params.grid[smoothing]}"
            " --curves {input.curves:q} --output {output:q} > {log:q} 2>&1"


rule explorer:
    input:
        outputs.thinned_files(RESULTS, FIGURES.values()),
        [
            f"{RESULTS}/tables/{figure.name}/{table}.parquet"
            for figure in outputs.with_runs(FIGURES.values())
            for table in outputs.csv_tables_of(figure)
        ],
        expand("reports/explorer.{suffix}", suffix=["html", "css", "js"]),
    output:
        report(
            f"{RESULTS}/explorer.html",
            caption="../../reports/explorer.rst",
            category="Explorer",
            labels={"shows": "curves, single runs and tables to pick from"},
        ),
    log:
        f"{RESULTS}/logs/explorer.log",
    conda:
        ENVIRONMENT
    params:
        page={
            "code": FINGERPRINTS["explorer"],
            "words": context.as_json(context.explorer_context(ASKED, FINGERPRINTS)),
        },
        tables=lambda wildcards: f"{RESULTS}/tables",
    message:
        "Writing the explorer {output}"
    shell:
        "python -m metatrace explorer --tables {params.tables:q} --words {params.page[words]:q}"
        " --template reports --output {output:q} > {log:q} 2>&1"
