"""The α that other runs choose for a figure."""

from metatrace.pipeline.making import choose_alphas, logged

with logged(snakemake.log[0]):
    choose_alphas(snakemake.params.job, snakemake.input[0], snakemake.output[0])
