"""A figure's pictures."""

from metatrace.pipeline.making import draw_pictures, logged

with logged(snakemake.log[0]):
    draw_pictures(snakemake.params.job)
