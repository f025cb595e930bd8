"""The command as a user calls it: `python -m metatrace …`."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pytest

from metatrace.compiled import object_code
from metatrace.config import loading
from metatrace.domains.registry import domain_of
from metatrace.pipeline import provenance
from metatrace.runs import key
from metatrace.runs.results import load_run

RUN = {
    "--environment": "mountain_car",
    "--method": "scalar",
    "--alpha": "2^-6",
    "--mu": "2^-8",
    "--seed": "0",
    "--episodes": "5",
}


@pytest.fixture(scope="session")
def cache(kernel_cache, all_kernels):
    """Where the command keeps its compiled kernels, with all of them."""
    return kernel_cache


@pytest.fixture
def metatrace(tmp_path, cache):
    """Calls the command in an empty folder."""
    folder = tmp_path / "work"
    folder.mkdir()

    def call(*arguments, **environment):
        environment = {"METATRACE_CACHE": str(cache), **environment}
        return subprocess.run(
            [sys.executable, "-m", "metatrace", *map(str, arguments)],
            cwd=folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )

    call.folder = folder
    return call


def options(table, **changes):
    """A table of options as arguments; None leaves an option out."""
    merged = {**table, **{f"--{key.replace('_', '-')}": value for key, value in changes.items()}}
    return [part for key, value in merged.items() if value is not None for part in (key, value)]


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def assert_refused(done, *words):
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("metatrace: error: ") and done.stderr.endswith("\n")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr


BAD_RUNS = {
    "an unknown method": ({"method": "scalr"}, "--method", "'scalr'", "scalar-unnormalized"),
    "an unknown environment": ({"environment": "cartpole"}, "--environment", "'cartpole'", "mountain_car"),
    "zero alpha": ({"alpha": "0"}, "--alpha", "above 0"),
    "negative alpha": ({"alpha": "-0.1"}, "--alpha"),
    "NaN alpha": ({"alpha": "nan"}, "--alpha", "2^-10, 0.001 or 4e-6"),
    "infinite alpha": ({"alpha": "inf"}, "--alpha"),
    "a second spelling of alpha": ({"alpha": "1e-05"}, "--alpha", "'1e-5'"),
    "a second spelling of mu": ({"mu": "0.25"}, "--mu", "'2^-2'"),
    "alpha missing": ({"alpha": None}, "--alpha"),
    "mu missing": ({"mu": None}, "--mu", "is missing", "method scalar"),
    "zero mu": ({"mu": "0"}, "--mu", "above 0"),
    "mu without tuning": ({"method": "none"}, "--mu", "leave --mu out"),
    "a negative seed": ({"seed": "-1"}, "--seed"),
    "a seed that is no number": ({"seed": "x"}, "--seed", "whole number from 0 up"),
    "half a seed": ({"seed": "0.5"}, "--seed", "whole number from 0 up"),
    "no episodes": ({"episodes": "0"}, "--episodes", "whole number from 1 up"),
    "endless episodes": ({"episodes": "9" * 30}, "--episodes"),
    "an unknown agent": ({"agent": "quick"}, "--agent", "plain"),
    "an unknown option": ({"alfa": "2^-8"}, "--alfa", "--help"),
    "an abbreviated option": ({"epis": "5"}, "--epis"),
    "an unknown reading": ({"reading": "time=x"}, "time", "time_limit"),
    "an unknown answer": ({"reading": "time_limit=both"}, "time_limit", "terminal, bootstrap"),
    "a reading without value": ({"reading": "time_limit"}, "--reading", "KEY=VALUE"),
    "a drift on plain mountain car": ({"drift": "4e-6"}, "--drift", "drifting_mountain_car"),
    "no drift on the drifting one": ({"environment": "drifting_mountain_car"}, "--drift", "is missing"),
    "a drift above 1": ({"environment": "drifting_mountain_car", "drift": "2^1"}, "--drift", "from 0 to 1"),
    "a drift that is none": ({"environment": "drifting_mountain_car", "drift": "x"}, "--drift"),
    "a kernel that is none": (
        {"kernel": __file__},
        __file__,
        "no compiled kernel",
        "metatrace compile --kernel lazy_kernel",
    ),
    "a kernel that is missing": (
        {"kernel": "none.o"},
        "none.o",
        "is missing",
        "metatrace compile --kernel lazy_kernel --output none.o",
    ),
    "a line break in a value": ({"method": "a\nb"}, "--method"),
}


@pytest.mark.parametrize("bad", BAD_RUNS.values(), ids=BAD_RUNS.keys())
def test_bad_input_ends_with_one_line_and_writes_nothing(metatrace, bad):
    changes, *words = bad
    done = metatrace("run", *options(RUN, output="out/x.npz", **changes))
    assert_refused(done, *words)
    assert listing(metatrace.folder) == []


def test_an_output_that_cannot_be_written_is_refused_before_the_work(metatrace):
    (metatrace.folder / "file").write_text("in the way")
    done = metatrace("run", *options(RUN, output="file/x.npz", episodes="100000000"))
    assert_refused(done, "file/x.npz", "cannot be written")
    assert listing(metatrace.folder) == ["file"]
    compiling = metatrace("compile", "--kernel", "lazy_kernel", "--output", "file/k.o")
    assert_refused(compiling, "file/k.o", "cannot be written")


def test_an_output_that_is_a_folder_is_refused(metatrace):
    (metatrace.folder / "x.npz").mkdir()
    done = metatrace("run", *options(RUN, output="x.npz", episodes="100000000"))
    assert_refused(done, "x.npz", "cannot be written")
    assert listing(metatrace.folder) == ["x.npz"]


@pytest.mark.parametrize(
    "content", [b"figures: [1, 2", b"\x00\xff", b"{}", b"scale: x\nfigures: {f: {alpha: [1e-5]}}"], ids=repr
)
def test_a_bad_config_is_refused(metatrace, content):
    (metatrace.folder / "c.yaml").write_bytes(content)
    assert_refused(metatrace("config", "c.yaml"), "c.yaml")
    assert_refused(metatrace("config", "none.yaml"), "none.yaml", "cannot be read")


@pytest.mark.parametrize(
    "arguments",
    [[], ["ran"], ["figure"], ["aggregate"], ["provenance"], ["provenance", "fingerprint", "x"]],
    ids=str,
)
def test_an_unknown_verb_is_refused(metatrace, arguments):
    assert_refused(metatrace(*arguments))


def test_a_run_leaves_one_file_that_says_how_it_was_made(metatrace):
    done = metatrace("run", *options(RUN, output="new/folder/x.npz", reading="time_limit=bootstrap"))
    assert done.returncode == 0
    assert listing(metatrace.folder) == ["new", "new/folder", "new/folder/x.npz"]
    run = load_run(metatrace.folder / "new/folder/x.npz")
    score = f"final score {run.returns.mean():.6g} (mean return of the last 5 episodes)"
    assert re.fullmatch(rf"new/folder/x.npz: {re.escape(score)}, in [0-9.]+ s\n", done.stdout)
    assert run.key == key.RunKey("mountain_car", "scalar", "2^-6", "2^-8", "0", 0)
    assert len(run.returns) == 5 and np.array_equal(run.returns, -run.lengths)
    assert run.meta["readings"]["time_limit"] == "bootstrap" and run.meta["agent"] == "compiled"
    assert run.meta["processor"] == object_code.processor()
    assert re.fullmatch("[0-9a-f]{16}", run.meta["code"]) and "numpy" in run.meta["packages"]


def test_the_same_run_gives_the_same_bytes(metatrace):
    for name in ("one.npz", "two.npz"):
        assert metatrace("run", *options(RUN, output=name)).returncode == 0
    assert (metatrace.folder / "one.npz").read_bytes() == (metatrace.folder / "two.npz").read_bytes()


@pytest.mark.parametrize("method, mu", [("none", None), ("none", "0"), ("scalar", "2^-8"), ("nosid", "2^-10")])
def test_the_plain_agent_has_the_returns_of_the_compiled_one(metatrace, method, mu):
    runs = {}
    for agent in ("plain", "compiled"):
        done = metatrace("run", *options(RUN, method=method, mu=mu, agent=agent, output=f"{agent}.npz"))
        assert done.returncode == 0, done.stderr
        runs[agent] = load_run(metatrace.folder / f"{agent}.npz")
    assert np.array_equal(runs["plain"].returns, runs["compiled"].returns)
    assert np.array_equal(runs["plain"].lengths, runs["compiled"].lengths)
    assert runs["plain"].meta["agent"] == "plain" and runs["compiled"].meta["agent"] == "compiled"


def test_a_drifting_run_keeps_the_mean_beta_of_its_groups(metatrace):
    drifting = {"environment": "drifting_mountain_car", "drift": "1e-5", "method": "mixed"}
    runs = {}
    for agent in ("plain", "compiled"):
        done = metatrace("run", *options(RUN, **drifting, agent=agent, episodes="2", output=f"{agent}.npz"))
        assert done.returncode == 0, done.stderr
        runs[agent] = load_run(metatrace.folder / f"{agent}.npz")
    plain, compiled = runs["plain"], runs["compiled"]
    assert plain.key == compiled.key and plain.key.drift == "1e-5"
    assert np.array_equal(plain.returns, compiled.returns)
    assert plain.meta["beta_groups"] == compiled.meta["beta_groups"]
    assert compiled.beta.shape == (2, len(compiled.meta["beta_groups"]))
    np.testing.assert_allclose(compiled.beta, plain.beta, rtol=1e-9)


def test_a_compiled_kernel_can_be_given(metatrace, kernel_files):
    (metatrace.folder / "k").mkdir()
    shutil.copy(kernel_files("lazy_kernel"), metatrace.folder / "k" / "kernel.o")
    nowhere = {"METATRACE_CACHE": str(metatrace.folder / "unused")}
    done = metatrace("run", *options(RUN, kernel="k/kernel.o", output="x.npz"), **nowhere)
    assert done.returncode == 0 and listing(metatrace.folder) == ["k", "k/kernel.o", "x.npz"]


def test_the_kernel_is_kept_where_the_user_says_and_compiled_once(metatrace, kernel_files, tmp_path):
    here = {"METATRACE_CACHE": str(tmp_path / "kept"), "PYTHONHASHSEED": "1"}
    first = metatrace("run", *options(RUN, output="x.npz"), **here)
    assert first.returncode == 0 and "compiling the kernel" in first.stderr
    (kept,) = (tmp_path / "kept").rglob("*.o")
    assert kept.read_bytes() == kernel_files("lazy_kernel").read_bytes()  # compiling again gives the same bytes
    before = kept.stat().st_mtime_ns, kept.stat().st_ino
    second = metatrace("run", *options(RUN, output="y.npz"), **here)
    assert second.returncode == 0 and second.stderr == ""
    assert [kept] == list((tmp_path / "kept").rglob("*.o"))
    assert (kept.stat().st_mtime_ns, kept.stat().st_ino) == before


def test_a_damaged_kernel_in_the_cache_is_named(metatrace, kernel_files, tmp_path):
    whole = kernel_files("lazy_kernel")
    code = provenance.fingerprint(domain_of("mountain_car").kernel_code("lazy_kernel")).digest
    (tmp_path / "kept" / code).mkdir(parents=True)
    here = {"METATRACE_CACHE": str(tmp_path / "kept")}
    kept = tmp_path / "kept" / code / whole.name
    kept.write_bytes(whole.read_bytes()[:5000])
    assert_refused(metatrace("run", *options(RUN, output="y.npz"), **here), str(kept))
    assert listing(metatrace.folder) == []


@pytest.mark.parametrize(
    "environment, method, there, wanted",
    [
        ("mountain_car", "vector", "lazy_kernel", "packed_kernel"),
        ("mountain_car", "scalar", "step_kernel", "lazy_kernel"),
        ("catch", "mixed", "packed_kernel", "step_kernel"),
    ],
)
def test_a_kernel_of_another_method_or_domain_is_refused(metatrace, kernel_files, environment, method, there, wanted):
    """A lazy kernel that ran for vector would give the numbers of none under the name of vector."""
    length = {"episodes": None, "frames": "5"} if environment == "catch" else {}
    changes = {"environment": environment, "method": method, "kernel": kernel_files(there), **length}
    done = metatrace("run", *options(RUN, output="x.npz", **changes))
    assert_refused(done, f"is {there}, and this run needs {wanted}; ", f"metatrace compile --kernel {wanted} --output ")
    assert listing(metatrace.folder) == []


def test_a_kernel_of_other_code_is_refused(metatrace, kernel_files):
    machine_code = object_code.read(kernel_files("lazy_kernel"), "lazy_kernel")
    (metatrace.folder / "k.o").write_bytes(object_code.as_file("lazy_kernel", "0123abcd", machine_code))
    done = metatrace("run", *options(RUN, output="x.npz", kernel="k.o"))
    assert_refused(done, "k.o: is lazy_kernel of other code", "metatrace compile --kernel lazy_kernel --output k.o")
    assert listing(metatrace.folder) == ["k.o"]


@pytest.mark.parametrize("variable", ["METATRACE_CACHE", "XDG_CACHE_HOME"])
def test_a_cache_that_cannot_be_written_is_named_as_such(metatrace, variable):
    (metatrace.folder / "file").write_text("in the way")
    here = {"METATRACE_CACHE": "", variable: str(metatrace.folder / "file" / "cache")}
    done = metatrace("run", *options(RUN, output="x.npz"), **here)
    assert_refused(done, "file/cache", "cache folder", "set METATRACE_CACHE to a folder that you may write to")
    assert listing(metatrace.folder) == ["file"]


def test_agents_go_by_their_old_name_too(metatrace):
    for agent in ("fast", "compiled"):
        assert metatrace("run", *options(RUN, agent=agent, output=f"{agent}.npz")).returncode == 0
    assert (metatrace.folder / "fast.npz").read_bytes() == (metatrace.folder / "compiled.npz").read_bytes()


def test_a_run_of_mountain_car_imports_nothing_heavy(metatrace, cache):
    heavy = ("pandas", "numba", "torch", "pydantic", "gymnasium")
    code = "import sys; from metatrace.cli.main import main; main(sys.argv[1:]); "
    code += f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", *options(RUN, output="x.npz")],
        cwd=metatrace.folder,
        env={**os.environ, "METATRACE_CACHE": str(cache)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stderr == "[]\n"


VERBS = [
    [],
    ["run"],
    ["compile"],
    ["estimate"],
    ["publish"],
    ["config"],
    ["provenance"],
    ["provenance", "fingerprint"],
    ["provenance", "why"],
    ["status"],
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_verb_has_help(metatrace, verb):
    done = metatrace(*verb, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith(f"usage: {' '.join(['metatrace', *verb])} ")


def test_every_verb_stands_in_the_list_above(metatrace):
    text = metatrace("--help").stdout
    verbs = set(re.findall(r"^    ([a-z-]+)", text, re.MULTILINE))
    assert {verb[0] for verb in VERBS if verb} == verbs


GAME = {"environment": "catch", "frames": "60", "seed": "0"}


def test_a_trial_says_how_long_games_take(metatrace):
    done = metatrace("estimate", "--frames", "none=1000000", "--cores", "2", "--output", "times.json")
    assert done.returncode == 0, done.stderr
    milliseconds = json.loads((metatrace.folder / "times.json").read_text())["none"]
    told = f"none: 1,000,000 observed frames at {milliseconds:.3g} ms"
    assert told in done.stdout and re.search(r"about \d+ (minutes|hours) on 2 cores", done.stdout)
    assert_refused(metatrace("estimate", "--frames", "nine=3"), "--frames", "is no METHOD=N")
    assert_refused(metatrace("estimate", "--frames", "none=3", "--device", "tpu"), "--device", "tpu")
    assert_refused(metatrace("estimate", "--frames", "sarsa-sid=3"), "--frames", "sarsa-sid does not run on")


def test_a_config_is_summed_up(metatrace):
    path = Path(__file__).parents[2] / "config" / "paper.yaml"
    asked = loading.read(path)
    done = metatrace("config", path)
    assert done.returncode == 0
    assert f"{len(asked.figures)} figures, {len(asked.all_runs())} runs" in done.stdout
    assert "150 runs of 12500000 observed frames" in done.stdout


def test_a_fingerprint_is_printed_with_what_entered_it(metatrace):
    done = metatrace("provenance", "fingerprint", "run_mountain_car_scalar")
    assert done.returncode == 0
    assert re.fullmatch("[0-9a-f]{16}", done.stdout.splitlines()[0])
    assert "metatrace.compiled.lazy_kernel" in done.stdout


def test_a_run_shows_its_progress_on_a_terminal_and_only_there(metatrace, cache):
    command = [sys.executable, "-m", "metatrace", "run", *options(RUN, output="x.npz")]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    environment = {**os.environ, "METATRACE_CACHE": str(cache)}
    done = subprocess.run(command, cwd=metatrace.folder, env=environment, stdin=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.returncode == 0 and "5/5" in shown and "episode" in shown
    quiet = metatrace("run", *options(RUN, output="x.npz"))
    assert quiet.returncode == 0 and quiet.stderr == ""
