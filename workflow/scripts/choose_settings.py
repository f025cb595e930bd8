"""The settings that other runs choose for a figure."""

from metatrace.pipeline.making import choose_settings, logged

with logged(snakemake.log[0]):
    choose_settings(snakemake.params.job, snakemake.input[0], snakemake.output[0])
