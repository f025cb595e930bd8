"""The tables of a figure whose runs are counted in episodes, by the figure's kind."""

from collections.abc import Sequence

import pandas as pd

from metatrace.analysis import beta, over_seeds, paired
from metatrace.analysis.aggregate import aggregate
from metatrace.analysis.best import best_mu
from metatrace.analysis.games import best_constant
from metatrace.analysis.groups import SETTING
from metatrace.analysis.job import TablesJob
from metatrace.numbers import parse
from metatrace.runs.results import Run


def make(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The tables that every such figure has: curves, scores, settings, spread and tenths (`aggregate.Tables`)."""
    alpha_max = parse(job.spread_alpha_max, "spread_alpha_max")
    return aggregate(runs, window=job.smoothing, final=job.final, spread_alpha_max=alpha_max)._asdict()


def make_with_beta(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """These, and the mean β of groups of weights: beta, its curves, and final_beta."""
    shown = {"beta": beta.curves(runs, window=job.smoothing), "final_beta": beta.final(runs, final=job.final)}
    return make(job, runs) | shown


def make_with_best_constant(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """These, and best_constant: the best α of each environment without tuning."""
    made = make(job, runs)
    return made | {"best_constant": best_constant(made["settings"])}


def make_with_best_mu(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """These, and best_mu: the best α and μ of each method and drift; and what `over_seeds` says of the runs there."""
    made = make(job, runs)
    best = best_mu(made["scores"])
    ordered = best.sort_values("method", key=lambda names: names.map(list(job.methods).index), kind="stable")
    scores = ordered[SETTING].merge(made["scores"], on=SETTING)
    over = {
        "interquartile": over_seeds.interquartile_means(scores),
        "improvement": over_seeds.improvements(scores),
        "profiles": over_seeds.profiles(scores),
    }
    return made | {"best_mu": best} | over


def make_with_pairs(job: TablesJob, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """These, and the two methods compared seed by seed: differences, a row per setting, and their overview."""
    made = make(job, runs)
    differences = paired.differences(made["scores"], *job.methods)
    return made | {"differences": differences, "overview": paired.overview(differences)}
