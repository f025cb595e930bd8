"""The registry of kinds of figure. To add one, write a module that ends with `KIND`, and list it here."""

from metatrace.figures.kinds import (
    best_mu,
    compared,
    environments,
    errors,
    errors_compared,
    games,
    learned_step_sizes,
    mu_and_beta,
    paired,
    prediction,
    step_sizes,
    tasks,
)
from metatrace.figures.kinds.kind import Kind

# A figure without `kind` is of this one.
DEFAULT_KIND = step_sizes.KIND.name
_MODULES = (step_sizes, best_mu, mu_and_beta, games, environments, paired, compared)
_REGRESSION = (errors, errors_compared, learned_step_sizes, tasks)
KINDS: dict[str, Kind] = {module.KIND.name: module.KIND for module in (*_MODULES, *_REGRESSION, prediction)}
