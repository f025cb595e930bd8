"""What can be chosen about GEOFF."""

from metatrace.domains.readings import Reading

READINGS: dict[str, tuple[Reading, ...]] = {"geoff": ()}
