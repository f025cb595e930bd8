"""Fingerprints follow meaning: what changes results changes them, and nothing else does."""

import ast
import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import metatrace
from metatrace.cli import main as cli
from metatrace.errors import UserError
from metatrace.pipeline import provenance

PACKAGE = Path(metatrace.__file__).parent
ASK = """
from metatrace import provenance
for job in provenance.ENTRY_POINTS:
    print(job, provenance.of_job(job).digest)
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that may be edited."""
    shutil.copytree(PACKAGE, tmp_path / "metatrace", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def digests(folder):
    """The fingerprint of each job, by a fresh Python that imports the package in `folder`."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    asked = subprocess.run(
        [sys.executable, "-c", ASK], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return dict(line.split() for line in asked.stdout.splitlines())


def edit(folder, module, old, new, count=-1):
    path = folder / "metatrace" / module
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{module} no longer holds {old!r}: the test must change with it"
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def changed(before, after):
    assert before.keys() == after.keys()
    return {job for job in before if before[job] != after[job]}


def test_the_same_code_in_another_place_has_the_same_fingerprint(copy):
    assert digests(copy) == {job: provenance.of_job(job).digest for job in provenance.ENTRY_POINTS}


def test_comments_docstrings_and_layout_leave_it(copy):
    before = digests(copy)
    for path in (copy / "metatrace").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(
            "# a comment\n\n" + text.replace("\n\n\n", "\n\n\n\n# between\n\n") + "\n# the end\n",
            encoding="utf-8",
        )
    edit(copy, "mountain_car/dynamics.py", '"""Whether the episode ends here."""', '"""Is it\n    over?"""')
    edit(
        copy,
        "mountain_car/dynamics.py",
        "return position, velocity",
        "return (\n        position,\n        velocity,\n    )",
    )
    assert digests(copy) == before


def test_touching_and_recompiling_leave_it(copy):
    before = digests(copy)
    for path in (copy / "metatrace").rglob("*.py"):
        os.utime(path, (0, 0))
    assert digests(copy) == before


def test_a_renamed_local_variable_changes_it(copy):
    before = digests(copy)
    edit(copy, "mountain_car/compiled.py", "missing", "lacking")
    assert changed(before, digests(copy)) == {"run_lazy_kernel", "run_packed_kernel"}


def test_the_plain_agent_is_not_in_the_compiled_agents_runs(copy):
    before = digests(copy)
    edit(copy, "mountain_car/plain.py", "odds", "chances")
    assert changed(before, digests(copy)) == {"run_plain"}


def test_the_tuners_are_not_in_the_compiled_agents_runs(copy):
    before = digests(copy)
    edit(copy, "tuning/scalar.py", "effective", "total")
    assert changed(before, digests(copy)) == {"run_plain", "run_game"}


def test_the_games_do_not_touch_mountain_car(copy):
    before = digests(copy)
    edit(copy, "atari/network.py", "1 / 255", "1 / 254")
    assert changed(before, digests(copy)) == {"run_game"}
    edit(copy, "atari/step_kernel.py", "f32(1e-37)", "f32(1e-36)")
    assert changed(before, digests(copy)) == {"compile_step_kernel", "run_game"}
    before = digests(copy)
    edit(copy, "mountain_car/tiles.py", "N_TILINGS = 16", "N_TILINGS = 15")
    assert "run_game" not in changed(before, digests(copy))


def test_each_kernel_is_in_its_own_runs_alone(copy):
    before = digests(copy)
    edit(copy, "mountain_car/packed_kernel.py", "TINY = 1e-300", "TINY = 1e-299")
    assert changed(before, digests(copy)) == {"compile_packed_kernel", "run_packed_kernel"}


def test_a_callee_in_another_module_changes_all_that_call_it(copy):
    before = digests(copy)
    edit(copy, "mountain_car/dynamics.py", "_GRAVITY = 0.0025", "_GRAVITY = 0.0026")
    assert changed(before, digests(copy)) == {
        "compile_lazy_kernel",
        "compile_packed_kernel",
        "run_lazy_kernel",
        "run_packed_kernel",
        "run_plain",
    }


def test_a_drawing_does_not_touch_runs(copy):
    before = digests(copy)
    edit(copy, "figures/learning_curves.py", "def draw(", "def _extra() -> None: ...\n\n\ndef draw(", 1)
    assert changed(before, digests(copy)) == {"learning_curves"}


def test_what_a_verb_does_with_tables_is_in_its_jobs_and_nothing_else_of_the_command_line(copy):
    before = digests(copy)
    edit(copy, "cli.py", 'kind="stable"', 'kind="mergesort"')
    between = digests(copy)
    assert changed(before, between) == {"aggregate_games"}
    edit(copy, "cli.py", "default=300", "default=200")
    assert digests(copy) == between


EXTRA = "def _extra() -> None: ...\n\n\n"
AGGREGATES = {"aggregate", "aggregate_beta", "aggregate_games"}
CHOICES = {"aggregate_scores", "best_mu", "best_alphas", "compare_methods", "paired"}
# What reads tables of games.
OF_GAMES = {"aggregate_scores", "best_alphas"}
THINNED = {"thin", "thin_games"}
PLANES = {"draw_paired", "heat_map"}
CURVES = {"learning_curves", "draw_best_mu", "draw_paired_curves", "mu_and_beta"}
DRAWINGS = {
    "by_drift",
    "draw_best_mu",
    "draw_methods",
    "draw_paired_curves",
    "games",
    "learning_curves",
    "mu_and_beta",
    "sensitivity",
    *PLANES,
}


@pytest.mark.parametrize(
    "module, function, jobs",
    [
        ("figures/best_mu.py", "def draw(", {"draw_best_mu"}),
        ("figures/mu_and_beta.py", "def draw(", {"mu_and_beta"}),
        ("figures/games.py", "def draw(", {"games"}),
        ("analysis/games.py", "def curves(", {"aggregate_games", *OF_GAMES, "thin_games", "claims"}),
        ("analysis/best.py", "def best_mu(", {"best_mu"}),
        ("analysis/paired.py", "def differences(", {"paired"}),
        ("analysis/robust.py", "def interquartile_mean(", {"aggregate_scores"}),
        ("analysis/methods.py", "def gathered(", {"compare_methods"}),
        ("figures/methods.py", "def draw(", {"draw_methods"}),
        ("figures/paired.py", "def draw(", {"draw_paired"}),
        ("figures/heat_map.py", "def draw(", {"heat_map"}),
        ("figures/by_drift.py", "def draw(", {"by_drift"}),
        ("figures/paired_curves.py", "def draw(", {"draw_paired_curves"}),
        ("figures/planes.py", "def grid(", PLANES),
        ("analysis/beta.py", "def curves(", {"aggregate_beta"}),
        ("analysis/aggregate.py", "def curve_table(", {"aggregate", "aggregate_beta"}),
        ("analysis/claim_statistics.py", "def c8(", {"claims"}),
        ("analysis/collect.py", "def load(", {*AGGREGATES, *THINNED}),
        (
            "analysis/groups.py",
            "def by_setting(",
            {*AGGREGATES, *OF_GAMES, *THINNED, "compare_methods", "claims"},
        ),
        ("analysis/smoothing.py", "def drawn_episodes(", {*AGGREGATES, *OF_GAMES, *THINNED, "claims"}),
        ("analysis/thinned.py", "def differences(", THINNED),
        (
            "analysis/points.py",
            "def of_episodes(",
            {*THINNED, "learning_curves", "draw_best_mu", "draw_paired_curves", "mu_and_beta"},
        ),
        ("figures/explorer.py", "def chart(", {"explorer"}),
        ("analysis/intervals.py", "def mean_interval(", {*AGGREGATES, *CHOICES, "thin_games", "claims"}),
        (
            "analysis/tables.py",
            "def as_csv(",
            {*AGGREGATES, *CHOICES, *THINNED, "table", "claims", "explorer"},
        ),
        (
            "figures/style.py",
            "def save(",
            {*DRAWINGS, "explorer"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.endswith(".py") else "",
)
def test_a_step_after_the_runs_touches_only_what_uses_it(copy, module, function, jobs):
    before = {job: provenance.of_job(job).digest for job in provenance.ENTRY_POINTS}
    edit(copy, module, f"\n{function}", f"\n{EXTRA}{function}", 1)
    assert changed(before, digests(copy)) == jobs


@pytest.mark.parametrize("job", provenance.ENTRY_POINTS)
def test_a_job_has_its_entry_points_and_no_drawing_in_what_is_not_drawn(job):
    made_by = provenance.of_job(job)
    assert set(provenance.ENTRY_POINTS[job]) <= made_by.modules.keys()
    # The explorer takes its colours from there.
    assert ("matplotlib" in made_by.packages) == (job in {*DRAWINGS, "explorer"})


def imports_of(function):
    """The project's modules that a function of the command line imports when it is called."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    return {
        f"{statement.module}.{alias.name}"
        for statement in ast.walk(node)
        if isinstance(statement, ast.ImportFrom) and str(statement.module).startswith("metatrace")
        for alias in statement.names
        if importlib.util.find_spec(f"{statement.module}.{alias.name}")
    }


