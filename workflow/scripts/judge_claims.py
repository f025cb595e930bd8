"""What holds of the paper's claims."""

from metatrace.pipeline.making import judge_claims, logged

with logged(snakemake.log[0]):
    judge_claims(snakemake.params.job, snakemake.input, snakemake.output)
