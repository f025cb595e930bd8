# What shows a whole scale: the verdicts on the paper's claims, the explorer, a page to play with, and one report of
# everything.


rule claims:
    input:
        outputs.evidence_files(RESULTS, PLAN.figures),
        claims="config/claims.yaml",
        paper="config/paper.yaml",
        style="reports/pages.css",
    output:
        json=f"{RESULTS}/tables/claims.json",
        csv=report(
            f"{RESULTS}/tables/claims.csv",
            caption="../../reports/claims.rst",
            category="Claims",
            labels={"shows": "verdicts, one row per part of a claim"},
        ),
        page=report(
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
        job=PLAN.claims_job(),
    message:
        "Judging the paper's claims"
    script:
        "../scripts/judge_claims.py"


rule explorer:
    input:
        PLAN.explorer_inputs(),
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
        job=PLAN.explorer_job(),
    message:
        "Writing the explorer {output}"
    script:
        "../scripts/write_explorer.py"


rule try_page:
    input:
        [f"reports/{name}" for name in context.TRY_FILES],
    output:
        f"{RESULTS}/try.html",
    log:
        f"{RESULTS}/logs/try_page.log",
    conda:
        ENVIRONMENT
    params:
        job=PLAN.try_page_job(),
    message:
        "Writing the page to play with {output}"
    script:
        "../scripts/write_try_page.py"


# All that the report holds.
rule figures:
    input:
        outputs.claim_files(RESULTS),
        PLAN.shown_files(),
        f"{RESULTS}/explorer.html",


rule html_report:
    input:
        rules.figures.input,
        PLAN.caption_files(),
    output:
        f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/html_report.log",
    conda:
        ENVIRONMENT
    params:
        job=PLAN.report_job(),
    message:
        "Writing the report {output}"
    script:
        "../scripts/write_report.py"


# The report and all that it holds, what is missing of it as well, and the page to play with.
rule report_files:
    input:
        rules.figures.input,
        rules.html_report.output,
        rules.try_page.output,
    message:
        "The report: {RESULTS}/report.html"
