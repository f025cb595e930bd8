"""What the real Snakemake makes of results that were changed, touched or copied, and of locks that were left."""

import fcntl
import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest
from project import Project

from metatrace.pipeline import recovery

PICTURE = "results/tiny/figures/figure_1.svg"
RUN = "results/tiny/runs/mountain_car/none/alpha~2^-5/mu~0/drift~0/seed~1.npz"
TABLE = "results/tiny/tables/figure_1/scores.parquet"
# Options with which Snakemake only tells something, and runs no job of ours.
LOOKING = (
    ["--summary"],
    ["--list-rules"],
    ["--list-changes", "params"],
    ["--lint"],
    ["--dag"],
    ["--unlock"],
    ["--delete-all-output", "-n"],
    ["--report", "a.html", "figures"],
)


def jobs(said):
    """How many jobs of each rule Snakemake says that it runs or would run."""
    table = said.split("Job stats:")[1].split("total")[0] if "Job stats:" in said else ""
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}


def without_changed(project):
    """The bytes of all results but the report (which says when its jobs ran) and what was set aside."""
    return {name: content for name, content in project.results().items() if not name.endswith((".changed", "t.html"))}


def copied(project, folder):
    """A copy with new times, in an order of their own."""
    subprocess.run(["cp", "-r", str(project.folder), str(folder)], check=True)
    return Project(folder)


def test_whoever_only_looks_changes_nothing(editable):
    for name in editable.results():
        os.utime(editable.folder / name)
    (editable.folder / TABLE).write_bytes(b"changed")
    whole = editable.results("results/**/*")
    for options in LOOKING:
        done = editable.snakemake(*options)
        assert "metatrace: " not in done.stderr, options
        assert editable.results("results/**/*") == whole, options
    assert (editable.folder / "a.html").exists()


def test_touched_results_are_not_rebuilt(editable):
    for name in editable.results("results/**/*"):
        os.utime(editable.folder / name)
    assert editable.pending() == {}
    said = editable.make()
    assert "Nothing to be done" in said and "metatrace: " not in said


def test_of_a_copied_folder_nothing_is_rebuilt(finished, tmp_path):
    project = copied(finished, tmp_path / "copy")
    for _ in range(2):
        said = project.make("-n")
        assert "Nothing to be done" in said and "metatrace: " not in said
    said = project.make()
    assert "Nothing to be done" in said and "metatrace: " not in said
    assert project.results("results/**/*") == finished.results("results/**/*")


@pytest.mark.parametrize(
    ("recorded", "targets"),
    [
        pytest.param(True, [PICTURE], id="recorded"),
        # Once is enough for the report, whose job takes longest.
        pytest.param(True, ["figures"], id="recorded, all figures", marks=pytest.mark.slow),
        pytest.param(False, [], id="not recorded", marks=pytest.mark.slow),
    ],
)
def test_a_dry_run_lists_the_jobs_that_a_run_does(finished, tmp_path, recorded, targets):
    """In a copied folder of which some files are changed too; and if no record tells what they were."""
    project = copied(finished, tmp_path / "copy")
    if not recorded:
        shutil.rmtree(project.folder / ".snakemake/metatrace")
    for name in (RUN, TABLE, PICTURE):
        (project.folder / name).write_bytes(b"half")
    before = project.results("results/**/*")
    dry = jobs(project.make("-n", *targets))
    assert project.results("results/**/*") == before
    assert dry["run_mountain_car"] == 1 and dry["tables_step_sizes"] >= 1
    assert jobs(project.make(*targets)) == dry
    assert without_changed(project) == without_changed(finished)
    assert "Nothing to be done" in project.make("-n", *targets)


