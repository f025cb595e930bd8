"""The workflow through a real Slurm of one node: equal bytes, few submissions, and a killed run goes on."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from project import Project

from metatrace.runs.results import load_run

pytestmark = pytest.mark.slurm

START = Path(__file__).with_name("start_slurm.sh")
# As one types it, but it looks after its jobs more often.
PROFILE = ("--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
SUBMITTED = re.compile(r"has been submitted with SLURM jobid (\d+)")
TABLE = "results/tiny/tables/figure_3_scores.csv"
GAME = "results/tiny/runs/catch/none/alpha~2^-6/mu~0/drift~0/seed~0.npz"
CATCH = """\
scale: tiny
device: cpu
figures:
  figure_8:
    section: atari
    title: "Figure 8: the sweep"
    kind: games
    environment: catch
    method: [none]
    alpha: [2^-6]
    seeds: 1
    frames: 4000
    smoothing: 10
"""


def slurm_script(*arguments):
    return subprocess.run([START, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module", autouse=True)
def slurm():
    """A running Slurm; no test here means anything without it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SLURM_CONF", raising=False)  # of the other tests, which want no Slurm
        started = slurm_script()
        if started.returncode != 0:
            pytest.fail(started.stderr)
        yield
        slurm_script("stop")


@pytest.fixture(scope="module")
def submitted(tmp_path_factory):
    """A project whose table was made through Slurm, the kernel as well, and what Snakemake said."""
    project = Project.copy_to(tmp_path_factory.mktemp("slurm") / "project")
    # Eight runs in two submissions.
    return project, project.make(TABLE, *PROFILE, "--group-components", "runs=4")


def test_runs_share_submissions_of_one_core(submitted):
    project, output = submitted
    assert len(project.results("results/tiny/runs/**/*")) == 8
    jobs = SUBMITTED.findall(output)
    # The kernel, two groups of runs, the tables.
    assert len(jobs) == 4, output
    for job in jobs:
        told = subprocess.run(["scontrol", "show", "job", job], capture_output=True, text=True, check=True)
        assert "JobState=COMPLETED" in told.stdout
        assert "NumCPUs=1 " in told.stdout
        if "rule_runs" in told.stdout:
            # As much memory as one run needs, and as much time as all of them.
            assert "MinMemoryNode=1000M" in told.stdout and "TimeLimit=00:08:00" in told.stdout


def test_a_local_snakemake_in_one_job_makes_the_same_bytes(submitted, tmp_path):
    """As docs/cluster.md advises for mountain car: no submission per run."""
    project, _ = submitted
    whole = Project.copy_to(tmp_path / "project")
    shutil.copytree(project.folder / "results" / "kernels", whole.folder / "results" / "kernels")
    snakemake = f"snakemake {TABLE} --configfile config/tiny.yaml --cores $SLURM_CPUS_PER_TASK"
    activated = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(whole.folder),
    }
    asked = ["--cpus-per-task", "2", "--mem", "2G", "--time", "10", "--wait", "--wrap", snakemake]
    done = subprocess.run(
        ["sbatch", *asked], cwd=whole.folder, env=activated, capture_output=True, text=True, check=False
    )
    said = "".join(path.read_text() for path in whole.folder.glob("slurm-*.out"))
    assert done.returncode == 0, done.stderr + said
    assert "Provided cores: 2" in said and not SUBMITTED.search(said)
    for pattern, number in (("results/tiny/runs/**/*", 8), ("results/tiny/tables/**/*", 9)):
        expected = project.results(pattern)
        assert len(expected) == number
        assert whole.results(pattern) == expected


def test_what_slurm_made_is_up_to_date_without_it(submitted):
    project, _ = submitted
    assert "Nothing to be done" in project.make("-n", TABLE)


def test_a_killed_game_is_submitted_again_and_goes_on_from_its_checkpoint(tmp_path):
    local = Project.copy_to(tmp_path / "local")
    (local.folder / "config" / "tiny.yaml").write_text(CATCH)
    # Below the five minutes of a real run.
    local.edit(
        "metatrace/pipeline/plan.py", '["--checkpoint", path]', '["--checkpoint-every", "1", "--checkpoint", path]'
    )
    shutil.copytree(local.folder, tmp_path / "project")
    project = Project(tmp_path / "project")
    local.make(GAME)
    shutil.copytree(local.folder / "results" / "kernels", project.folder / "results" / "kernels")
    times = "results/tiny/frame_times_atari.json"
    (project.folder / times).parent.mkdir()
    shutil.copy(local.folder / times, project.folder / times)

    checkpoint = project.folder / GAME.replace("/runs/", "/checkpoints/")
    killed = kill_once_there_is(checkpoint, project)

    assert killed.returncode == 0, killed.stdout
    assert len(SUBMITTED.findall(killed.stdout)) == 2, killed.stdout
    log = project.folder / GAME.replace("/runs/", "/logs/runs/").replace(".npz", ".log")
    assert "goes on from" in log.read_text()
    assert (project.folder / GAME).read_bytes() == (local.folder / GAME).read_bytes()
    assert load_run(project.folder / GAME).meta["observed_frames"] == 4000


def kill_once_there_is(checkpoint, project):
    """Makes the game through Slurm, and has Slurm kill the one job that runs when the checkpoint is there."""
    with project.start("snakemake", GAME, *PROFILE, "--configfile", "config/tiny.yaml") as snakemake:
        while not checkpoint.exists() and snakemake.poll() is None:
            time.sleep(0.1)
        jobs = subprocess.run(
            ["squeue", "--noheader", "--format=%i", "--states=RUNNING"],
            capture_output=True,
            text=True,
            check=True,
        )
        subprocess.run(["scancel", *jobs.stdout.split()], check=True)
        output, _ = snakemake.communicate()
        return subprocess.CompletedProcess(snakemake.args, snakemake.returncode, output)


def test_the_script_takes_start_and_stop_only():
    refused = slurm_script("restart")
    assert refused.returncode == 2
    assert refused.stderr == "start_slurm.sh: error: it takes start (the default) or stop, not 'restart'\n"
