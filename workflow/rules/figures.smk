# From tables to pictures: SVG, PDF, PNG, and the table that each draws as CSV.


rule learning_curves:
    input:
        f"{RESULTS}/tables/{{figure}}/curves.parquet",
    output:
        in_report(f"{RESULTS}/figures/{{figure}}.svg", "learning_curves", "learning curves"),
        multiext(f"{RESULTS}/figures/{{figure}}", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}.csv", "drawn_table", "learning curves, the drawn table"),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("step_sizes"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("learning_curves"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}",
    message:
        "Drawing {wildcards.figure}"
    shell:
        "python -m metatrace figure learning-curves --tables {params.tables:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule sensitivity:
    input:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=["settings", "spread"]),
        reference=reference_tables,
    output:
        in_report(f"{RESULTS}/figures/{{figure}}_sensitivity.svg", "sensitivity", "sensitivity to α and μ"),
        multiext(f"{RESULTS}/figures/{{figure}}_sensitivity", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}_sensitivity.csv", "drawn_table", "sensitivity, the drawn table"),
    log:
        f"{RESULTS}/logs/figures/{{figure}}_sensitivity.log",
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("sensitivity"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        reference=lambda wildcards: f"{RESULTS}/tables/{figure_of(wildcards).reference}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}_sensitivity",
    message:
        "Drawing the sensitivity of {wildcards.figure}"
    shell:
        "python -m metatrace figure sensitivity --tables {params.tables:q} --reference {params.reference:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule heat_map:
    input:
        f"{RESULTS}/tables/{{figure}}/settings.parquet",
        reference=lambda wildcards: f"{RESULTS}/tables/{figure_of(wildcards).reference}/settings.parquet",
    output:
        in_report(f"{RESULTS}/figures/{{figure}}_heat_map.svg", "heat_map", "scores over α and μ"),
        multiext(f"{RESULTS}/figures/{{figure}}_heat_map", ".pdf", ".png"),
        in_report(
            f"{RESULTS}/figures/{{figure}}_heat_map.csv",
            "drawn_table",
            "scores over α and μ, the drawn table",
        ),
    log:
        f"{RESULTS}/logs/figures/{{figure}}_heat_map.log",
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("heat_map"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        reference=lambda wildcards: f"{RESULTS}/tables/{figure_of(wildcards).reference}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}_heat_map",
    message:
        "Drawing the scores of {wildcards.figure} over α and μ"
    shell:
        "python -m metatrace figure heat-map --tables {params.tables:q} --reference {params.reference:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule draw_best_mu:
    input:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=["curves", "best_mu"]),
    output:
        in_report(f"{RESULTS}/figures/{{figure}}.svg", "best_mu", "learning curves"),
        multiext(f"{RESULTS}/figures/{{figure}}", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}.csv", "drawn_table", "learning curves, the drawn table"),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("best_mu"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("draw_best_mu"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}",
    message:
        "Drawing {wildcards.figure}"
    shell:
        "python -m metatrace figure best-mu --tables {params.tables:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule by_drift:
    input:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=["settings", "best_mu"]),
    output:
        in_report(f"{RESULTS}/figures/{{figure}}_by_drift.svg", "by_drift", "scores against the drift rate"),
        multiext(f"{RESULTS}/figures/{{figure}}_by_drift", ".pdf", ".png"),
        in_report(
            f"{RESULTS}/figures/{{figure}}_by_drift.csv",
            "drawn_table",
            "scores against the drift rate, the drawn table",
        ),
    log:
        f"{RESULTS}/logs/figures/{{figure}}_by_drift.log",
    wildcard_constraints:
        figure=of_kind("best_mu"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("by_drift"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}_by_drift",
    message:
        "Drawing the scores of {wildcards.figure} against the drift rate"
    shell:
        "python -m metatrace figure by-drift --tables {params.tables:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule mu_and_beta:
    input:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=["curves", "beta"]),
    output:
        in_report(f"{RESULTS}/figures/{{figure}}.svg", "mu_and_beta", "learning curves and β"),
        multiext(f"{RESULTS}/figures/{{figure}}", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}.csv", "drawn_table", "learning curves and β, the drawn table"),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("mu_and_beta"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("mu_and_beta"),
        mu=lambda wildcards: figure_of(wildcards).beta_mu,
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}",
    message:
        "Drawing {wildcards.figure}"
    shell:
        "python -m metatrace figure mu-and-beta --tables {params.tables:q} --mu {params.mu}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule draw_games:
    input:
        expand(
            f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet",
            table=["curves", "settings", "best_constant"],
        ),
    output:
        in_report(f"{RESULTS}/figures/{{figure}}.svg", "games", "learning curves"),
        multiext(f"{RESULTS}/figures/{{figure}}", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}.csv", "drawn_table", "learning curves, the drawn table"),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("games"),
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("games"),
        frames=lambda wildcards: figure_of(wildcards).length,
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}",
    message:
        "Drawing {wildcards.figure}"
    shell:
        "python -m metatrace figure games --tables {params.tables:q} --frames {params.frames}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule draw_methods:
    input:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=["settings", "spread", "best_over_alpha"]),
    output:
        in_report(f"{RESULTS}/figures/{{figure}}.svg", "methods", "all methods"),
        multiext(f"{RESULTS}/figures/{{figure}}", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}.csv", "drawn_table", "all methods, the drawn table"),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("compared"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("draw_methods"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}",
    message:
        "Drawing {wildcards.figure}"
    shell:
        "python -m metatrace figure methods --tables {params.tables:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule draw_paired:
    input:
        f"{RESULTS}/tables/{{figure}}/differences.parquet",
    output:
        in_report(f"{RESULTS}/figures/{{figure}}.svg", "paired", "differences over α and μ"),
        multiext(f"{RESULTS}/figures/{{figure}}", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}.csv", "drawn_table", "differences, the drawn table"),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    wildcard_constraints:
        figure=of_kind("paired"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("draw_paired"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}",
    message:
        "Drawing {wildcards.figure}"
    shell:
        "python -m metatrace figure paired --tables {params.tables:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule draw_paired_curves:
    input:
        f"{RESULTS}/tables/{{figure}}/curves.parquet",
    output:
        in_report(f"{RESULTS}/figures/{{figure}}_curves.svg", "paired_curves", "learning curves"),
        multiext(f"{RESULTS}/figures/{{figure}}_curves", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}_curves.csv", "drawn_table", "learning curves, the drawn table"),
    log:
        f"{RESULTS}/logs/figures/{{figure}}_curves.log",
    wildcard_constraints:
        figure=of_kind("paired"),
    priority: FIRST_DRAWN
    conda:
        ENVIRONMENT
    params:
        drawing=drawing_of("draw_paired_curves"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}_curves",
    message:
        "Drawing the learning curves of {wildcards.figure}"
    shell:
        "python -m metatrace figure paired-curves --tables {params.tables:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


for figure in FIGURES.values():

    rule:
        name:
            figure.name
        input:
            all_files([figure]),
        message:
            "All that belongs to {rule} is there"


for section, members in ASKED.sections().items():

    rule:
        name:
            section
        input:
            all_files(members),
        message:
            "All that belongs to {rule} is there"
