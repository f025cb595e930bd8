"""`metatrace provenance fingerprint | why`: which code and packages a result depends on."""

import argparse
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from metatrace.errors import UserError


def add(verbs: Any) -> None:
    """Adds the verb's parser."""
    made = verbs.add_parser("provenance", help="what results depend on")
    questions = made.add_subparsers(metavar="QUESTION", required=True)
    fingerprint = questions.add_parser("fingerprint", help="the fingerprint of a job, and what counts in it")
    fingerprint.set_defaults(verb=_fingerprint)
    fingerprint.add_argument("job", metavar="JOB", help="such as compile_lazy_kernel; a wrong name lists all")
    why = questions.add_parser(
        "why",
        help="why a job would run again: what counts in its fingerprint and what uses that, or what differs from the "
        "code that made a run file",
    )
    why.set_defaults(verb=_why)
    why.add_argument("job", metavar="JOB", help="a job or a rule of the workflow; a wrong name lists all")
    why.add_argument("file", nargs="?", type=Path, metavar="RUN_FILE", help="a run file (.npz) of such a job")


def _fingerprint(options: argparse.Namespace) -> None:
    from metatrace.pipeline import jobs

    code = jobs.fingerprint_of(options.job)
    print(code.digest)
    for module, names in _by_module(code.definitions):
        print(f"  {module}: {', '.join(names)}")
    for name, version in code.packages.items():
        print(f"  {name} {version}")


def _why(options: argparse.Namespace) -> None:
    from metatrace.pipeline import jobs, provenance

    asked = jobs.jobs_of(options.job)
    if options.file is not None:
        _why_again(options.file, asked)
        return
    for job in asked:
        code = jobs.fingerprint_of(job)
        users = provenance.users(jobs.JOBS[job])
        print(f"{job}: {code.digest}, a hash over these")
        for module, names in _by_module(code.definitions):
            print(f"  module {module}")
            for name in names:
                print(f"    {name}, for {_named(users[f'{module}:{name}'], module)}")
        for name, version in code.packages.items():
            print(f"  package {name} {version}, for {_named(users[name])}")


def _by_module(definitions: Iterable[str]) -> list[tuple[str, list[str]]]:
    """The names of definitions by the module that they stand in."""
    names: dict[str, list[str]] = {}
    for key in definitions:
        module, _, name = key.partition(":")
        names.setdefault(module, []).append(name)
    return list(names.items())


def _named(users: Sequence[str], module: str = "") -> str:
    """Users in words; those in the same module by their names alone."""
    return ", ".join(user.removeprefix(f"{module}:") for user in users)


def _why_again(path: Path, asked: Sequence[str]) -> None:
    """What differs between the code that made a run file and the code as it is now."""
    from metatrace.pipeline import jobs, provenance
    from metatrace.runs import results

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
    modules, packages = (_table_of_text(meta.get(key)) for key in ("modules", "packages"))
    for line in provenance.differences(code, modules, packages):
        print(f"  {line}")
    if not modules:
        print("  the file names no modules, as those of older versions do; which of them differ is not known")


def _job_of(meta: Mapping[str, Any], path: Path) -> str:
    """The job that made a run file."""
    from metatrace.pipeline import jobs
    from metatrace.report import context
    from metatrace.runs.atomic import remedy

    try:
        job = context.run_job(meta["environment"], meta["method"])
        jobs.JOBS[job]
    except (KeyError, TypeError, StopIteration):
        raise UserError(f"{path}: lacks the tuple that made it; {remedy(path)}") from None
    plain = f"{job}_plain"
    return plain if meta.get("agent") == "plain" and plain in jobs.JOBS else job


def _table_of_text(value: object) -> dict[str, str]:
    """A table in a run file's meta; an empty one if it holds none."""
    return {str(key): str(entry) for key, entry in value.items()} if isinstance(value, dict) else {}
