"""`metatrace estimate`: how long runs take on this machine, from a short trial."""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from metatrace.cli.compile import kernel_file
from metatrace.cli.options import KERNEL_HELP, UNITS, whole_number
from metatrace.compiled.object_code import file_name
from metatrace.domains.protocol import Domain, Request
from metatrace.domains.readings import complete
from metatrace.domains.registry import DOMAINS, ENVIRONMENTS, domain_of, environment_of, methods_of
from metatrace.errors import UserError
from metatrace.methods import METHODS, complete_hyper
from metatrace.progress import in_words
from metatrace.runs import atomic
from metatrace.runs.key import NO_DRIFT, NO_MU, RunKey

_TRIAL = {"episodes": 100, "frames": 100, "examples": 20_000}  # an example takes a microsecond, and they come in blocks
_WARM_UP = 20  # of these: the first make buffers and fill caches
_ALPHA, _MU = "2^-10", "0.001"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    units = parser.add_mutually_exclusive_group(required=True)
    for unit, text in UNITS.items():
        help = f"{text} that each method is to learn from"
        units.add_argument(f"--{unit}", nargs="+", type=_length_of_method(unit), metavar="METHOD=N", help=help)
    parser.add_argument("--environment", help="what to try; by default the slowest that counts so")
    parser.add_argument("--cores", default=1, type=whole_number("--cores", 1), metavar="N")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto (default)")
    several = (
        f"{KERNEL_HELP}. If methods need several, once for each, under the file names that the workflow gives them"
    )
    parser.add_argument("--kernel", action="append", default=[], type=Path, metavar="FILE", help=several)
    parser.add_argument("--output", type=Path, metavar="JSON", help="also gets the milliseconds of each method")


def call(options: argparse.Namespace) -> None:
    """Tries every method that is named, and says how long all of their runs take."""
    unit = next(unit for unit in UNITS if getattr(options, unit) is not None)
    lengths = dict(getattr(options, unit))
    token = options.environment or next(domain.slowest for domain in DOMAINS if domain.unit == unit)
    environment_of(token, "--environment")
    domain = domain_of(token)
    if domain.unit != unit:
        raise UserError(f"--environment: {token} does not count in --{unit}; leave --environment out")
    for method in lengths:
        if method not in methods_of(token):
            there = ", ".join(methods_of(token))
            raise UserError(f"--{unit}: {method} does not run on {token}; it must be one of {there}")
    milliseconds = {method: 1e3 * _seconds(domain, token, method, options) for method in lengths}
    if options.output is not None:
        atomic.write_atomically(options.output, (json.dumps(milliseconds, sort_keys=True) + "\n").encode())
    for method, number in lengths.items():
        print(f"{method}: {number:,} {domain.unit_text} at {milliseconds[method]:.3g} ms")
    seconds = sum(number * milliseconds[method] / 1e3 for method, number in lengths.items())
    cores = f"{options.cores} core{'s' if options.cores > 1 else ''}"
    print(f"about {in_words(seconds / options.cores)} on {cores}")


def _seconds(domain: Domain, token: str, method: str, options: argparse.Namespace) -> float:
    """Seconds per frame, episode or example, the mean over a short run.

    Of processor time, where that is what it takes: other work on the machine now will not be there for the months of a
    run.
    """
    kernel = domain.kernel_of(method) if options.device != "cuda" else None
    request = Request(
        RunKey(token, method, _ALPHA, _MU if METHODS[method].has_mu else NO_MU, NO_DRIFT, 0),
        _TRIAL[domain.unit],
        complete(ENVIRONMENTS[token].asked(method), {}, "readings"),
        complete_hyper(method, {}, "hyper", domain.name),
        device=options.device,
        kernel=None if kernel is None else kernel_file(domain, kernel, _chosen(kernel, options.kernel)),
    )
    marks: list[tuple[int, float, float]] = []
    done = 0

    def mark(more: int, *, before: bool = False) -> None:
        nonlocal done
        done += more
        if done >= _WARM_UP:
            marks.append((done, time.process_time(), time.perf_counter()))

    clock = 2 if domain.train(request, mark).meta.get("device") == "cuda" else 1
    first, last = marks[0], marks[-1]
    return (last[clock] - first[clock]) / max(last[0] - first[0], 1)


def _chosen(kernel: str, files: list[Path]) -> Path | None:
    """The file of a kernel among those that were named: the only one, or the one with the kernel's name."""
    return next((file for file in files if len(files) == 1 or file.name == file_name(kernel)), None)


def _length_of_method(unit: str) -> Callable[[str], tuple[str, int]]:
    def convert(text: str) -> tuple[str, int]:
        method, _, number = text.partition("=")
        if method not in METHODS or not (number.isascii() and number.isdigit() and len(number) < 15):
            raise UserError(f"--{unit}: {text!r} is no METHOD=N; write --{unit} none=1000000 mixed=1000000")
        return method, int(number)

    return convert
