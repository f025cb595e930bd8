"""A figure's tables, and what the explorer shows of it."""

from metatrace.pipeline.making import logged, make_tables

with logged(snakemake.log[0]):
    make_tables(snakemake.params.job)
