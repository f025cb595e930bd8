# What shows a whole scale: the verdicts on the claims, the article, the explorer, a page to play with, and the record of
# everything.


rule claims:
    input:
        outputs.evidence_files(RESULTS, PLAN.figures),
        claims="config/claims.yaml",
        paper="config/paper.yaml",
    output:
        json=f"{RESULTS}/tables/claims.json",
        csv=report(
            f"{RESULTS}/tables/claims.csv",
            caption="../../reports/claims.rst",
            category="Claims",
            labels={"shows": "verdicts, one row per part of a claim"},
        ),
    log:
        f"{RESULTS}/logs/claims.log",
    conda:
        ENVIRONMENT
    params:
        job=lambda _: PLAN.claims_job(),
    message:
        "Judging the paper's claims"
    script:
        "../scripts/judge_claims.py"


rule article:
    input:
        PLAN.article_inputs(),
        claims="config/claims.yaml",
    output:
        article=f"{RESULTS}/index.html",
        claims=f"{RESULTS}/claims.html",
    log:
        f"{RESULTS}/logs/article.log",
    conda:
        ENVIRONMENT
    params:
        job=lambda _: PLAN.article_job(),
    message:
        "Writing the article {output.article}, and the claims"
    script:
        "../scripts/write_article.py"


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
        job=lambda _: PLAN.explorer_job(),
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
        job=lambda _: PLAN.try_page_job(),
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
        job=lambda _: PLAN.report_job(),
    message:
        "Writing the report {output}"
    script:
        "../scripts/write_report.py"


# The pages and all that they hold, what is missing of it as well.
rule report_files:
    input:
        rules.figures.input,
        rules.article.output,
        rules.html_report.output,
        rules.try_page.output,
    message:
        "The article: {RESULTS}/index.html; the record: {RESULTS}/report.html"
