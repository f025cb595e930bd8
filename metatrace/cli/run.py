"""`metatrace run`: trains one agent and writes its run file."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from metatrace import numbers
from metatrace.cli.compile import kernel_file
from metatrace.cli.options import KERNEL_HELP, UNITS, whole_number
from metatrace.domains import readings
from metatrace.domains.gymnasium.readings import FEATURES
from metatrace.domains.protocol import Domain, Environment, Request
from metatrace.domains.registry import DOMAINS, ENVIRONMENTS, NAMES, domain_of, environment_of, methods_of
from metatrace.errors import UserError
from metatrace.methods import METHODS, complete_hyper, hyper_help, method_of
from metatrace.pipeline import provenance
from metatrace.progress import bar
from metatrace.runs import atomic, results
from metatrace.runs.key import NO_DRIFT, NO_MU, RunKey

FINAL_EPISODES = 100  # in the score that the last line tells
AGENTS = ("fast", "plain")
_OLD_NAMES = {"compiled": "fast"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add("--environment", required=True, help=NAMES)
    add("--method", required=True, help=", ".join(METHODS))
    add("--alpha", required=True, metavar="TOKEN", help="initial step-size, such as 2^-8 or 0.001")
    add("--mu", metavar="TOKEN", help="meta-step-size, for the methods that have one")
    drift_help = f"how likely a feature's sign flips in a step, such as 4e-6; on {', '.join(_drifting())}"
    add("--drift", metavar="TOKEN", help=drift_help)
    add("--seed", required=True, type=whole_number("--seed", 0), metavar="N", help="from 0 up")
    for unit, text in UNITS.items():
        where = ", ".join(domain.name for domain in DOMAINS if domain.unit == unit)
        add(f"--{unit}", type=whole_number(f"--{unit}", 1), metavar="N", help=f"how many {text}; for {where}")
    add("--output", required=True, type=Path, metavar="FILE", help="the run file (.npz) to write")
    reading_help = "a reading of the paper other than the default; config/README.md lists them"
    add("--reading", action="append", default=[], metavar="KEY=VALUE", help=reading_help)
    features_help = "what the agent sees of an observation; short for --reading features=VALUE; on gymnasium"
    add("--features", choices=FEATURES.values, help=features_help)
    hyper = f"a further hyper-parameter of the method other than the published default: {hyper_help()}"
    add("--hyper", action="append", default=[], metavar="KEY=VALUE", help=hyper)
    agent_help = "fast (default): compiled, if the method has a compiled kernel; plain: written for reading, and up to "
    add("--agent", choices=(*AGENTS, *_OLD_NAMES), help=f"{agent_help}300 times slower{_taken_by('agent')}")
    add("--kernel", type=Path, metavar="FILE", help=KERNEL_HELP)
    checkpoint_help = "save the whole state here now and then, and go on from it if it is there"
    add("--checkpoint", type=Path, metavar="FILE", help=f"{checkpoint_help}{_taken_by('checkpoint')}")
    seconds = whole_number("--checkpoint-every", 1)
    add("--checkpoint-every", type=seconds, default=300, metavar="SECONDS", help="how often to save (300)")
    device_help = "cpu, cuda, or auto (default), a graphics card if there is one; for MinAtar the processor"
    add("--device", help=f"{device_help}{_taken_by('device')}")


def call(options: argparse.Namespace) -> None:
    """Makes the run that the options describe, writes its file, and says its score."""
    key = _key(options)
    domain = domain_of(key.environment)
    environment, length = ENVIRONMENTS[key.environment], _length(options, domain)
    for name in ("agent", "device", "checkpoint"):
        if name not in domain.options and getattr(options, name) is not None:
            raise UserError(f"--{name}: {key.environment} has no use for it; leave it out")
    agent = _OLD_NAMES.get(options.agent, options.agent) or "fast"
    device = options.device or "auto"
    answers = readings.complete(environment.asked(key.method), _chosen(options, environment), "reading")
    hyper = complete_hyper(key.method, _pairs("--hyper", options.hyper), "hyper", domain.name)
    for path in filter(None, (options.output, options.checkpoint)):
        atomic.check_writable(path)
    code = provenance.fingerprint(domain.code(key.environment, key.method, agent))
    kernel = domain.kernel_of(key.method) if agent == "fast" and device != "cuda" else None
    request = Request(
        key,
        length,
        answers,
        hyper,
        agent=agent,
        device=device,
        kernel=None if kernel is None else kernel_file(domain, kernel, options.kernel),
        checkpoint=options.checkpoint,
        checkpoint_every=options.checkpoint_every,
        made_by={"code": code.digest, "packages": code.packages},
    )
    start = time.monotonic()
    with bar(length, domain.unit.removesuffix("s")) as progress:
        made = domain.train(request, progress)
    made.meta |= {"code": code.digest, "modules": code.modules, "packages": code.packages}
    results.save_run(options.output, made)
    if options.checkpoint is not None:  # what the run went on from is no longer needed
        options.checkpoint.unlink(missing_ok=True)
    if isinstance(made, results.LossRun):
        _tell_losses(made, options.output, time.monotonic() - start)
        return
    if made.diverged_episode is not None:
        frame = made.meta.get("diverged_frame")
        where = f"episode {made.diverged_episode}" if frame is None else f"frame {frame}"
        failed = made.returns[-1] if frame is None else environment.failed_return
        print(f"diverged in {where}: what follows counts as returns of {failed:g}", file=sys.stderr)
    print(f"{options.output}: {_score(made, environment.failed_return)}, in {time.monotonic() - start:.1f} s")


def _tell_losses(made: results.LossRun, output: Path, seconds: float) -> None:
    """Says how a run with losses ended, in words."""
    assert made.losses is not None
    part = "block" if "block" in made.meta else "episode"
    if made.diverged_episode is not None:
        print(f"diverged in {part} {made.diverged_episode}: from there on it predicts 0", file=sys.stderr)
    last = made.losses[-(len(made.losses) // 3) or None :]
    print(f"{output}: final loss {last.mean():.6g} (mean of the last {len(last)} {part}s), in {seconds:.1f} s")


def _score(made: results.Run, failed_return: float) -> str:
    """The final score in words."""
    if made.diverged_episode is not None and made.frames is not None:
        return f"final score {failed_return:g} (diverged)"
    last = made.returns[-FINAL_EPISODES:]
    if not len(last):
        return "no final score (no episode ended)"
    return f"final score {last.mean():.6g} (mean return of the last {len(last)} episodes)"


def _key(options: argparse.Namespace) -> RunKey:
    """What identifies the run of the options, checked."""
    environment = environment_of(options.environment, "--environment")
    if not environment.has_drift:
        if options.drift not in (None, NO_DRIFT):
            use = f"use {' or '.join(_drifting())}"
            raise UserError(f"--drift: {environment.token} has none; leave --drift out, or {use}")
    elif options.drift is None:
        raise UserError(f"--drift: is missing; {environment.token} needs a rate such as 4e-6, or 0")
    elif numbers.parse(options.drift, "--drift", zero=True) > 1:
        raise UserError(f"--drift: {options.drift!r} is out of range; it must be a probability from 0 to 1")
    method = method_of(options.method, "--method")
    if method.token not in methods_of(environment.token):
        there = ", ".join(methods_of(environment.token))
        raise UserError(f"--method: {method.token} does not run on {environment.token}; it must be one of {there}")
    numbers.parse(options.alpha, "--alpha")
    if not method.has_mu:
        if options.mu not in (None, NO_MU):
            raise UserError(f"--mu: method {method.token} has no meta-step-size; leave --mu out")
    elif options.mu is None:
        raise UserError(f"--mu: is missing; method {method.token} needs a meta-step-size such as 2^-8")
    else:
        numbers.parse(options.mu, "--mu")
    mu, drift = options.mu or NO_MU, options.drift or NO_DRIFT
    return RunKey(environment.token, method.token, options.alpha, mu, drift, options.seed)


def _length(options: argparse.Namespace, domain: Domain) -> int:
    """How long the run is, in the domain's unit."""
    for unit in UNITS:
        if unit != domain.unit and getattr(options, unit) is not None:
            raise UserError(f"--{unit}: {options.environment} counts in --{domain.unit}; leave --{unit} out")
    length: int | None = getattr(options, domain.unit)
    if length is None:
        raise UserError(f"--{domain.unit}: is missing; {options.environment} needs a whole number such as 1000")
    return length


def _chosen(options: argparse.Namespace, environment: Environment) -> dict[str, str]:
    """The readings that the options choose."""
    chosen = _pairs("--reading", options.reading)
    if options.features is None:
        return chosen
    if FEATURES not in environment.readings:
        raise UserError(f"--features: {environment.token} has no use for it; leave it out")
    if FEATURES.key in chosen:
        raise UserError("--features: --reading says it too; leave one of them out")
    return chosen | {FEATURES.key: options.features}


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for pair in given:
        key, separator, value = pair.partition("=")
        if not separator or key in chosen:
            raise UserError(f"{option}: {pair!r} is no KEY=VALUE, or the key is there twice; write {option} KEY=VALUE")
        chosen[key] = value
    return chosen


def _drifting() -> list[str]:
    return [token for token, environment in ENVIRONMENTS.items() if environment.has_drift]


def _taken_by(option: str) -> str:
    """Where an option applies, if not everywhere."""
    names = [domain.name for domain in DOMAINS if option in domain.options]
    return "" if len(names) == len(DOMAINS) else f"; on {', '.join(names)}"
