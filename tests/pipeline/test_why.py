"""`metatrace provenance why`: what a fingerprint is made of, and what of it a run file does not have."""

import json

import numpy as np
import pytest

from metatrace.cli import main as cli
from metatrace.domains.protocol import Code
from metatrace.pipeline import jobs, project, provenance
from metatrace.runs import results
from metatrace.runs.key import RunKey
from metatrace.runs.results import Run, save_run

JOB = "run_mountain_car_scalar"


@pytest.fixture
def why(capsys):
    """Asks; the exit code, and the lines on standard output and on standard error."""

    def ask(*arguments):
        code = cli.main(["provenance", "why", *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out.splitlines(), said.err.splitlines()

    return ask


@pytest.fixture
def run_file(tmp_path):
    """Writes the run file of some code: of the present one, but for what is said."""

    def write(method="scalar", environment="mountain_car", job=JOB, modules=None, packages=None, **meta):
        code = jobs.fingerprint_of(job)
        meta = {
            "code": code.digest if modules is None and packages is None else "0" * 16,
            "modules": code.modules if modules is None else modules,
            "packages": code.packages if packages is None else packages,
            **meta,
        }
        path = tmp_path / "run.npz"
        identity = RunKey(environment, method, "2^-6", "2^-8", "0", 0)
        save_run(path, Run(identity, np.array([-200.0]), np.array([200]), meta))
        return path

    return write


def test_it_names_what_counts_and_what_uses_it(why):
    code, lines, errors = why(JOB)
    assert code == 0 and not errors
    assert lines[0].startswith(f"{JOB}: {jobs.fingerprint_of(JOB).digest}")
    tiles = lines.index("  module metatrace.domains.mountain_car.tiles")
    uses = next(line for line in lines[tiles:] if line.startswith("    N_TILINGS, for "))
    assert "metatrace.domains.mountain_car.kernels:N_TILINGS" in uses and "write_active_tiles" in uses
    lazy = lines.index("  module metatrace.domains.mountain_car.kernels")
    assert any(line.startswith("    lazy, for the job itself") for line in lines[lazy:])
    assert any(line.startswith("  package llvmlite ") and "object_code:load" in line for line in lines)
    assert any(line.startswith("  package python ") and line.endswith(", for everything") for line in lines)
    assert not any("metatrace.domains.mountain_car.plain" in line for line in lines)


def test_each_definition_and_package_has_a_reason():
    for job, code in jobs.JOBS.items():
        made_by, users = jobs.fingerprint_of(job), provenance.users(code)
        assert {*made_by.definitions, *made_by.packages} <= users.keys()
        assert all(users.values())


def test_facts_of_the_registry_are_told_as_such():
    code = Code(("metatrace.numbers:parse",), facts=("scalar: tau=1000",))
    users = provenance.users(code)
    assert users["(registry):scalar: tau=1000"] == [project.JOB]
    assert provenance.fingerprint(code).modules.keys() == {"metatrace.numbers", "(registry)"}


def test_the_fingerprint_lists_definitions_by_module(capsys):
    assert cli.main(["provenance", "fingerprint", JOB]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    code = jobs.fingerprint_of(JOB)
    assert first == code.digest
    assert "  metatrace.domains.mountain_car.drift: N_NOISE, flip_gaps, noise_words" in lines
    assert f"  numpy {code.packages['numpy']}" in lines
    assert len(lines) == len(code.modules) + len(code.packages)


def test_a_rule_of_the_workflow_is_its_jobs(why):
    _, lines, _ = why("run_mountain_car")
    heads = [line.partition(":")[0] for line in lines if not line.startswith(" ")]
    assert set(heads) == {job for job in jobs.JOBS if job.startswith("run_mountain_car_")}


def test_a_run_of_the_present_code_differs_in_nothing(why, run_file):
    path = run_file()
    code, lines, _ = why(JOB, path)
    assert code == 0
    assert lines == [f"{path}: {JOB} of the code as it is now, {jobs.fingerprint_of(JOB).digest}; nothing differs"]
    assert why("run_mountain_car", path)[1] == lines


def test_it_names_the_module_that_differs(why, run_file):
    modules = dict(jobs.fingerprint_of(JOB).modules)
    modules["metatrace.domains.mountain_car.tiles"] = "1" * 16
    del modules["metatrace.numbers"]
    modules["metatrace.domains.mountain_car.gone"] = "2" * 16
    _, lines, _ = why(JOB, run_file(modules=modules))
    assert "made by 0000000000000000" in lines[0] and jobs.fingerprint_of(JOB).digest in lines[0]
    assert lines[1:] == [
        "  module metatrace.domains.mountain_car.gone: counted then and no longer does",
        "  module metatrace.domains.mountain_car.tiles: has changed",
        "  module metatrace.numbers: counts now and did not then",
    ]


def test_it_names_the_package_that_differs(why, run_file):
    packages = {**jobs.fingerprint_of(JOB).packages, "numpy": "1.0", "gone": "2.0"}
    _, lines, _ = why(JOB, run_file(packages=packages))
    now = jobs.fingerprint_of(JOB).packages["numpy"]
    assert lines[1:] == [
        "  package gone: 2.0 then, none now",
        f"  package numpy: 1.0 then, {now} now",
    ]


def test_a_file_of_older_versions_says_no_more_than_it_knows(why, run_file):
    code, lines, _ = why(JOB, run_file(modules={}))
    assert code == 0 and lines[1:] == [
        "  the file names no modules, as those of older versions do; which of them differ is not known"
    ]


@pytest.mark.parametrize(
    "method, environment, job, agent",
    [
        ("mixed", "mountain_car", "run_mountain_car_mixed", "compiled"),
        ("scalar", "catch", "run_atari_scalar", "compiled"),
        ("mixed", "mountain_car", "run_mountain_car_mixed_plain", "plain"),
    ],
)
def test_a_run_of_another_job_is_sent_there(why, run_file, method, environment, job, agent):
    path = run_file(method, environment, job, agent=agent)
    code, lines, errors = why(JOB, path)
    assert (code, lines) == (2, [])
    assert errors == [f"metatrace: error: {path}: is of {job}; ask: metatrace provenance why {job} {path}"]
    assert why(job, path)[1][0].endswith("nothing differs")


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("none.npz", None, "there is no such run file"),
        ("half.npz", b"PK\x03\x04", "is cut short, garbled or no run file"),
        ("scores.parquet", b"PAR1", "no other result says what made it"),
        ("folder.npz", "folder", "cannot be read"),
    ],
)
def test_what_is_no_run_file_is_refused(why, tmp_path, name, content, words):
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    code, lines, errors = why(JOB, path)
    assert (code, lines, len(errors)) == (2, [], 1)
    assert str(path) in errors[0] and words in errors[0]


def test_a_file_of_no_known_run_is_refused(why, run_file):
    code, _, errors = why(JOB, run_file("guess"))
    assert code == 2 and len(errors) == 1 and "lacks the tuple that made it" in errors[0]


def test_an_unknown_job_is_refused(why):
    code, _, errors = why("runs")
    assert code == 2 and len(errors) == 1
    assert "run_mountain_car_sid" in errors[0] and "run_mountain_car" in errors[0]


def test_the_modules_make_a_run_file_little_larger(run_file):
    size = run_file().stat().st_size
    meta = results.load_meta(run_file())
    del meta["modules"]
    for key in (*RunKey.__dataclass_fields__, "schema", "diverged_episode"):
        meta.pop(key)
    code = meta.pop("code")
    without = run_file(modules={}, packages=meta["packages"], code=code).stat().st_size
    assert 0 < size - without < 2000, json.dumps(jobs.fingerprint_of(JOB).modules)
