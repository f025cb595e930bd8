# One HTML file that shows it all, by Snakemake's own --report.

CAPTIONS = ["drawn_table", "front_page", "learning_curves", "sensitivity", "table"]


rule figures:
    input:
        picture_files(FIGURES.values()),


rule html_report:
    input:
        picture_files(FIGURES.values()),
        expand("reports/{caption}.rst", caption=CAPTIONS),
        "reports/style.css",
    output:
        f"{RESULTS}/report.html",
    params:
        shown={"presentation": presentation.digest(config["presentation"])},
        configfiles=words(workflow.configfiles),
    log:
        f"{RESULTS}/logs/html_report.log",
    conda:
        ENVIRONMENT
    message:
        "Writing the report {output}"
    shell:
        # A second Snakemake that only reads; this one holds the lock.
        "snakemake figures --report {output:q} --report-stylesheet reports/style.css --nolock --quiet"
        " --configfile {params.configfiles} > {log:q} 2>&1"
