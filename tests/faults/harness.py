"""Harm at random moments to the real workflow, and what a plain `snakemake` makes of it afterwards.

By hand: `python tests/faults/harness.py --kills 50 --seed 0`, as root to have full disks among the harms.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "workflow"))

from project import Project

# Four kinds of figure; the games take some seconds, and have checkpoints.
CONFIG = """\
scale: tiny
device: cpu
statistics: {final_episodes: 10}
figures:
  figure_1:
    section: mountain_car
    title: "Figure 1: untuned"
    environment: mountain_car
    method: none
    alpha: [2^-5, 2^-13]
    seeds: 2
    episodes: 300
    smoothing: 20
  figure_3:
    section: mountain_car
    title: "Figure 3: unnormalized"
    environment: mountain_car
    method: scalar-unnormalized
    alpha: [2^-5, 2^-13]
    mu: [2^2, 2^-14]
    seeds: 2
    episodes: 300
    smoothing: 20
    reference: figure_1
  figure_7:
    section: drifting_mountain_car
    title: "Figure 7: all"
    kind: mu_and_beta
    environment: drifting_mountain_car
    method: [scalar, mixed]
    alpha: [2^-6]
    mu: [2^-7, 2^-9]
    beta_mu: 2^-9
    drift: ["1e-5"]
    seeds: 2
    episodes: 300
    smoothing: 20
  figure_8:
    section: atari
    title: "Figure 8: the sweep"
    kind: games
    environment: catch
    method: [none, mixed]
    alpha: [2^-6]
    mu: ["0.001"]
    seeds: 1
    frames: 1000
    smoothing: 10
"""
# Two figures, and two kernels to compile.
SMALL_CONFIG = """\
scale: tiny
device: cpu
statistics: {final_episodes: 10}
figures:
  figure_7:
    section: drifting_mountain_car
    title: "Figure 7: all"
    kind: mu_and_beta
    environment: drifting_mountain_car
    method: [scalar]
    alpha: [2^-6]
    mu: [2^-7, 2^-9]
    beta_mu: 2^-9
    drift: ["1e-5"]
    seeds: 2
    episodes: 100
    smoothing: 20
  figure_8:
    section: atari
    title: "Figure 8: the sweep"
    kind: games
    environment: catch
    method: [none]
    alpha: [2^-6]
    seeds: 2
    frames: 800
    smoothing: 10
"""
# Measured times, and a report with the hours of its runs in it: the only results that differ from run to run.
OF_THE_DAY = ("frame_times_atari.json", "report.html")
DISK = 96 << 20
# How long anything here may take: far more than it does.
PATIENCE = 3600


@dataclass
class Scene:
    """A project to which harm is done, what it should hold in the end, and what was seen on the way."""

    project: Project
    expected: dict[str, bytes]
    rng: random.Random
    cores: int = 2
    snakemake: subprocess.Popen[str] | None = None
    started: list[int] = field(default_factory=list)
    n_starts: int = 0
    harmed: set[str] = field(default_factory=set)  # results that were overwritten since all was well
    records: dict[str, int] = field(default_factory=dict)  # of complete runs: when Snakemake wrote them

    @property
    def log(self) -> Path:
        return self.project.folder.parent / f"{self.project.folder.name}.log"

    def start(self) -> None:
        """`snakemake`, as one types it, in a session of its own."""
        with self.log.open("a") as log:
            log.write(f"=== start {self.n_starts}\n")
            log.flush()
            self.snakemake = self.project.start(
                "snakemake",
                "--configfile",
                "config/tiny.yaml",
                "--cores",
                str(self.cores),
                stdout=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.n_starts += 1
        self.started.append(self.snakemake.pid)

    def wait(self) -> int:
        """The exit code of the Snakemake that runs."""
        assert self.snakemake is not None
        return self.snakemake.wait(PATIENCE)

    def is_running(self) -> bool:
        return self.snakemake is not None and self.snakemake.poll() is None

    def jobs(self, *sessions: int) -> list[int]:
        """The processes that now work for the workflow, and are no Snakemake."""
        return [
            pid
            for pid, command, session in processes()
            if session in (sessions or self.started)
            and ("-m metatrace" in command or ".snakemake/scripts/" in command)
            and "bash" not in command
        ]

    def wait_for_orphans(self) -> None:
        """Until nothing that was started here is alive."""
        until = time.monotonic() + PATIENCE
        while any(session in self.started for _, _, session in processes()):
            assert time.monotonic() < until, "orphans live for ever"
            time.sleep(0.1)
        self.started.clear()  # their numbers are free for others

    def end(self) -> None:
        """Nothing of what was started here is left."""
        for pid, _, session in processes():
            if session in self.started:
                kill(pid)
        if self.snakemake is not None:
            self.snakemake.wait(PATIENCE)

    def complete(self) -> list[str]:
        """The results whose jobs have ended, by Snakemake's own records."""
        records = self.project.folder / ".snakemake"
        return [
            name
            for name in self.expected
            if (self.project.folder / name).exists()
            and (records / "metadata" / record_of(name)).exists()
            and not (records / "incomplete" / record_of(name)).exists()
        ]


