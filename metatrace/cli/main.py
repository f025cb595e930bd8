"""The command line: `metatrace run | config | status | estimate | provenance | compile | publish`.

Bad input ends with one line on standard error and exit code 2. A verb is the module of its name, with `add_options` and
`call`. Only the verb that is asked for is imported, and it imports what it needs when it is called: a mountain car run
pays for neither pandas nor numba.
"""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from metatrace.cli import streams
from metatrace.errors import UserError

# A run has one thread. numpy's library reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
VERBS = {
    "run": "train one agent and write its run file",
    "config": "check a config file and say what it asks for",
    "status": "which of a config's results exist, which are stale, and how long the rest takes",
    "estimate": "how long runs take on this machine, from a short trial",
    "provenance": "what results depend on",
    "compile": "compile a kernel",
    "publish": "a finished scale in small, to commit: verdicts, scores, pictures",
}


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
            options = _parse(sys.argv[1:] if arguments is None else arguments)
            options.call(options)
        finally:
            sys.stdout.flush()
    except UserError as error:
        print(f"metatrace: error: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] == "metatrace":
            raise
        line = f'the module {error.name} is not installed; pip install "metatrace[workflow]"'
        print(f"metatrace: error: {line}", file=sys.stderr)
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


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="metatrace", description="Metatrace actor-critic, reproduced.")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for verb, text in VERBS.items():
        added = verbs.add_parser(verb, help=text)
        if verb in arguments:
            gc.disable()  # what is imported is no garbage: looking for some is a tenth of a short run
            module = import_module(f"metatrace.cli.{verb}")
            gc.freeze()
            gc.enable()
            added.set_defaults(call=module.call)
            module.add_options(added)
    return parser.parse_args(arguments)
