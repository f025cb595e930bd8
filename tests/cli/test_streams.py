"""Standard streams that are closed, full or left by their reader."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metatrace.runs.results import load_run

ROOT = Path(__file__).parents[2]
RUN = "run --environment mountain_car --method none --alpha 2^-6 --seed 0 --episodes 3 --output run.npz --agent plain"
CONFIG = f"config {ROOT}/config/quick.yaml"
FULL = pytest.param("/dev/full", marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here"))


def shell(folder, command):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = f"{sys.executable} -m metatrace {command}"
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("where", ["&-", FULL])
@pytest.mark.parametrize("stream", ["1", "2", "0"])
def test_a_run_is_written_whatever_becomes_of_its_messages(tmp_path, stream, where):
    if stream == "0" and where != "&-":
        pytest.skip("standard input is read by nobody")
    done = shell(tmp_path, f"{RUN} {stream}{'<' if stream == '0' else '>'}{where}")
    assert len(load_run(tmp_path / "run.npz").returns) == 3
    assert done.returncode == (0 if stream != "1" else done.returncode)
    assert "Traceback" not in done.stderr and done.stderr.count("\n") <= 1


def test_a_wrong_option_is_refused_though_standard_error_is_closed(tmp_path):
    done = shell(tmp_path, f"{RUN} --colour red 2>&-")
    assert done.returncode == 2 and done.stdout == ""


@pytest.mark.parametrize("where", ["&-", FULL])
@pytest.mark.parametrize("command", [CONFIG, f"status {ROOT}/config/quick.yaml", "--help"])
def test_an_answer_that_cannot_be_written_is_an_error_of_one_line(tmp_path, command, where):
    done = shell(tmp_path, f"{command} >{where}")
    assert done.returncode == 2
    assert done.stderr.startswith("metatrace: error: standard output cannot be written (")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_leaves_is_no_error(tmp_path):
    done = shell(tmp_path, f"{CONFIG} | true; exit ${{PIPESTATUS[0]}}")
    assert done.stderr == "" and done.returncode in (0, 1)
