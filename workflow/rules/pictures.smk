# From tables to pictures: SVG, PDF, PNG, and the table that each draws as CSV. One job per figure.


for name, figures in PLAN.pictures_rules().items():

    rule:
        name:
            name
        input:
            lambda wildcards: PLAN.pictures_inputs(figure_of(wildcards)),
        output:
            pictures_outputs(figures[0]),
        log:
            f"{RESULTS}/logs/pictures/{{figure}}.log",
        wildcard_constraints:
            figure=any_of(figure.name for figure in figures),
        priority: PLAN.tables_priority(figures[0])
        conda:
            ENVIRONMENT
        params:
            job=lambda wildcards: PLAN.pictures_job(figure_of(wildcards)),
        message:
            "Drawing {wildcards.figure}"
        script:
            "../scripts/draw_pictures.py"


for name, members in [*((figure.name, [figure]) for figure in PLAN.figures), *PLAN.asked.sections().items()]:

    rule:
        name:
            name
        input:
            all_files(members),
        message:
            "All that belongs to {rule} is there"
