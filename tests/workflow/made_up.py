"""A scale whose runs are made up and not learned: tables, pictures and pages of it take seconds."""

import os
from contextlib import chdir
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import yaml
from project import PAPER, ROOT

from metatrace.config import loading
from metatrace.domains.mountain_car.settings import BETA_GROUPS
from metatrace.numbers import parse
from metatrace.pipeline import making, outputs
from metatrace.pipeline.plan import Plan
from metatrace.runs import results

JUDGED_BY = {"claims": "config/claims.yaml", "paper": "config/paper.yaml"}


def plan_of(config: str) -> Plan:
    """The plan of a config."""
    asked = loading.check(yaml.safe_load(config), "config")
    return Plan(asked, PAPER)


def write_runs(plan: Plan, folder: Path) -> None:
    """Writes a made-up file for every run that a config may ask for."""
    (folder / "config").mkdir(parents=True)
    os.symlink(ROOT / "config/reference_scores.csv", folder / "config/reference_scores.csv")
    os.symlink(ROOT / "reports", folder / "reports")
    generator = np.random.default_rng(1)
    for run, length in plan.lengths.items():
        made = made_up_run(run.key, length, generator)
        made.meta["code"] = plan.run_job(run)["code"]
        results.save_run(folder / run.path(plan.results), made)


def make_all_tables(plan: Plan, folder: Path) -> None:
    """Makes the tables of every figure, those that compare others last."""
    with chdir(folder):
        for figure in sorted(plan.figures, key=lambda figure: bool(figure.members)):
            making.make_tables(plan.tables_job(figure))


def judge(plan: Plan, folder: Path) -> None:
    """Judges the claims by the tables of every figure."""
    files = {name: ROOT / path for name, path in JUDGED_BY.items()}
    json, csv = outputs.claim_files(plan.results)
    with chdir(folder):
        making.judge_claims(plan.claims_job(), SimpleNamespace(**files), SimpleNamespace(json=json, csv=csv))


def made_up_run(run, length, generator):
    """A run that learns, soonest at α = 2^-7; of a game, one that ends an episode every ten frames; or with losses."""
    pace = 2.0 ** (-4 - abs(np.log2(parse(run.alpha, "alpha")) + 7) / 3)
    if run.environment == "tracking":
        losses = generator.normal(2, 0.1, length // 100) + np.exp(-np.arange(length // 100))
        beta = generator.normal(-5, 0.1, (length // 100, 1))
        if run.mu == "0.01":  # diverges half-way
            beta[len(beta) // 2 :] = np.nan
        meta = {"examples": length, "block": 100, "beta_groups": ["all"], "step_size_groups": {"all": [0, 1]}}
        empty = np.empty(0)
        meta["readings"] = {}
        return results.LossRun(run, empty, empty, meta, beta=beta, losses=losses, step_sizes=np.exp(beta[-1]))
    if "mountain_car" not in run.environment:
        ends = np.arange(10, length + 1, 10)
        returns = np.round(generator.normal(20 * (1 - np.exp(-pace * np.arange(len(ends)))), 3))
        meta = {"observed_frames": length}
        return results.Run(run, returns, np.full(len(ends), 10), meta, frames=ends)
    mean = -200 + 100 * (1 - np.exp(-pace * np.arange(length)))
    returns = np.round(np.clip(generator.normal(mean, 8), -200, -90))
    made = results.Run(run, returns, -returns.astype(int), {})
    if run.environment == "drifting_mountain_car":
        made.meta["beta_groups"] = list(BETA_GROUPS)
        made.beta = generator.normal(-5, 0.1, (length, len(BETA_GROUPS))).cumsum(axis=0) / 100
    return made
