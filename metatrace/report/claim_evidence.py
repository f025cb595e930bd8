"""What the claims are judged by: the tables of the figures that ran, beside the paper's scale."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from metatrace.analysis import games, tables
from metatrace.analysis.groups import SETTING
from metatrace.config.experiments import COMPARED, GAMES, MU_AND_BETA, Experiments, Figure
from metatrace.errors import UserError
from metatrace.report.claims import Ran

_RUN = [*SETTING, "seed"]


def load(folder: Path, figures: Iterable[str], paper: Experiments) -> dict[str, Ran]:
    """Reads the tables of some figures.

    Args:
      folder: `results/<scale>/tables`.
      figures: their names; of those that the paper's config lacks no claim is made, and they are left out.
      paper: the whole paper's config.

    Raises:
      UserError: a table is missing, damaged, or another than it should be. The line names it.
    """
    known = {name: paper.figures[name] for name in figures if name in paper.figures}
    # Those that compare others have no runs of their own.
    return {name: _ran(folder / name, figure) for name, figure in known.items() if figure.kind != COMPARED}


def _ran(folder: Path, figure: Figure) -> Ran:
    scores = _read(folder / "scores.parquet", [*_RUN, "final", "auc"])
    length = "frames" if figure.kind == GAMES else "episodes"
    if length not in scores:
        raise UserError(f"{folder / 'scores.parquet'}: is of no figure of kind {figure.kind}; remove it")
    scores = scores.rename(columns={length: "length"})
    if figure.kind == GAMES:
        reference = _read(folder / "reference.parquet", ["game", "agent", "score"])
        random = reference[reference["agent"] == games.RANDOM].set_index("game")["score"]
        scores = scores.assign(random=scores["environment"].map(random))
    elif figure.kind == MU_AND_BETA:
        beta = _read(folder / "final_beta.parquet", [*_RUN, "group", "beta"])
        scores = beta.merge(scores[[*_RUN, "length"]], on=_RUN)
    else:
        tenths = _read(folder / "tenths.parquet", [*_RUN, "first"])
        scores = scores.merge(tenths, on=_RUN)
    return Ran(scores, figure.unit, len(figure.some_runs()), figure.length, len(figure.seeds))


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    table = tables.read(path)
    missing = [column for column in columns if column not in table]
    if missing:
        raise UserError(f"{path}: lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}; remove it")
    return table
