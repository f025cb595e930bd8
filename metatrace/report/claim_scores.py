"""The scores that claims are judged by: picked by method, rate or game, and laid out as arrays over seeds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from metatrace.numbers import parse

_NUMERIC = ("alpha", "mu", "drift")


class LackingError(Exception):
    """The runs lack what a statistic needs; the message names it, to stand after "not run: "."""


class UndecidableError(Exception):
    """The runs are there, but leave nothing to judge; the message is a sentence's end that says why."""


@dataclass
class Draw:
    """Which seeds a bootstrap has drawn, as positions among those that all figures of a claim share."""

    positions: np.ndarray


@dataclass
class Scores:
    """The scores of the figures that have one role in a claim, over the seeds that are drawn.

    Every method raises LackingError where nothing is left or a column is missing.

    Attributes:
      table: one row per run: environment, method, alpha, mu, drift, seed, and scores (final, auc, …).
      seeds: those that all figures of the claim share.
      draw: shared with all other scores of the claim, because the same seed meets the same noise in all of them.
    """

    table: pd.DataFrame
    seeds: tuple[int, ...]
    draw: Draw
    # A bootstrap asks the same thousands of times.
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def values(self, name: str) -> list[str]:
        """The distinct tokens of a column, at least one: numbers in descending order, names alphabetically."""
        if name not in self._known:
            tokens = self._column(name).drop_duplicates().tolist()
            if not tokens:
                raise LackingError("any of its runs")
            self._known[name] = sorted(tokens, key=lambda token: -number(token) if name in _NUMERIC else token)
        return list(self._known[name])

    def of(self, **chosen: str) -> "Scores":
        """The rows of one method, drift, environment, …"""
        key = tuple(chosen.items())
        if key not in self._known:
            rows = self
            for name, token in key:
                rows = rows.among(name, (token,))
            self._known[key] = rows
        found: Scores = self._known[key]
        return found

    def among(self, name: str, tokens: Iterable[str]) -> "Scores":
        """The rows with one of some tokens in a column."""
        tokens = tuple(tokens)
        return self._part((name, tokens), lambda: self._column(name).isin(tokens), f"{name} {' or '.join(tokens)}")

    def up_to(self, name: str, most: float) -> "Scores":
        """The rows whose number in a column is no larger than `most`."""
        return self._part(
            ("up to", name, most), lambda: self._column(name).map(number) <= most, f"{name} up to {most:g}"
        )

    def all_of(self, name: str, tokens: Sequence[str]) -> "Scores":
        """The rows with one of some tokens in a column, where each of these was run."""
        missing = [token for token in tokens if token not in self.values(name)]
        if missing:
            raise LackingError(f"{name} {', '.join(missing)}")
        return self.among(name, tokens)

    def grid(self, score: str, *axes: str) -> np.ndarray:
        """A score over the drawn seeds and the tokens of some columns, as `values` orders them.

        Returns:
          (seeds, …), one axis per column.

        Raises:
          LackingError: there is not exactly one run for each combination and seed.
        """
        return self.whole_grid(score, *axes)[self.draw.positions]

    def whole_grid(self, score: str, *axes: str) -> np.ndarray:
        """As `grid`, over all seeds, whichever are drawn: for what a bootstrap takes as given."""
        key = ("grid", score, axes)
        if key not in self._known:
            tokens = [self.values(axis) for axis in axes]
            keys = [*axes, "seed"]
            runs = pd.MultiIndex.from_frame(self.table[keys].astype("object"))
            rows = pd.Series(self._column(score).to_numpy(np.float64, na_value=np.nan), runs)
            index = pd.MultiIndex.from_product([*tokens, list(self.seeds)], names=keys)
            if not rows.index.is_unique or not index.isin(rows.index).all():
                raise LackingError(f"exactly one run for every {', '.join(['seed', *axes])}")
            shaped = rows.reindex(index).to_numpy().reshape([*map(len, tokens), len(self.seeds)])
            self._known[key] = np.ascontiguousarray(np.moveaxis(shaped, -1, 0))
        everything: np.ndarray = self._known[key]
        return everything

    def constant(self, score: str) -> float:
        """A score that is the same for all rows, such as that of random play."""
        return float(self._column(score).iloc[0])

    def _column(self, name: str) -> pd.Series:
        if name not in self.table:
            raise LackingError(f"runs with the score {name}")
        return self.table[name]

    def _part(self, key: Any, chosen: Any, what: str) -> "Scores":
        if key not in self._known:
            rows = self.table[chosen()]
            if rows.empty:
                raise LackingError(what)
            self._known[key] = Scores(rows, self.seeds, self.draw)
        found: Scores = self._known[key]
        return found


Roles = Mapping[str, Scores]


@cache
def number(token: str) -> float:
    """The value of a number token."""
    return parse(token, "token", zero=True)
