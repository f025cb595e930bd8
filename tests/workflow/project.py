"""A copy of the project in a folder of its own, and the real Snakemake in it."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import snakemake_process

from metatrace.config import loading
from metatrace.methods import METHODS
from metatrace.pipeline import outputs
from metatrace.pipeline.plan import Plan

ROOT = Path(__file__).parents[2]
PAPER = loading.read(ROOT / "config" / "paper.yaml")
PARTS = ("metatrace", "workflow", "profiles", "config", "reports", "Snakefile", "environment.yml")

# Two figures that share nothing, one setting that diverges, one α too small to learn.
CONFIG = """\
scale: tiny
figures:
  figure_1:
    section: mountain_car
    title: "Figure 1: untuned"
    environment: mountain_car
    method: none
    alpha: [2^-5, 2^-13]
    seeds: 2
    episodes: 30
    smoothing: 20
  figure_3:
    section: mountain_car
    title: "Figure 3: unnormalized"
    environment: mountain_car
    method: scalar-unnormalized
    alpha: [2^-5, 2^-13]
    mu: [2^2, 2^-14]
    seeds: 2
    episodes: 30
    smoothing: 20
    reference: figure_1
    assumptions: this test
"""


@dataclass(frozen=True)
class Project:
    """A copy of the project."""

    folder: Path

    @classmethod
    def copy_to(cls, folder: Path, kernels: Iterable[Path] = ()) -> "Project":
        """A copy in a new folder of which nothing is made but `kernels`, which take a minute to compile."""
        folder.mkdir(parents=True)
        for kernel in kernels:
            (folder / "results/kernels").mkdir(parents=True, exist_ok=True)
            shutil.copy2(kernel, folder / "results/kernels")
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part)
            else:
                shutil.copy2(source, folder / part)
        (folder / "config" / "tiny.yaml").write_text(CONFIG)
        return cls(folder)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs a command here, on this copy's code."""
        call = self._call(command)
        # Another mode of Python needs a Python of its own.
        if command[0] == "snakemake" and "PYTHONOPTIMIZE" not in call["env"]:
            return snakemake_process.run(command[1:], call["cwd"], call["env"])
        return subprocess.run(**call, capture_output=True, check=False)

    def start(self, *command: str, **how: Any) -> subprocess.Popen[str]:
        """The same, without waiting for its end; its errors are among its output. `how`: as of `Popen`."""
        call = {**self._call(command), "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **how}
        return subprocess.Popen(**call)

    def _call(self, command: tuple[str, ...]) -> dict[str, Any]:
        # Without activating its environment, as one may call .venv/bin/snakemake.
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        command = (str(Path(sys.executable).parent / command[0]), *command[1:])
        return {"args": command, "cwd": self.folder, "env": environment, "text": True}

    def snakemake(self, *arguments: str, config: str = "config/tiny.yaml") -> subprocess.CompletedProcess[str]:
        return self.run("snakemake", *arguments, "--configfile", config)

    def make(self, *arguments: str) -> str:
        """Runs Snakemake and expects it to succeed; its output."""
        done = self.snakemake(*arguments)
        output = done.stdout + done.stderr
        assert done.returncode == 0, output
        return output

    def record_as_finished(self) -> None:
        """Has Snakemake take the scale as finished, with placeholders for all files that the workflow makes."""
        asked = loading.read(self.folder / "config/tiny.yaml")
        figures, folder = asked.figures.values(), "results/tiny"
        names = [run.path(f"{folder}/runs") for run in asked.runs()]
        for files in (outputs.table_files, outputs.drawn_files, outputs.csv_files, outputs.thinned_files):
            names += files(folder, figures)
        for name in [*names, *Plan(asked, asked).kernels().values(), *outputs.page_files(folder)]:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text("a placeholder")
        times = dict.fromkeys(METHODS, 1.0)
        for domain in Plan(asked, asked).long_domains():
            (self.folder / outputs.times_file(folder, domain)).write_text(json.dumps(times))
        self.make("--touch", "--forceall")

    def pending(self) -> dict[str, int]:
        """How many jobs of each rule a dry run says would run; empty when there is nothing to do."""
        output = self.make("-n")
        if "Nothing to be done" in output:
            return {}
        table = output.split("Job stats:")[-1].split("total")[0]
        jobs = {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}
        jobs.pop("all", None)
        assert jobs, output
        return jobs

    def edit(self, file: str, old: str, new: str) -> None:
        """Replaces one place in a file."""
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) == 1, f"{file} holds {old!r} {text.count(old)} times"
        path.write_text(text.replace(old, new))

    def results(self, pattern: str = "results/tiny/**/*") -> dict[str, bytes]:
        """The bytes of all result files, without logs."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.glob(pattern))
            if path.is_file() and "logs" not in path.parts
        }
