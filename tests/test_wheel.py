"""An installed package, away from its repository, is complete."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUN = ["run", "--environment", "mountain_car", "--method", "none", "--alpha", "2^-6", "--seed", "0", "--episodes", "2"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder into which nothing but the project's wheel is installed."""
    pytest.importorskip("hatchling", reason="not there: pip install -e .[dev]")
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(build, check=True)
    (wheel,) = folder.glob("*.whl")
    target = folder / "site"
    subprocess.run([*pip, "install", "--no-deps", "--no-compile", "--target", str(target), str(wheel)], check=True)
    return target


@pytest.fixture
def metatrace(site, tmp_path):
    """Calls the installed package elsewhere; what it prints."""

    def call(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(site), "METATRACE_CACHE": str(tmp_path / "cache")}
        command = [sys.executable, "-m", "metatrace", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def test_it_is_the_installed_package_that_answers(site, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(site)}
    script = [sys.executable, "-c", "import metatrace; print(metatrace.__file__)"]
    done = subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(site))


def test_its_command_is_there(site, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, str(site / "bin" / "metatrace"), "--help"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("usage: metatrace")


def test_it_holds_every_file_of_the_package(site):
    def files(folder):
        return {path.relative_to(folder) for path in (folder / "metatrace").rglob("*") if path.is_file()}

    assert files(site) == {path for path in files(ROOT) if "__pycache__" not in path.parts}


def test_every_verb_has_help(metatrace):
    for verb in ("run", "compile", "config", "status", "estimate", "provenance", "publish"):
        assert f"metatrace {verb}" in metatrace(verb, "--help")


def test_a_run_is_that_of_the_repository(metatrace, tmp_path):
    metatrace(*RUN, "--output", "installed.npz")
    here = [sys.executable, "-m", "metatrace", *RUN, "--output", "here.npz"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "METATRACE_CACHE": str(tmp_path / "cache")}
    subprocess.run(here, cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "installed.npz").read_bytes() == (tmp_path / "here.npz").read_bytes()


@pytest.mark.xfail((ROOT / "workflow/schemas").exists(), reason="the schema lies outside the package", strict=True)
def test_it_reads_configs(metatrace, tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for name in ("quick", "paper"):
        assert f"scale {name}, " in metatrace("config", f"config/{name}.yaml")
        assert f"results/{name}" in metatrace("status", f"config/{name}.yaml")
