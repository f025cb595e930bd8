"""Options that several verbs share."""

from collections.abc import Callable

from metatrace.domains.registry import DOMAINS
from metatrace.errors import UserError

# What runs are counted in, and how running text calls it: each is an option.
UNITS = {domain.unit: domain.unit_text for domain in DOMAINS}
KERNEL_HELP = "the compiled kernel; by default one is kept in the user's cache folder"


def whole_number(option: str, least: int) -> Callable[[str], int]:
    """The `type` of an option that takes whole numbers from `least` up, below 10^9."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
            raise UserError(f"{option}: {text!r} is out of range; it must be a whole number from {least} up")
        return int(text)

    return convert
