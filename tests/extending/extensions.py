"""A small scale that is recorded as finished, and what the tests here do with copies of it."""

import re
import shutil
from collections import Counter

from project import Project

CONFIG = """\
scale: tiny
statistics: {final_episodes: 10}
figures:
  figure_1:
    section: mountain_car
    title: "Figure 1: untuned"
    environment: mountain_car
    method: none
    alpha: [2^-6, 2^-8]
    seeds: 1
    episodes: 30
    smoothing: 20
  figure_2:
    section: comparisons
    title: "Figure 2: SID"
    environment: mountain_car
    method: sid
    alpha: [2^-6, 2^-8]
    mu: [2^-12]
    seeds: 1
    episodes: 30
    smoothing: 20
  figure_6:
    section: drifting_mountain_car
    title: "Figure 6: the best"
    kind: best_mu
    environment: drifting_mountain_car
    method: [scalar, vector, mixed, mixed-unnormalized]
    alpha: [2^-6]
    mu: [2^-9]
    drift: ["1e-5"]
    seeds: 1
    episodes: 15
    smoothing: 5
  figure_8:
    section: atari
    title: "Figure 8: a game"
    kind: games
    environment: catch
    method: [none, mixed, mixed-unnormalized, sid]
    alpha: [2^-6]
    mu: ["0.001"]
    seeds: 1
    frames: 100
    smoothing: 4
device: cpu
"""
PAGES = {"claims": 1, "article": 1, "explorer": 1, "html_report": 1}


def copy_of(project, folder):
    """A copy, with its results and Snakemake's records, to extend."""
    shutil.copytree(project.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return Project(folder)


def add_figure(project, entry):
    """Adds the entry of a figure to the config."""
    project.edit("config/tiny.yaml", "\ndevice: cpu\n", f"\n{entry}device: cpu\n")


def pending(project):
    """What a dry run lists: how many jobs of each rule but runs, and how many runs of each environment and method."""
    output = project.make("-n", "-p")
    if "Nothing to be done" in output:
        return {}, {}
    table = output.split("Job stats:")[-1].split("total")[0]
    jobs = {name: int(count) for name, count in re.findall(r"^([\w-]+) +(\d+)$", table, re.MULTILINE)}
    runs = Counter(re.findall(r"Run: ([^ ]+), ([\w-]+), α", output))
    assert sum(runs.values()) == sum(count for name, count in jobs.items() if name.startswith("run_")), output
    return {name: count for name, count in jobs.items() if name != "all" and not name.startswith("run_")}, dict(runs)
