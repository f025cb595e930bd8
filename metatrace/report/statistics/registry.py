"""The statistic of every claim, by its id."""

from collections.abc import Callable

from metatrace.report.claim_scores import Roles
from metatrace.report.statistics import drifting, games, mountain_car, prediction, regression
from metatrace.report.statistics.common import Numbers

_FAMILIES = (mountain_car, drifting, games, regression, prediction)
STATISTICS: dict[str, Callable[[Roles], Numbers]] = {
    claim: statistic for family in _FAMILIES for claim, statistic in family.STATISTICS.items()
}
