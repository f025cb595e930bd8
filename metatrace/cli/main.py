"""The command line: `metatrace run | config | status | estimate | provenance | compile | publish`.

Bad input ends with one line on standard error and exit code 2. Each verb imports what it needs when it
is called: a mountain car run pays for neither pandas nor numba.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from metatrace.cli import compile, config, estimate, provenance, publish, run, status, streams
from metatrace.errors import UserError

# Each module's `add` adds the parser of its verb.
VERBS = (run, config, status, estimate, provenance, compile, publish)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are user errors, and that takes no abbreviations; so are the verbs' own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def print_help(self, file: Any = None) -> None:
        """As argparse's, but what cannot be written is an error."""
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see: {self.prog} --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0, or 2 after bad input."""
    if arguments is None:
        streams.prepare()
    try:
        try:
            options = _parser().parse_args(arguments)
            options.verb(options)
        finally:
            sys.stdout.flush()
    except UserError as error:
        print(f"metatrace: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if error.filename is not None:
            print(f"metatrace: error: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
        streams.discard(1)
        if isinstance(error, BrokenPipeError):  # the reader of our output has left, as `| head` does
            return 1
        print(f"metatrace: error: standard output cannot be written ({error.strerror})", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("metatrace: interrupted; nothing was written", file=sys.stderr)
        return 130
    return 0


def _parser() -> Parser:
    parser = Parser(prog="metatrace", description="Metatrace actor-critic, reproduced.")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for module in VERBS:
        module.add(verbs)
    return parser
