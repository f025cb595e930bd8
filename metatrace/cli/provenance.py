"""`metatrace provenance fingerprint | why`: which code and packages a result depends on."""

import argparse
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from metatrace.errors import UserError
from metatrace.pipeline import jobs, provenance
from metatrace.report import context
from metatrace.runs import results
from metatrace.runs.atomic import remedy


def add_options(parser: argparse.ArgumentParser) -> None:
    """The questions, and their options."""
    questions = parser.add_subparsers(dest="question", metavar="QUESTION", required=True)
    fingerprint = questions.add_parser("fingerprint", help="the fingerprint of a job, and what counts in it")
    fingerprint.add_argument("job", metavar="JOB", help="such as compile_lazy_kernel; a wrong name lists all")
    why = questions.add_parser(
        "why",
        help="why a job would run again: what counts in its fingerprint and what uses that, or what differs from the "
        "code that made a run file",
    )
    why.add_argument("job", metavar="JOB", help="a job or a rule of the workflow; a wrong name lists all")
    why.add_argument("file", nargs="?", type=Path, metavar="RUN_FILE", help="a run file (.npz) of such a job")


def call(options: argparse.Namespace) -> None:
    """Answers a question."""
    answer = _fingerprint if options.question == "fingerprint" else _why
    answer(options)


def _fingerprint(options: argparse.Namespace) -> None:
    code = jobs.fingerprint_of(options.job)
    print(code.digest)
    for module, names in _by_module(code.definitions).items():
        print(f"  {module}: {', '.join(names)}")
    for name, version in code.packages.items():
        print(f"  {name} {version}")


def _why(options: argparse.Namespace) -> None:
    asked = jobs.jobs_of(options.job)
    if options.file is not None:
        _why_again(options.file, asked)
        return
    for job in asked:
        code = jobs.fingerprint_of(job)
        users = provenance.users(jobs.JOBS[job])
        print(f"{job}: {code.digest}, a hash over these")
        for module, names in _by_module(code.definitions).items():
            print(f"  module {module}")
            for name in names:
                by = (user.removeprefix(f"{module}:") for user in users[f"{module}:{name}"])
                print(f"    {name}, for {', '.join(by)}")
        for name, version in code.packages.items():
            print(f"  package {name} {version}, for {', '.join(users[name])}")


def _by_module(definitions: Iterable[str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for module, _, name in (key.partition(":") for key in definitions):
        names.setdefault(module, []).append(name)
    return names


def _why_again(path: Path, asked: Sequence[str]) -> None:
    """What differs between the code that made a run file and the code as it is now."""
    if path.suffix != ".npz":
        raise UserError(
            f"{path}: is no run file, and no other result says what made it; name a run file (.npz), "
            "or ask `snakemake -n` what would run again"
        )
    meta = results.load_meta(path)
    job = _job_of(meta, path)
    if job not in asked:
        raise UserError(f"{path}: is of {job}; ask: metatrace provenance why {job} {shlex.quote(str(path))}")
    code = jobs.fingerprint_of(job)
    if meta.get("code") == code.digest:
        print(f"{path}: {job} of the code as it is now, {code.digest}; nothing differs")
        return
    print(f"{path}: made by {meta.get('code')}; {job} is now {code.digest}")
    tables = (meta.get(key) for key in ("modules", "packages"))
    modules, packages = (table if isinstance(table, dict) else {} for table in tables)
    for line in provenance.differences(code, modules, packages):
        print(f"  {line}")
    if not modules:
        print("  the file names no modules, as those of older versions do; which of them differ is not known")


def _job_of(meta: Mapping[str, Any], path: Path) -> str:
    """The job that made a run file."""
    try:
        job = context.run_job(meta["environment"], meta["method"])
        jobs.JOBS[job]
    except (KeyError, TypeError, StopIteration):
        raise UserError(f"{path}: lacks the tuple that made it; {remedy(path)}") from None
    plain = f"{job}_plain"
    return plain if meta.get("agent") == "plain" and plain in jobs.JOBS else job
