"""The page to play with."""

from metatrace.pipeline.making import logged, write_try_page

with logged(snakemake.log[0]):
    write_try_page(snakemake.params.job, snakemake.output[0])
