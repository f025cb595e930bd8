"""Every bar of speed, of one commit or of several in one sitting: a table in Markdown.

    python benchmarks/bars.py                                # the last commit: an hour, much of it quick and tests
    python benchmarks/bars.py --rows run game frame          # a few minutes
    python benchmarks/bars.py 527f129 HEAD --output bars.md  # old against new

Commits are unpacked next to each other and measured by what has not changed, the command line, so that one script
measures old code too. A row is measured first, second, first, second: what else the machine does, it does to both.
Times are processor seconds, with those of all processes that were started; the fastest of the rounds counts. What a
commit cannot do is –.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
# The unit of a game's frames: about what mixed Metatrace keeps of the network's weights.
UNIT = """
import time, numpy as np
array, factor, times = np.ones((7, 680_000), np.float32), np.float32(1.0000001), []
for _ in range(60):
    start = time.process_time_ns()
    np.multiply(array, factor, out=array)
    times.append(time.process_time_ns() - start)
print(sorted(times)[30] / 1e9)
"""
MUS = {"none": None, "sid": "2^-16", "nosid": "2^-12", "scalar-unnormalized": "2^-16"}  # others: 2^-8
DENSE = {"adam": "2^-12", "rmsprop": "2^-12", "obgd": "1", "sarsa-none": "2^-8"}
# Mountain car runs for a submission to Slurm
SLURM = """\
scale: slurm
figures:
  figure_1:
    section: mountain_car
    title: "Twenty runs"
    environment: mountain_car
    method: none
    alpha: [2^-5, 2^-7]
    seeds: 10
    episodes: 30
    smoothing: 20
