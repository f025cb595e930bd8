"""What the checks of several kinds share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metatrace.errors import UserError

if TYPE_CHECKING:
    from metatrace.config.figure import Figure


def require_one(figure: "Figure", key: str, *quantities: str) -> None:
    """Holds a figure to a single value of some quantities: environment, method, alpha, mu, drift.

    Raises:
      UserError: there are several; `key` names the file and the figure.
    """
    values: dict[str, Sequence[str]] = {
        "environment": figure.environments,
        "method": figure.methods,
        "alpha": figure.alphas,
        "mu": figure.mus,
        "drift": figure.drifts,
    }
    for quantity in quantities:
        if len(values[quantity]) > 1:
            raise UserError(
                f"{key}.{quantity}: has {len(values[quantity])} values; "
                f"a figure of kind {figure.kind} has one {quantity}"
            )
