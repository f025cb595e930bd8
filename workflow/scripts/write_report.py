"""The report, by Snakemake's own --report."""

from metatrace.pipeline.making import logged, write_report

with logged(snakemake.log[0]):
    write_report(snakemake.params.job, snakemake.output[0])