def test_a_changed_result_is_renamed_and_rebuilt(editable):
    whole = editable.results()
    damaged = {RUN: b"half", TABLE: b"", PICTURE: b"a picture"}
    for name, content in damaged.items():
        (editable.folder / name).write_bytes(content)
    said = editable.make("-n", "figures")
    for name in damaged:
        assert f"metatrace: {name}: does not hold what its job wrote; it is to be rebuilt, and the old one w" in said
    assert {name: (editable.folder / name).read_bytes() for name in damaged} == damaged  # a dry run
    said = editable.make(*damaged)
    for name in damaged:
        assert f"metatrace: {name}: does not hold what its job wrote" in said and f"is kept as {name}.changed\n" in said
    assert {name: (editable.folder / f"{name}.changed").read_bytes() for name in damaged} == damaged
    healed = {name: content for name, content in editable.results().items() if "changed" not in name}
    assert healed == whole
    assert "metatrace: " not in editable.make("-n")


@pytest.mark.slow
def test_of_a_kernel_that_was_changed_no_run_is_made_again(editable):
    (kernel,) = (editable.folder / "results/kernels").glob("lazy_kernel*")
    whole = kernel.read_bytes()
    kernel.write_bytes(whole[:-1])
    said = editable.make("-n")
    assert f"{kernel.name}: may have been changed; it would be compiled" in said and "Nothing to be done" in said
    said = editable.make()
    assert f"{kernel.name}: may have been changed; it was compiled" in said and "Nothing to be done" in said
    assert kernel.read_bytes() == whole
    assert editable.pending() == {}


def test_whoever_asks_to_touch_takes_the_files_as_they_are(editable):
    (editable.folder / TABLE).write_bytes(b"mine")
    assert "metatrace: " not in editable.make("--touch")
    assert (editable.folder / TABLE).read_bytes() == b"mine"


def test_a_run_file_that_no_record_tells_of_is_kept_if_it_is_whole(editable):
    shutil.rmtree(editable.folder / ".snakemake/metatrace")
    path = editable.folder / RUN
    path.write_bytes(path.read_bytes())
    assert editable.pending() == {}
    assert path.exists() and not list(editable.folder.rglob("*.changed"))


def test_of_results_without_records_only_runs_of_other_code_are_made_again(editable):
    shutil.rmtree(editable.folder / ".snakemake")
    assert editable.pending() == {}
    with np.load(editable.folder / RUN) as run:
        arrays = dict(run)
    arrays["meta"] = np.array(json.dumps(json.loads(str(arrays["meta"])) | {"code": "0123"}))
    np.savez(editable.folder / RUN, **arrays)
    said = editable.make("-n", RUN)
    assert jobs(said) == {"run_mountain_car": 1} and "of which Snakemake has no record: 1" in said
    editable.make(RUN)
    assert "metatrace: " not in editable.make("-n", RUN)


def test_a_lock_that_a_killed_snakemake_left_stops_nobody(editable):
    (editable.folder / RUN).unlink()
    locks = editable.folder / ".snakemake/locks"
    locks.mkdir(exist_ok=True)
    for kind in ("input", "output"):
        (locks / f"0.{kind}.lock").write_text(f"{RUN}\n")
    editable.make(RUN)
    assert (editable.folder / RUN).exists() and not list(locks.glob("*"))


def test_the_lock_of_a_living_snakemake_stops_another(editable):
    (editable.folder / RUN).unlink()
    locks = editable.folder / ".snakemake/locks"
    locks.mkdir(exist_ok=True)
    (locks / "0.output.lock").write_text(f"{RUN}\n")
    assert recovery.hold_workdir_lock(editable.folder / ".snakemake", keep=False) and not list(locks.glob("*"))
    (locks / "0.output.lock").write_text(f"{RUN}\n")
    with (editable.folder / ".snakemake/alive").open() as alive:
        fcntl.flock(alive, fcntl.LOCK_SH)  # as it does
        refused = editable.snakemake(RUN)
    assert refused.returncode != 0 and "LockException" in refused.stderr
    assert not (editable.folder / RUN).exists()
