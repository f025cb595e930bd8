"""The types of options that several verbs share."""

from collections.abc import Callable

from metatrace.errors import UserError


def whole_number(option: str, least: int) -> Callable[[str], int]:
    """The `type` of an option that takes whole numbers from `least` up, below 10^9."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
            raise UserError(f"{option}: {text!r} is out of range; it must be a whole number from {least} up")
        return int(text)

    return convert
