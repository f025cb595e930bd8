"""An installed package, away from its repository, is complete, and needs no more than its extras say."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
RUN = ["run", "--environment", "mountain_car", "--method", "none", "--alpha", "2^-6", "--seed", "0", "--episodes", "2"]


PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]


def wheel_of(source, folder):
    """The wheel that is built of a folder or an sdist."""
    build = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run(build, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling", reason='not there: pip install -e ".[dev]"')
    return wheel_of(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def site(wheel):
    """A folder into which nothing but the project's wheel is installed."""
    target = wheel.parent / "site"
    subprocess.run([*PIP, "install", "--no-deps", "--no-compile", "--target", str(target), str(wheel)], check=True)
    return target


@pytest.fixture(scope="module")
def fresh(wheel, tmp_path_factory):
    """Makes an environment with the wheel and what some of its extras ask for, and nothing else; its Python.

    The packages are links to those of this environment, so that nothing is downloaded.
    """

    def make(*extras):
        folder = tmp_path_factory.mktemp("fresh")
        venv.create(folder)
        python = folder / "bin" / "python"
        command = [*PIP, "--python", str(python), "install", "--no-deps", "--no-compile", str(wheel)]
        subprocess.run(command, check=True)
        (packages,) = folder.glob("lib/python*/site-packages")
        (installed,) = metadata.distributions(name="metatrace", path=[str(packages)])
        for distribution in needed(installed, *extras):
            tops = {file.parts[0] for file in distribution.files if file.parts[0] not in ("..", "__pycache__")}
            for top in tops:
                (packages / top).symlink_to(distribution.locate_file(top))
        return python

    return make


def needed(distribution, *extras):
    """The installed distributions that one and its extras lead to."""
    found, waiting = {}, [(distribution, extra) for extra in ("", *extras)]
    while waiting:
        one, extra = waiting.pop()
        for requirement in map(Requirement, one.requires or ()):
            name = canonicalize_name(requirement.name)
            asked = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
            if asked and name not in (*found, "metatrace"):
                found[name] = metadata.distribution(name)
                waiting.append((found[name], ""))
    return found.values()


def call(python, *arguments, cwd):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([python, *arguments], cwd=cwd, env=environment, capture_output=True, text=True)


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
        found = {path.relative_to(folder) for path in (folder / "metatrace").rglob("*") if path.is_file()}
        return {path for path in found if "__pycache__" not in path.parts}

    assert files(site) == files(ROOT)


def test_every_verb_has_help(metatrace):
    for verb in ("run", "compile", "config", "status", "estimate", "provenance", "publish"):
        assert f"metatrace {verb}" in metatrace(verb, "--help")


def test_a_run_is_that_of_the_repository(metatrace, kernel_cache, tmp_path):
    metatrace(*RUN, "--output", "installed.npz")
    here = [sys.executable, "-m", "metatrace", *RUN, "--output", "here.npz"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "METATRACE_CACHE": str(kernel_cache)}
    subprocess.run(here, cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "installed.npz").read_bytes() == (tmp_path / "here.npz").read_bytes()


@pytest.mark.xfail((ROOT / "workflow/schemas").exists(), reason="the schema lies outside the package", strict=True)
def test_it_reads_configs(metatrace, tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for name in ("quick", "paper"):
        assert f"scale {name}, " in metatrace("config", f"config/{name}.yaml")
        assert f"results/{name}" in metatrace("status", f"config/{name}.yaml")


def test_with_numpy_alone_the_tuners_work_and_all_else_says_what_to_install(fresh, tmp_path):
    python = fresh()
    code = """if True:
        import numpy as np
        from metatrace.tuning import METHODS, make_tuner
        z = np.ones(3)
        for method in METHODS:
            tuner = make_tuner(method, 3, alpha=0.1, mu=0.1)
            assert np.isfinite(tuner.step(grad_U=z, grad_delta=z, delta=1.0, z=z, grad_H=z)).all()
        import metatrace.torch
    """
    done = call(python, "-c", code, cwd=tmp_path)
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'torch'\n")
    done = call(python, "-m", "metatrace", *RUN, "--output", "x.npz", cwd=tmp_path)
    assert re.fullmatch(
        r'metatrace: error: the module \w+ is not installed; pip install "metatrace\[workflow\]"\n', done.stderr
    )
    assert done.returncode == 2


@pytest.mark.slow
def test_with_the_extras_for_torch_and_gymnasium_both_examples_run(fresh, tmp_path):
    python = fresh("torch", "gymnasium")
    for script, options in (("cartpole", ["--episodes", "20"]), ("cleanrl_style", ["--total-timesteps", "300"])):
        done = call(python, str(ROOT / "docs" / "examples" / f"{script}.py"), *options, cwd=tmp_path)
        assert done.returncode == 0 and "episod" in done.stdout, done.stderr


@pytest.mark.slow
def test_with_the_workflows_extra_the_command_runs(fresh, tmp_path):
    python = fresh("workflow", "torch", "gymnasium")
    on_gymnasium = ["gymnasium:CartPole-v1" if word == "mountain_car" else word for word in RUN]
    for options in (RUN, on_gymnasium):
        done = call(python, "-m", "metatrace", *options, "--output", "x.npz", cwd=tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_source_distribution_makes_the_same_wheel(wheel, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (source,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "docs/examples/cartpole.py", "metatrace/py.typed"} <= names
    assert not any(name.startswith(("tests/", "results/", "reports/")) for name in names)
    assert wheel_of(source, tmp_path / "wheels").read_bytes() == wheel.read_bytes()
