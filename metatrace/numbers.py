"""Number tokens: the one spelling of every step-size, meta-step-size and drift rate.

α, μ and drift are strings in configs, paths and labels, so that no float formatting can ever
split one setting in two. `parse` and `print_token` are the only way between token and value.
"""

import math
import re
from collections.abc import Iterable

from metatrace.errors import UserError

_POWER = re.compile(r"2\^(-?(?:0|[1-9][0-9]*))")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def print_token(value: float) -> str:
    """The canonical token of a non-negative finite value.

    0 is `0`; an exact power of two other than 1 is `2^k`; anything else is the shortest decimal
    that reads back to the same float, in scientific form (`4e-6`) below 0.0001 or from 1e16.
    """
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"no token for {value!r}: only finite numbers from 0 up have one")
    if value == 0:
        return "0"
    mantissa, exponent = math.frexp(value)
    if mantissa == 0.5 and exponent != 1:
        return f"2^{exponent - 1}"
    digits, _, power = repr(float(value)).partition("e")
    digits = digits.removesuffix(".0")
    return f"{digits}e{int(power)}" if power else digits


def parse(token: object, where: str, *, zero: bool = False) -> float:
    """The value of a number token.

    Args:
      token: what the user wrote; anything but a canonical string is refused.
      where: how the user finds it ("config/paper.yaml: figures.figure_1.alpha[0]", "--alpha").
      zero: whether `0` is allowed (drift and the μ of an untuned run).

    Raises:
      UserError: not a string, not a number, negative, zero where that is no setting, or a second
        spelling of a number that has a canonical one.
    """
    if not isinstance(token, str):
        raise UserError(
            f"{where}: {token!r} is not a number token; quote it and write it as '2^-10', '0.001' or '4e-6'"
        )
    power = _POWER.fullmatch(token)
    try:
        if power:
            value = math.ldexp(1.0, int(power[1]))
        elif _DECIMAL.fullmatch(token):
            value = float(token)
        else:
            raise ValueError
    except (ValueError, OverflowError):
        raise UserError(f"{where}: {token!r} is not a number; write it as 2^-10, 0.001 or 4e-6") from None
    if not math.isfinite(value) or value < 0 or (value == 0 and not zero):
        least = "from 0 up" if zero else "above 0"
        raise UserError(f"{where}: {token!r} is out of range; it must be a finite number {least}")
    canonical = print_token(value)
    if token != canonical:
        raise UserError(f"{where}: {token!r} is spelled {canonical!r} here; every number has one spelling")
    return value


def descending(tokens: Iterable[str]) -> list[str]:
    """The distinct number tokens, largest value first."""
    return sorted(set(tokens), key=lambda token: parse(token, "token", zero=True), reverse=True)


def label(token: str) -> str:
    """The token as matplotlib mathtext, without the dollar signs: `2^-10` becomes `2^{-10}`."""
    power = _POWER.fullmatch(token)
    if power:
        return f"2^{{{power[1]}}}"
    digits, _, exponent = token.partition("e")
    if not exponent:
        return digits
    return f"10^{{{exponent}}}" if digits == "1" else rf"{digits}\times 10^{{{exponent}}}"
