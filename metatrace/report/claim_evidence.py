"""What the claims are judged by: the tables of the figures that ran, next to the paper's scale."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from metatrace.analysis import tables
from metatrace.analysis.groups import SETTING
from metatrace.analysis.reference import RANDOM
from metatrace.config.experiments import Experiments
from metatrace.config.figure import Figure
from metatrace.errors import UserError
from metatrace.figures.kinds.registry import KINDS
from metatrace.report.claims import Ran
from metatrace.runs.key import NO_MU

_RUN = [*SETTING, "seed"]


def load(folder: Path, kinds: Mapping[str, str], paper: Experiments) -> dict[str, Ran]:
    """Reads the tables of some figures.

    Left out are figures that the paper's config does not have, those that compare others and have no runs of their own,
    and those of a kind whose tables do not have the scores of the paper's kind. Of the others only runs that are in the
    paper's figure count: a figure's own config may have other methods or step-sizes.

    Args:
      folder: `results/<scale>/tables`.
      kinds: of each figure by name, as its config has them.
      paper: the whole paper's config.

    Raises:
      UserError: a table is missing, damaged, or lacks a column. The line names it.
    """
    known = {name: paper.figures[name] for name in kinds if name in paper.figures}
    return {
        name: Ran(_scores(folder / name, figure), figure)
        for name, figure in known.items()
        if KINDS[figure.kind].evidence and KINDS[kinds[name]].evidence == KINDS[figure.kind].evidence
    }


def _scores(folder: Path, figure: Figure) -> pd.DataFrame:
    length, evidence = KINDS[figure.kind].unit, KINDS[figure.kind].evidence
    scores = _read(folder / "scores.parquet", [*_RUN, length, "final", "auc"]).rename(columns={length: "length"})
    grid = {
        "environment": figure.environments,
        "method": figure.methods,
        "alpha": figure.alphas,
        "mu": (*figure.mus, NO_MU),  # that of the untuned
        "drift": figure.drifts,
    }
    scores = scores[np.logical_and.reduce([scores[key].isin(tokens) for key, tokens in grid.items()])]
    if "reference" in evidence:
        reference = _read(folder / "reference.parquet", ["game", "agent", "score"])
        random = reference[reference["agent"] == RANDOM].drop_duplicates("game").set_index("game")["score"]
        return scores.assign(random=scores["environment"].map(random))
    if "final_beta" in evidence:
        beta = _read(folder / "final_beta.parquet", [*_RUN, "group", "beta"])
        return beta.merge(scores[[*_RUN, "length"]], on=_RUN)
    return scores.merge(_read(folder / "tenths.parquet", [*_RUN, "first"]), on=_RUN)


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    table = tables.read(path)
    missing = [column for column in columns if column not in table]
    if missing:
        raise UserError(f"{path}: lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}; remove it")
    return table
