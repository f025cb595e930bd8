# What holds of the paper's claims.


rule claims:
    input:
        tables=outputs.evidence_files(RESULTS, FIGURES.values()),
        claims="config/claims.yaml",
        paper="config/paper.yaml",
        style="reports/claims.css",
    output:
        f"{RESULTS}/tables/claims.json",
        report(
            f"{RESULTS}/tables/claims.csv",
            caption="../../reports/claims.rst",
            category="Claims",
            labels={"shows": "verdicts, one row per part of a claim"},
        ),
        report(
            f"{RESULTS}/claims.html",
            caption="../../reports/claims.rst",
            category="Claims",
            labels={"shows": "verdicts on the paper's claims"},
        ),
    log:
        f"{RESULTS}/logs/claims.log",
    conda:
        ENVIRONMENT
    params:
        judged={
            "code": FINGERPRINTS["claims"],
            "figures": words(f"{name}={figure.kind}" for name, figure in FIGURES.items()),
            "scale": ASKED.scale,
            "sections": context.digest(context.SECTIONS),
        },
        tables=lambda wildcards: f"{RESULTS}/tables",
        results=lambda wildcards: RESULTS,
    message:
        "Judging the paper's claims"
    shell:
        "python -m metatrace claims --tables {params.tables:q} --figures {params.judged[figures]}"
        " --claims {input.claims:q} --paper {input.paper:q} --style {input.style:q} --scale {params.judged[scale]}"
        " --output {params.results:q} > {log:q} 2>&1"