def record_of(name: str) -> str:
    """Where Snakemake keeps what it knows of a file, below `.snakemake/metadata`."""
    encoded = urlsafe_b64encode(name.encode()).decode()
    parts = [encoded[start : start + 254] for start in range(0, len(encoded), 254)]
    return "/".join([*(f"@{part}" for part in parts[:-1]), parts[-1]])


def results_of(project: Project) -> dict[str, bytes]:
    """The bytes of all results that are the same in every run; what is set aside or half-written is none."""
    return {
        name: content
        for name, content in project.results("results/**/*").items()
        if not name.endswith((*OF_THE_DAY, ".changed", ".damaged", ".tmp", "filler"))
        and not Path(name).name.startswith(".")
        and "/checkpoints/" not in name
    }


def processes() -> Iterator[tuple[int, str, int]]:
    """Every living process: its id, its command, its session."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                # After the name, which is in brackets and may hold anything.
                state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if state != "Z":
                yield int(entry.name), command, int(session)


def kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


# --- The harms. Each says in a word what it did; None if there was nothing to harm.


def kill_snakemake(scene: Scene) -> str | None:
    """Its jobs become orphans, which go on and write while the next Snakemake already works."""
    assert scene.snakemake is not None
    if not scene.is_running():
        return None
    orphans = scene.jobs(scene.snakemake.pid)
    scene.snakemake.kill()
    scene.wait()
    return f"{len(orphans)} orphans"


def kill_job(scene: Scene) -> str | None:
    assert scene.snakemake is not None
    while scene.is_running():
        jobs = scene.jobs(scene.snakemake.pid)
        if jobs and kill(scene.rng.choice(jobs)):
            scene.wait()
            return "a job"
        time.sleep(0.02)
    return None


def kill_all(scene: Scene) -> str | None:
    assert scene.snakemake is not None
    if not scene.is_running():
        return None
    os.killpg(scene.snakemake.pid, signal.SIGKILL)
    scene.wait()
    return "the group"


def fill_disk(scene: Scene) -> str | None:
    """The disk gets full, Snakemake ends, and there is room again."""
    if not scene.is_running():
        return None
    filler = scene.project.folder / "results" / "filler"
    filler.parent.mkdir(exist_ok=True)
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while file.write(b"\0" * size):
                    pass
            except OSError:
                continue
    code = scene.wait()
    scene.wait_for_orphans()
    filler.unlink()
    return f"exit code {code}"


def forbid_writing(scene: Scene) -> str | None:
    """Nobody may write results any more, Snakemake ends, and one may again."""
    if not scene.is_running():
        return None
    folder = scene.project.folder / "results"
    folder.mkdir(exist_ok=True)
    with no_permission(folder):
        code = scene.wait()
        scene.wait_for_orphans()
    return f"exit code {code}"


@contextmanager
def no_permission(folder: Path) -> Iterator[None]:
    """Root may write whatever the permissions: for root the folder is mounted read-only over itself."""
    if os.geteuid() == 0:
        mounted(["mount", "--bind", str(folder), str(folder)])
        try:
            mounted(["mount", "-o", "remount,bind,ro", str(folder)])
            yield
        finally:
            mounted(["umount", "--lazy", str(folder)])
        return
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o500)
    try:
        yield
    finally:
        for path in folders:
            path.chmod(0o755)


def mounted(command: list[str]) -> None:
    for attempt in range(20):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        time.sleep(0.05 * attempt)  # a job opened a file between the two commands
    raise RuntimeError(done.stderr)


def damage(how: Callable[[bytes, str, Scene], bytes]) -> Callable[[Scene], str | None]:
    """A harm to a random complete result, while the workflow runs or after it."""

    def harm(scene: Scene) -> str | None:
        there = scene.complete()
        if not there:
            return None
        name = scene.rng.choice(there)
        path = scene.project.folder / name
        content = how(path.read_bytes(), name, scene)
        if content == scene.expected[name]:
            return None
        scene.harmed.add(name)
        path.write_bytes(content)
        code = scene.wait()
        return f"{name.removeprefix('results/')}, exit code {code}"

    return harm


def cut(content: bytes, name: str, scene: Scene) -> bytes:
    return content[: scene.rng.randrange(len(content))]


def garble(content: bytes, name: str, scene: Scene) -> bytes:
    start = scene.rng.randrange(len(content))
    junk = scene.rng.randbytes(scene.rng.randint(1, 200))
    return content[:start] + junk + content[start + len(junk) :]


def empty(content: bytes, name: str, scene: Scene) -> bytes:
    return b""


def swap(content: bytes, name: str, scene: Scene) -> bytes:
    """The contents of another result of the same kind."""
    kind = Path(name).suffix
    others = [other for other in scene.expected if Path(other).suffix == kind and other != name]
    return scene.expected[scene.rng.choice(others)] if others else content


@dataclass(frozen=True)
class Harm:
    """A kind of harm; one that needs a disk of its own cannot be done everywhere."""

    name: str
    do: Callable[[Scene], str | None]
    needs_disk: bool = False


HARMS = (
    Harm("kill Snakemake", kill_snakemake),
    Harm("kill a job", kill_job),
    Harm("kill all", kill_all),
    Harm("full disk", fill_disk, needs_disk=True),
    Harm("no permission", forbid_writing, needs_disk=True),
    Harm("cut", damage(cut)),
    Harm("garble", damage(garble)),
    Harm("empty", damage(empty)),
    Harm("swap", damage(swap)),
)
KILLS, DAMAGES = HARMS[:3], HARMS[5:]


@contextmanager
def a_folder(parent: Path) -> Iterator[tuple[Path, str]]:
    """A new folder for a project, on a small disk of its own, or else why not."""
    folder = parent / "disk"
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    why_not = ""
    if os.geteuid() != 0:
        why_not = "only root may mount a small disk"
    elif (done := subprocess.run(command, capture_output=True, text=True, check=False)).returncode != 0:
        why_not = f"no small disk can be mounted here: {done.stderr.strip()}"
    try:
        yield folder, why_not
    finally:
        if not why_not:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def undisturbed(folder: Path, config: str = CONFIG, kernels: Iterable[Path] = ()) -> Project:
    """A project whose scale is finished."""
    project = Project.copy_to(folder, kernels)
    (project.folder / "config/tiny.yaml").write_text(config)
    # Below the five minutes of a real run.
    project.edit(
        "metatrace/pipeline/plan.py", '["--checkpoint", path]', '["--checkpoint-every", "1", "--checkpoint", path]'
    )
    project.make()
    return project


def fresh_copy(project: Project, folder: Path) -> Project:
    """A project of which nothing but the kernels is made, which takes a minute."""
    shutil.copytree(project.folder, folder, ignore=shutil.ignore_patterns("results", ".snakemake"))
    shutil.copytree(project.folder / "results/kernels", folder / "results/kernels")
    return Project(folder)


def wipe(scene: Scene, *parts: str) -> None:
    """As it was in the beginning, or without some folders of results."""
    scene.wait_for_orphans()
    folders = [f"results/tiny/{part}" for part in parts] or ["results/tiny", ".snakemake"]
    for folder in folders:
        shutil.rmtree(scene.project.folder / folder)
    scene.records.clear()


def check_on_the_way(scene: Scene) -> None:
    """Whatever has its final name is whole, and what was complete has not been made again."""
    if not any(name.startswith("results/tiny/tables") for name in scene.harmed):
        # Else a picture may be of a garbled table, for a while.
        for name, content in results_of(scene.project).items():
            assert name in scene.expected, f"{name} is no result"
            if name not in scene.harmed:
                assert content == scene.expected[name], f"{name} is not what it should be"
    for name, when in scene.records.items():
        assert name in scene.harmed or written(scene, name) == when, f"{name} was complete, and made again"
    scene.records = {name: written(scene, name) for name in scene.complete() if name.startswith("results/tiny/runs")}


def written(scene: Scene, name: str) -> int:
    """When Snakemake recorded that a result is complete."""
    return (scene.project.folder / ".snakemake/metadata" / record_of(name)).stat().st_mtime_ns


def harm_once(scene: Scene, harm: Harm, n_results: int | None = None) -> str | None:
    """Does harm to a running `snakemake`, and starts it again; what was done.

    Args:
      n_results: after so many more results; by default at random: while it starts, or after a few. In results
        and not in seconds, so that it is somewhere in the work on a slow machine too.
    """
    if not scene.is_running():
        scene.start()
    n_before = len(scene.complete())
    if n_results is None:
        n_results = scene.rng.choice([0, 0, 1, 2, 3])  # a job for tables makes a dozen
    while scene.is_running() and len(scene.complete()) < n_before + n_results:
        time.sleep(0.05)
    # Between two results, or before the first.
    until = time.monotonic() + scene.rng.uniform(0, 2 if n_results else 6)
    while scene.is_running() and time.monotonic() < until:
        time.sleep(0.02)
    check_on_the_way(scene)
    done = harm.do(scene)
    check_on_the_way(scene)
    scene.start()
    return done


def finish(scene: Scene) -> int:
    """Lets the Snakemake that runs come to its end: all is as if nothing had happened. How many bytes are."""
    code = scene.wait()
    assert code == 0, f"snakemake ends with {code}; see {scene.log}"
    scene.wait_for_orphans()
    found = results_of(scene.project)
    assert found.keys() == scene.expected.keys(), sorted(found.keys() ^ scene.expected.keys())
    for name, content in found.items():
        assert content == scene.expected[name], f"{name} differs from the undisturbed one"
    check_on_the_way(scene)
    scene.harmed.clear()
    assert (scene.project.folder / "results/tiny/report.html").read_text().rstrip().endswith("</html>")
    return sum(map(len, found.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="how many times harm is done")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--small", action="store_true", help="the scale of the tests: fewer runs and figures")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        began = time.monotonic()
        whole = undisturbed(Path(name) / "whole", SMALL_CONFIG if options.small else CONFIG)
        print(f"undisturbed: {time.monotonic() - began:.0f} s, {len(results_of(whole))} results", flush=True)
        with a_folder(Path(name)) as (disk, why_not):
            if why_not:
                print(f"left out: full disks; {why_not}")
            scene = Scene(fresh_copy(whole, disk / "project"), results_of(whole), rng, options.cores)
            harms = [harm for harm in HARMS if not (why_not and harm.needs_disk)]
            tally = Tally()
            try:
                harm_often(scene, options.kills, harms, tally)
            except BaseException:
                print(scene.log.read_text()[-5000:], file=sys.stderr)
                raise
            finally:
                scene.end()
                print(tally.table(scene, harms), flush=True)


@dataclass
class Tally:
    """How often which harm was done, and how much was compared: no difference, or the harness ends."""

    counts: Counter[str] = field(default_factory=Counter)
    n_comparisons: int = 0
    n_bytes: int = 0
    began: float = field(default_factory=time.monotonic)

    def table(self, scene: Scene, harms: list[Harm]) -> str:
        lines = [f"{'harm':16} times", *(f"{harm.name:16} {self.counts[harm.name]:5}" for harm in harms)]
        seconds = time.monotonic() - self.began
        lines.append(
            f"{self.counts.total()} harms, {scene.n_starts} starts of snakemake; {len(scene.expected)} files "
            f"compared {self.n_comparisons} times, {self.n_bytes:,} bytes; {seconds:.0f} s"
        )
        return "\n".join(lines)


def harm_often(scene: Scene, number: int, harms: list[Harm], tally: Tally) -> None:
    """Harm after harm, now and then from the beginning again; one line per harm."""
    while (n := tally.counts.total()) < number:
        harm, following = harms[n % len(harms)], harms[(n + 1) % len(harms)]
        # Damage is as often done when all is there.
        n_results = len(scene.expected) if harm in DAMAGES and scene.rng.random() < 0.5 else None
        done = harm_once(scene, harm, n_results)
        if done is not None:
            tally.counts[harm.name] += 1
            seconds = time.monotonic() - tally.began
            print(f"{n + 1:3} of {number}, {seconds:5.0f} s: {harm.name}: {done}", flush=True)
        if done is None or n + 1 == number or (harm not in KILLS and scene.rng.random() < 0.5):
            tally.n_bytes += finish(scene)
            tally.n_comparisons += 1
            print(f"    all is there and the same, after {scene.n_starts} starts", flush=True)
            if following not in DAMAGES or done is None or scene.rng.random() < 0.5:
                wipe(scene, *scene.rng.choice([(), ("tables", "figures"), ("tables", "runs/catch")]))


if __name__ == "__main__":
    main()