# How a drawing reads a table is no part of it, nor is the progress bar, nor where a kernel is kept.
NO_PART = {"metatrace.analysis.tables", "metatrace.progress", "metatrace.compiled.object_code"}
# What is imported for an option that another kind of job has; words, which the rule has among its params.
NO_PART_OF = {"aggregate": {"metatrace.analysis.beta"}, "claims": {"metatrace.report.context"}}


@pytest.mark.parametrize("job", provenance.ENTRY_POINTS)
def test_a_job_has_what_its_verb_imports_when_it_is_called(job):
    has = provenance.of_job(job).modules.keys() | NO_PART | NO_PART_OF.get(job, set())
    for point in provenance.ENTRY_POINTS[job]:
        _, _, verb = point.partition(":")
        if verb:
            assert imports_of(getattr(cli, verb)) <= has


def test_a_new_import_brings_its_module_in(copy):
    before = digests(copy)
    (copy / "metatrace" / "mountain_car" / "more.py").write_text("x = 1\n")
    assert digests(copy) == before
    edit(
        copy,
        "mountain_car/plain.py",
        "import gymnasium\n",
        "import gymnasium\n\nfrom metatrace.domains.mountain_car import more\n",
        1,
    )
    between = digests(copy)
    assert changed(before, between) == {"run_plain"}
    (copy / "metatrace" / "mountain_car" / "more.py").write_text("x = 2\n")
    assert changed(between, digests(copy)) == {"run_plain"}


def test_it_tells_what_entered_it():
    made_by = provenance.of_job("run_lazy_kernel")
    assert "metatrace.domains.mountain_car.lazy_kernel" in made_by.modules
    assert "metatrace.domains.mountain_car.plain" not in made_by.modules
    assert {"python", "numpy", "numba", "llvmlite"} <= made_by.packages.keys()
    assert not {"pandas", "matplotlib", "torch", "gymnasium"} & made_by.packages.keys()


def test_another_version_of_a_package_is_another_fingerprint(monkeypatch):
    before = provenance.of_job("aggregate")
    monkeypatch.setattr(provenance.metadata, "version", lambda name: "0.0.1" if name == "numpy" else "1")
    provenance.of_modules.cache_clear()
    one = provenance.of_job("aggregate")
    monkeypatch.undo()
    provenance.of_modules.cache_clear()
    assert one.packages["numpy"] == "0.0.1" and one.digest != before.digest
    assert provenance.of_job("aggregate") == before


def test_an_unknown_job_is_refused():
    with pytest.raises(UserError, match="'runs' is no kind of job; it must be one of compile_lazy_kernel"):
        provenance.of_job("runs")
