"""Learning curves as in the paper's figures 1 to 5: one panel per μ, one line per initial α."""

import pandas as pd
from matplotlib.figure import Figure

from metatrace.analysis import points, tables
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.numbers import descending, label
from metatrace.runs.key import NO_MU


def draw_job(job: PictureJob) -> tuple[Figure, pd.DataFrame]:
    (curves,) = tables.read_all(job.tables, "curves")
    curves = points.of_episodes(curves)
    return draw(curves, job), curves


@style.theme()
def draw(curves: pd.DataFrame, job: PictureJob) -> Figure:
    """One panel per μ, all with the same axes; without a name if the only μ is 0, the untuned one."""
    looks, mus = style.token_looks(descending(curves["alpha"])), descending(curves["mu"])
    figure = style.mu_panels(curves, len(mus), job)
    for panel, mu in zip(figure.axes, mus, strict=True):
        style.curves(panel, curves[curves["mu"] == mu], "alpha", looks)
        if mus != [NO_MU]:
            panel.set_title(rf"$\mu = {label(mu)}$", pad=4)
    style.legend(figure, looks.values(), style.ALPHA)
    return figure
