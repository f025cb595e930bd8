# One HTML file that shows it all, by Snakemake's own --report.


# All that the report holds.
rule figures:
    input:
        outputs.claim_files(RESULTS),
        picture_files(FIGURES.values()),
        f"{RESULTS}/explorer.html",


rule html_report:
    input:
        rules.figures.input,
        expand(
            "reports/{file}",
            file=[
                "front_page.rst",
                "learning_curves.rst",
                "sensitivity.rst",
                "heat_map.rst",
                "best_mu.rst",
                "by_drift.rst",
                "mu_and_beta.rst",
                "games.rst",
                "methods.rst",
                "paired.rst",
                "paired_curves.rst",
                "claims.rst",
                "drawn_table.rst",
                "explorer.rst",
                "table.rst",
                "style.css",
            ],
        ),
    output:
        f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/html_report.log",
    conda:
        ENVIRONMENT
    params:
        shown={"presentation": context.digest(config["presentation"])},
        draft=f"{RESULTS}/.report",
        # Relative, so that a project that was moved is still up to date.
        configfiles=[os.path.relpath(path) for path in workflow.configfiles],
    message:
        "Writing the report {output}"
    shell:
        # A second Snakemake that only reads; the first one holds the lock. It writes piece by piece, so whoever is
        # killed, or goes on as an orphan, does that elsewhere.
        "trap 'rm -f {params.draft:q}.$$.html' EXIT;"
        " snakemake figures --report {params.draft:q}.$$.html --report-stylesheet reports/style.css --nolock --quiet"
        " --configfile {params.configfiles:q} > {log:q} 2>&1 && mv {params.draft:q}.$$.html {output:q}"