"""
SUBMITTED = re.compile(r"has been submitted with SLURM jobid (\d+)")


# The rules that draw, today and before the pictures of a figure had one.
_DRAWS = re.compile("pictures_|draw_|learning_curves|sensitivity|heat_map|by_drift|mu_and_beta")


class UnmeasuredError(Exception):
    """A commit cannot do what a row measures."""


@dataclass
class Checkout:
    """The files of a commit in a folder of their own."""

    commit: str
    folder: Path
    python: Path
    errors: list[str] = field(default_factory=list)

    @classmethod
    def unpack(cls, commit: str, folder: Path, python: Path) -> "Checkout":
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        return cls(commit, folder, python)

    def call(self, *command: str, slurm: bool = False) -> tuple[float, str]:
        """Calls a program of this Python's environment here: processor seconds, and what it said."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "METATRACE_CACHE": str(self.folder / ".kernels")}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"}
        if slurm:
            environment.pop("SLURM_CONF", None)
        else:
            environment["SLURM_CONF"] = os.devnull
        command = (shutil.which(command[0], path=environment["PATH"]) or command[0], *command[1:])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
            raise UnmeasuredError(f"{' '.join(command[:6])} …: {last}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout + done.stderr

    def run(self, environment: str, method: str, length: str, alpha: str = "2^-8", mu: str | None = None) -> float:
        """Processor seconds of `metatrace run`."""
        options = ["--environment", environment, "--method", method, "--alpha", alpha, "--seed", "0", *length.split()]
        options += ["--mu", mu] if mu else []
        options += ["--drift", "6e-6"] if environment.startswith("drifting") else []
        return self.call("python", "-m", "metatrace", "run", *options, "--output", "run.npz")[0]

    def steps(self) -> int:
        """How many steps the last run took."""
        with np.load(self.folder / "run.npz") as arrays:
            return int(arrays["lengths"].sum())


def imports_of_numpy(there: Checkout) -> float:
    """The processor seconds of `import numpy`, at this moment."""
    return min(there.call("python", "-c", "import numpy")[0] for _ in range(8))


def warm(there: Checkout, *run: Any) -> None:
    """Has the kernel of a run compiled, and Python's own files."""
    for _ in range(2):
        there.run(*run)


def start_of_a_run(there: Checkout) -> float:
    run = "mountain_car", "scalar", "--episodes 1", "2^-8", "2^-8"
    warm(there, *run)
    return min(there.run(*run) for _ in range(8)) / imports_of_numpy(there)


def start_of_a_game(there: Checkout) -> float:
    run = "seaquest", "mixed", "--frames 1 --device cpu", "2^-12", "0.001"
    warm(there, *run)
    return min(there.run(*run) for _ in range(3))


def seconds_of_a_frame(there: Checkout, game: str, method: str, frames: int) -> float:
    mu = None if method == "none" else "0.001"
    runs = [(game, method, f"--frames {n} --device cpu", "2^-12", mu) for n in (frames // 10, frames)]
    warm(there, *runs[0])
    short, long = (min(there.run(*run) for _ in range(2)) for run in runs)
    return (long - short) / (frames - frames // 10)


def atari_frame(method: str) -> Callable[[Checkout], float]:
    def measure(there: Checkout) -> float:
        unit = float(there.call("python", "-c", UNIT)[1])
        return seconds_of_a_frame(there, "seaquest", method, 800) / unit

    return measure


def minatar_frame(method: str) -> Callable[[Checkout], float]:
    return lambda there: 1e3 * seconds_of_a_frame(there, "minatar_breakout", method, 20_000)


def step(method: str, alpha: str, environment: str = "mountain_car") -> Callable[[Checkout], float]:
    """Microseconds of a step."""

    def measure(there: Checkout) -> float:
        episodes = 300 if environment.startswith("drifting") else 600
        mu = MUS.get(method, None if method in DENSE else "2^-8")
        runs = [(environment, method, f"--episodes {n}", alpha, mu) for n in (1, episodes)]
        warm(there, *runs[0])
        short = min(there.run(*runs[0]) for _ in range(3))
        first = there.steps()
        long = min(there.run(*runs[1]) for _ in range(2))
        return 1e6 * (long - short) / (there.steps() - first)

    return measure


def linear_half(there: Checkout) -> float:
    """Minutes on two cores of all runs of config/linear.yaml: one run of each kind, times how many there are."""
    from metatrace.config import loading

    kinds: Counter[tuple[str, str, int]] = Counter()
    for (_, run), length in loading.read(ROOT / "config/linear.yaml").all_runs().items():
        kinds[run.environment, run.method, length] += 1
    seconds = 0.0
    for (environment, method, length), count in kinds.items():
        if not environment.endswith("mountain_car") or method in DENSE or method.startswith("sarsa"):
            continue  # the bar is about the paper's own
        mu = MUS.get(method, "2^-8")
        warm(there, environment, method, "--episodes 1", "2^-10", mu)
        seconds += count * there.run(environment, method, f"--episodes {length}", "2^-10", mu)
    return seconds / 60 / 2


def dry_run(there: Checkout) -> tuple[float, str]:
    return there.call("snakemake", "-n")


def quick_scale(there: Checkout) -> float:
    return there.call("snakemake", "--configfile", "config/quick.yaml", "--cores", "2")[0]


def drawing(there: Checkout) -> float:
    """Seconds by the clock of a job that draws, as Snakemake recorded them for the quick scale, two jobs at a time."""
    times: dict[str, float] = {}
    for path in (there.folder / ".snakemake/metadata").rglob("*"):
        if path.is_file():
            record = json.loads(path.read_text())
            if _DRAWS.match(record.get("rule") or ""):
                times[str(record.get("log"))] = record["endtime"] - record["starttime"]
    if not times:
        raise UnmeasuredError("the quick scale was not made: row quick comes first")
    return sum(times.values()) / len(times)


def tests(there: Checkout) -> float:
    command = ("-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
    return there.call("python", *command)[0]


def slurm(there: Checkout) -> float:
    """Seconds by the clock that a run takes in a submission beyond what it takes alone; as docs/cluster.md advises."""
    start = ROOT / "tests/slurm/start_slurm.sh"
    if os.geteuid() != 0:
        raise UnmeasuredError("only root can start Slurm")
    there.call(str(start), slurm=True)
    try:
        (there.folder / "config/slurm.yaml").write_text(SLURM)
        first, *others = [
            f"results/slurm/runs/mountain_car/none/alpha~{alpha}/mu~0/drift~0/seed~{seed}.npz"
            for alpha in ("2^-5", "2^-7")
            for seed in range(10)
        ]
        make = ["snakemake", "--configfile", "config/slurm.yaml"]
        there.call(*make, "--cores", "1", first)  # the kernel as well, so that no submission compiles it
        if "sbatch --cpus-per-task" in (there.folder / "docs/cluster.md").read_text():
            job = ["--parsable", "--wait", "--mem", "2G", "--time", "20", "--wrap"]
            said = there.call("sbatch", *job, " ".join([*make, "--cores", "1", *others]), slurm=True)[1]
            jobs = re.findall(r"^(\d+)$", said, re.MULTILINE)
        else:
            profile = ["--workflow-profile", "profiles/slurm", "--group-components", "runs=19"]
            jobs = SUBMITTED.findall(there.call(*make, *profile, "--", *others, slurm=True)[1])
        seconds = 0
        for job_id in jobs:
            told = there.call("scontrol", "show", "job", job_id, slurm=True)[1]
            hours, minutes, rest = re.findall(r"RunTime=(\d+):(\d+):(\d+)", told)[0]
            seconds += 3600 * int(hours) + 60 * int(minutes) + int(rest)
    finally:
        there.call(str(start), "stop", slurm=True)
    alone = "mountain_car", "none", "--episodes 30", "2^-5"
    warm(there, *alone)
    return seconds / len(others) - min(there.run(*alone) for _ in range(3))


# Name, what it is, bar, unit, and how it is measured.
ROWS: list[tuple[str, str, str, str, Callable[[Checkout], float]]] = [
    ("run", "a mountain car run of one episode", "2", "imports of numpy", start_of_a_run),
    ("game", "a game's first frame", "1.5", "s", start_of_a_game),
    ("frame", "seaquest, mixed: a frame", "4.2", "multiplications in place", atari_frame("mixed")),
    ("frame", "seaquest, none: a frame", "2.2", "multiplications in place", atari_frame("none")),
    ("minatar", "MinAtar breakout, mixed: a frame", "0.5", "ms", minatar_frame("mixed")),
    ("minatar", "MinAtar breakout, none: a frame", "0.25", "ms", minatar_frame("none")),
    ("step", "scalar: a step", "plain / 100", "µs", step("scalar", "2^-8")),
    ("step", "vector with drift: a step", "5", "µs", step("vector", "2^-10", "drifting_mountain_car")),
    ("step", "mixed with drift: a step", "5", "µs", step("mixed", "2^-10", "drifting_mountain_car")),
    *(("dense", f"{method}: a step", "15", "µs", step(method, alpha)) for method, alpha in DENSE.items()),
    ("dry", "`snakemake -n` of the paper", "20", "s", lambda there: dry_run(there)[0]),
    ("dry", "`snakemake -n` of the paper", "a page", "lines", lambda there: len(dry_run(there)[1].splitlines())),
    ("linear", "all runs of the linear half, on two cores", "50", "minutes", linear_half),
    ("slurm", "a mountain car run through Slurm, beyond its own time", "0.5", "s by the clock", slurm),
    ("quick", "the quick scale", "600", "s", quick_scale),
    ("quick", "a job that draws", "1.5", "s by the clock", drawing),
    ("tests", "the tests", "720", "s", tests),
]
ONCE = ("linear", "slurm", "quick", "tests")  # what takes minutes


def measured(measure: Callable[[Checkout], float], checkouts: list[Checkout], rounds: int) -> list[str]:
    """The smallest of what each commit takes, in turn."""
    found: list[list[float]] = [[] for _ in checkouts]
    for _ in range(rounds):
        for there, numbers in zip(checkouts, found, strict=True):
            try:
                numbers.append(measure(there))
            except UnmeasuredError as error:
                there.errors.append(str(error))
    return [f"{min(numbers):.3g}" if numbers else "–" for numbers in found]


def main() -> None:
    names = list(dict.fromkeys(row[0] for row in ROWS))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commit_help = (
        "a commit (HEAD); COMMIT=FILE takes the Python FILE, of an environment with the packages that it needs"
    )
    parser.add_argument("commits", nargs="*", default=["HEAD"], metavar="COMMIT", help=commit_help)
    parser.add_argument("--rows", nargs="+", choices=names, default=names, help="what to measure; all of it")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write the table as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checkouts = []
        for number, commit in enumerate(options.commits):
            name, _, python = commit.partition("=")
            checkouts.append(Checkout.unpack(name, Path(folder, str(number)), Path(python or sys.executable)))
        heads = ["what", *(there.commit for there in checkouts), "bar", "unit"]
        lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        print("\n".join(lines), flush=True)
        for name, what, bar, unit, measure in ROWS:
            if name in options.rows:
                values = measured(measure, checkouts, 1 if name in ONCE else 2)
                lines.append(f"| {what} | {' | '.join(values)} | {bar} | {unit} |")
                print(lines[-1], flush=True)
        for there in checkouts:
            for error in dict.fromkeys(there.errors):
                print(f"{there.commit}: {error}", file=sys.stderr)
    if options.output is not None:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
