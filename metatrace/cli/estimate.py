"""`metatrace estimate`: how long runs take on this machine, from a short trial."""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from metatrace.cli.options import whole_number
from metatrace.domains.protocol import Domain, Request
from metatrace.domains.readings import complete
from metatrace.domains.registry import DOMAINS, ENVIRONMENTS, domain_of, environment_of
from metatrace.errors import UserError
from metatrace.methods import METHODS, complete_hyper
from metatrace.runs import atomic
from metatrace.runs.key import NO_DRIFT, NO_MU, RunKey

_TRIAL = 100  # frames or episodes
_WARM_UP = 20  # of these: the first make buffers and fill caches
_ALPHA, _MU = "2^-10", "0.001"


def add(verbs: Any) -> None:
    """Adds the verb's parser."""
    parser = verbs.add_parser("estimate", help="how long runs take on this machine, from a short trial")
    parser.set_defaults(verb=estimate)
    units = parser.add_mutually_exclusive_group(required=True)
    for unit, text in {domain.unit: domain.unit_text for domain in DOMAINS}.items():
        units.add_argument(
            f"--{unit}",
            nargs="+",
            type=_length_of_method(f"--{unit}"),
            metavar="METHOD=N",
            help=f"{text} that each method is to learn from",
        )
    parser.add_argument("--environment", help="what to try; by default the slowest that counts so")
    parser.add_argument("--cores", default=1, type=whole_number("--cores", 1), metavar="N")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto (default)")
    parser.add_argument(
        "--kernel",
        type=Path,
        metavar="FILE",
        help="the compiled kernel; by default one is kept in the user's cache folder",
    )
    parser.add_argument("--output", type=Path, metavar="JSON", help="also gets the milliseconds of each method")


def estimate(options: argparse.Namespace) -> None:
    """Tries every method that is named, and says how long all of their runs take."""
    from metatrace.progress import in_words

    domain = next(domain for domain in DOMAINS if getattr(options, domain.unit) is not None)
    lengths = dict(getattr(options, domain.unit))
    token = options.environment or domain.slowest
    environment_of(token, "--environment")
    if domain_of(token).unit != domain.unit:
        raise UserError(f"--environment: {token} does not count in --{domain.unit}; leave --environment out")
    domain = domain_of(token)
    milliseconds = {method: 1e3 * _seconds(domain, token, method, options) for method in lengths}
    if options.output is not None:
        atomic.write_atomically(options.output, (json.dumps(milliseconds, sort_keys=True) + "\n").encode())
    for method, number in lengths.items():
        print(f"{method}: {number:,} {domain.unit_text} at {milliseconds[method]:.3g} ms")
    seconds = sum(number * milliseconds[method] / 1e3 for method, number in lengths.items())
    cores = f"{options.cores} core{'s' if options.cores > 1 else ''}"
    print(f"about {in_words(seconds / options.cores)} on {cores}")


def _seconds(domain: Domain, token: str, method: str, options: argparse.Namespace) -> float:
    """Seconds per frame or episode, the mean over a short run.

    Of processor time, where that is what it takes: other work on the machine now will not be there for the months of a
    run.
    """
    from metatrace.cli import kernels

    environment, entry = ENVIRONMENTS[token], METHODS[method]
    kernel = domain.kernel_of(method) if options.device != "cuda" else None
    request = Request(
        RunKey(token, method, _ALPHA, _MU if entry.has_mu else NO_MU, NO_DRIFT, 0),
        _TRIAL,
        complete(environment.readings, {}, "readings"),
        complete_hyper(method, {}, "hyper"),
        device=options.device,
        kernel=None if kernel is None else kernels.file_of(domain, kernel, options.kernel),
    )
    marks: list[tuple[int, float, float]] = []
    done = 0

    def mark(more: int, *, before: bool = False) -> None:
        nonlocal done
        done += more
        if done >= _WARM_UP:
            marks.append((done, time.process_time(), time.perf_counter()))

    device = domain.train(request, mark).meta.get("device")
    (first, *then), (last, *now) = marks[0], marks[-1]
    which = 1 if device == "cuda" else 0
    return (now[which] - then[which]) / max(last - first, 1)


def _length_of_method(option: str):  # type: ignore[no-untyped-def]  # argparse's `type` protocol
    def convert(text: str) -> tuple[str, int]:
        method, _, number = text.partition("=")
        if method not in METHODS or not (number.isascii() and number.isdigit() and len(number) < 15):
            raise UserError(f"{option}: {text!r} is no METHOD=N; write {option} none=1000000 mixed=1000000")
        return method, int(number)

    return convert
