"""The explorer's page."""

from metatrace.pipeline.making import logged, write_explorer

with logged(snakemake.log[0]):
    write_explorer(snakemake.params.job, snakemake.output[0])
