"""The article and the claims page."""

from metatrace.pipeline.making import logged, write_article

with logged(snakemake.log[0]):
    write_article(snakemake.params.job, snakemake.input.claims, snakemake.output)
