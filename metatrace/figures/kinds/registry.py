"""The registry of kinds of figure. To add one, write a module that ends with `KIND`, and list it here."""

from metatrace.figures.kinds import best_mu, compared, games, mu_and_beta, paired, prediction, step_sizes
from metatrace.figures.kinds.kind import Kind

# A figure without `kind` is of this one.
DEFAULT_KIND = step_sizes.KIND.name
KINDS: dict[str, Kind] = {
    module.KIND.name: module.KIND for module in (step_sizes, best_mu, mu_and_beta, games, paired, compared, prediction)
}
