# From runs to tidy tables: Parquet, CSV, and what the explorer shows. One job per figure.


for name, figures in PLAN.tables_rules().items():

    rule:
        name:
            name
        input:
            tables_inputs,
        output:
            tables_outputs(figures[0]),
        log:
            f"{RESULTS}/logs/tables/{{figure}}.log",
        wildcard_constraints:
            figure=any_of(figure.name for figure in figures),
        priority: PLAN.tables_priority(figures[0])
        conda:
            ENVIRONMENT
        params:
            job=lambda wildcards: PLAN.tables_job(figure_of(wildcards)),
        message:
            "Making the tables of {wildcards.figure}"
        script:
            "../scripts/make_tables.py"


checkpoint chosen_settings:
    input:
        lambda wildcards: f"{RESULTS}/tables/{figure_of(wildcards).chosen_by}/settings.parquet",
    output:
        f"{RESULTS}/tables/{{figure}}/chosen.txt",
    log:
        f"{RESULTS}/logs/chosen_settings/{{figure}}.log",
    wildcard_constraints:
        figure=any_of(figure.name for figure in PLAN.figures if figure.chosen_by),
    conda:
        ENVIRONMENT
    params:
        job=lambda wildcards: PLAN.choice_job(figure_of(wildcards)),
    message:
        "Choosing the settings of {wildcards.figure}"
    script:
        "../scripts/choose_settings.py"
