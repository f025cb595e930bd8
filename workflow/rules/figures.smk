# From tables to pictures: SVG, PDF, PNG, and the table that each draws as CSV.

FORMATS = ["svg", "pdf", "png", "csv"]


def pictures(figure):
    """The names of a figure's pictures: its curves, and how sensitive it is to the step-sizes."""
    return [figure.name, f"{figure.name}_sensitivity"] if figure.reference else [figure.name]


def picture_files(figures):
    """Every file that belongs to some figures: the pictures in all formats, and the scores."""
    files = [
        f"{RESULTS}/figures/{picture}.{suffix}"
        for figure in figures
        for picture in pictures(figure)
        for suffix in FORMATS
    ]
    return files + [f"{RESULTS}/tables/{figure.name}_{table}.csv" for figure in figures for table in ("scores", "settings", "spread")]


def drawing_of(job):
    """What a drawing job depends on beside its tables."""
    return lambda wildcards: {
        "code": FINGERPRINTS[job],
        "note": presentation.note(ASKED, PAPER, figure_of(wildcards)),
        "title": presentation.title(figure_of(wildcards), job),
    }


def in_report(path, caption, what):
    """Marks a file for the report, by section and figure."""
    return report(
        path,
        caption=f"../../reports/{caption}.rst",
        category=lambda wildcards: presentation.SECTIONS[figure_of(wildcards).section],
        subcategory=lambda wildcards: presentation.heading(figure_of(wildcards)),
        labels=lambda wildcards: presentation.labels(figure_of(wildcards), what),
    )


rule learning_curves:
    input:
        f"{RESULTS}/tables/{{figure}}/curves.parquet",
    output:
        in_report(f"{RESULTS}/figures/{{figure}}.svg", "learning_curves", "learning curves"),
        multiext(f"{RESULTS}/figures/{{figure}}", ".pdf", ".png"),
        in_report(f"{RESULTS}/figures/{{figure}}.csv", "drawn_table", "learning curves, the drawn table"),
    params:
        drawing=drawing_of("learning_curves"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}",
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    conda:
        ENVIRONMENT
    message:
        "Drawing {wildcards.figure}"
    shell:
        "python -m metatrace figure learning-curves --tables {params.tables:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


rule sensitivity:
    input:
        expand(f"{RESULTS}/tables/{{{{figure}}}}/{{table}}.parquet", table=["settings", "spread"]),
        reference=lambda wildcards: expand(
            f"{RESULTS}/tables/{figure_of(wildcards).reference}/{{table}}.parquet",
            table=["settings", "spread"],
        ),
    output:
        in_report(f"{RESULTS}/figures/{{figure}}_sensitivity.svg", "sensitivity", "sensitivity to α and μ"),
        multiext(f"{RESULTS}/figures/{{figure}}_sensitivity", ".pdf", ".png"),
        in_report(
            f"{RESULTS}/figures/{{figure}}_sensitivity.csv", "drawn_table", "sensitivity, the drawn table"
        ),
    params:
        drawing=drawing_of("sensitivity"),
        tables=lambda wildcards: f"{RESULTS}/tables/{wildcards.figure}",
        reference=lambda wildcards: f"{RESULTS}/tables/{figure_of(wildcards).reference}",
        prefix=lambda wildcards: f"{RESULTS}/figures/{wildcards.figure}_sensitivity",
    log:
        f"{RESULTS}/logs/figures/{{figure}}_sensitivity.log",
    conda:
        ENVIRONMENT
    message:
        "Drawing the sensitivity of {wildcards.figure}"
    shell:
        "python -m metatrace figure sensitivity --tables {params.tables:q} --reference {params.reference:q}"
        " --title {params.drawing[title]:q} --note {params.drawing[note]:q}"
        " --output {params.prefix:q} > {log:q} 2>&1"


for figure in FIGURES.values():

    rule:
        name:
            figure.name
        input:
            picture_files([figure]),


for section, members in ASKED.sections().items():

    rule:
        name:
            section
        input:
            picture_files(members),
