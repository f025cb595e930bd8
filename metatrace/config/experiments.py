"""A whole config, resolved: the one place that knows which runs exist."""

from dataclasses import dataclass, field
from typing import Any

from metatrace.config.figure import OWN_READINGS, Figure
from metatrace.domains.registry import ENVIRONMENTS, domain_of
from metatrace.methods import METHODS, complete_hyper
from metatrace.runs.key import RunKey


@dataclass(frozen=True)
class Experiments:
    """A whole config, checked and with its defaults filled in.

    Attributes:
      content: the config as it was written, merged with the files that it is based on.
    """

    scale: str
    device: str
    readings: dict[str, str]
    final_episodes: int
    spread_alpha_max: str
    figures: dict[str, Figure]
    content: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def runs(self, variant: str = OWN_READINGS) -> dict[RunKey, int]:
        """The union of the figures' runs, each once, with its length in the domain's unit.

        If other runs choose a figure's runs, all that they can choose are there.

        Args:
          variant: one of `variants()`; the same key under another variant is another run.
        """
        return {run: figure.length for figure in self._of(variant) for run in figure.runs()}

    def some_runs(self, variant: str = OWN_READINGS) -> dict[RunKey, int]:
        """As many runs as will be made: like `runs`, but with any choice where other runs choose.

        Every choice of α is among those of the figure that they are chosen from, so as many runs are shared. Where
        settings are chosen for two figures with the same seeds, the choice decides how many runs they share.
        """
        return {run: figure.length for figure in self._of(variant) for run in figure.some_runs()}

    def all_runs(self) -> dict[tuple[str, RunKey], int]:
        """`some_runs` of every variant, by variant and key."""
        return {
            (variant, run): length for variant in self.variants() for run, length in self.some_runs(variant).items()
        }

    def variants(self) -> list[str]:
        """Every variant that has runs, the config's own first."""
        return list(
            dict.fromkeys([OWN_READINGS, *(figure.variant for figure in self.figures.values() if not figure.members)])
        )

    def _of(self, variant: str) -> list[Figure]:
        # The runs of a figure that compares others are theirs, of whichever variants these are.
        return [figure for figure in self.figures.values() if figure.variant == variant and not figure.members]

    def readings_of(self, environment: str, method: str, variant: str = OWN_READINGS) -> dict[str, str]:
        """The readings in force that concern runs of a method on an environment, for those of a variant."""
        in_force = next((figure.readings for figure in self._of(variant)), self.readings)
        return {reading.key: in_force[reading.key] for reading in ENVIRONMENTS[environment].asked(method)}

    def hyper_of(self, environment: str, method: str, variant: str = OWN_READINGS) -> dict[str, str]:
        """Every hyper-parameter of a method on an environment, for the runs of a variant."""
        domain = domain_of(environment).name
        known = METHODS[method].hyper_on(domain)
        chosen = {key: value for figure in self._of(variant) for key, value in figure.hyper.items() if key in known}
        return complete_hyper(method, chosen, "hyper", domain)

    def sections(self) -> dict[str, list[Figure]]:
        """The figures by section of the report, in the config's order."""
        sections: dict[str, list[Figure]] = {}
        for figure in self.figures.values():
            sections.setdefault(figure.section, []).append(figure)
        return sections


def variant_folder(results: str, variant: str) -> str:
    """The folder below `results` (`results/<scale>`) that holds the runs of a variant and their checkpoints."""
    return f"{results}/readings/{variant}" if variant else results
