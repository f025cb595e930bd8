"""Which edit makes which jobs run again: the real `snakemake -n` on a finished small scale, edit by edit.

The scale has all kinds of figures. Its jobs are not done but recorded as done (`snakemake --touch`), with
placeholders for results, for a dry run looks at records and files and at no contents: a minute is a second.
That a scale which was really made has the same answers, the other tests of this folder show.
"""

import re
import subprocess
import sys
from collections import Counter

import pytest
from marks import slow
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
  figure_6:
    section: drifting_mountain_car
    title: "Figure 6: the best"
    kind: best_mu
    environment: drifting_mountain_car
    method: [scalar, mixed]
    alpha: [2^-6]
    mu: [2^-7, 2^-9]
    drift: ["1e-5"]
    seeds: 1
    episodes: 15
    smoothing: 5
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
    seeds: 1
    episodes: 15
    smoothing: 5
  figure_8:
    section: atari
    title: "Figure 8: the sweep"
    kind: games
    environment: catch
    method: [none, mixed]
    alpha: [2^-6, 2^-7]
    mu: ["0.001"]
    seeds: 1
    frames: 100
    smoothing: 4
  figure_s3:
    section: comparisons
    title: "Figure S3: the runs of figure 7, by pairs"
    kind: paired
    environment: drifting_mountain_car
    method: [mixed, scalar]
    alpha: [2^-6]
    mu: [2^-7, 2^-9]
    drift: ["1e-5"]
    seeds: 1
    episodes: 15
    smoothing: 5
  figure_s7:
    section: comparisons
    title: "Figure S7: those of figures 1 and 3"
    kind: compared
    members: [figure_1, figure_3]
device: cpu
"""

# What is made of each figure's runs, tables and pictures; pictures of figure 3 also show the tables of figure 1, and
# figure S7 compares both.
MADE_OF = {
    "figure_1": Counter(tables_step_sizes=1, pictures_step_sizes=1),
    "figure_3": Counter(tables_step_sizes=1, pictures_step_sizes_sensitivity_heat_map=1),
    "figure_6": Counter(tables_best_mu=1, pictures_best_mu=1),
    "figure_7": Counter(tables_mu_and_beta=1, pictures_mu_and_beta=1),
    "figure_8": Counter(tables_games=1, pictures_games=1),
    "figure_s3": Counter(tables_paired=1, pictures_paired=1),
}
COMPARED = Counter(tables_compared=1, pictures_compared=1)
DRAWINGS = Counter({job: 1 for made in (*MADE_OF.values(), COMPARED) for job in made if job.startswith("pictures_")})
NOTHING: Counter[str] = Counter()
REPORT = Counter(html_report=1)
EXPLORER = Counter(explorer=1) + REPORT
ARTICLE = Counter(article=1)  # shows the pictures and verdicts too, but nothing of the explorer
CLAIMS = Counter(claims=1) + EXPLORER + ARTICLE
TRY_PAGE = Counter(try_page=1)
DRIFTING = ("figure_6", "figure_7", "figure_s3")
CARS = ("figure_1", "figure_3", *DRIFTING)
COMPILED = Counter(compile_lazy_kernel=1, compile_packed_kernel=1, compile_step_kernel=1)  # what the runs need


def after(*figures):
    """What is made of the runs of some figures, and the pages that show all of them."""
    made = sum((MADE_OF[figure] for figure in figures), CLAIMS)
    if "figure_1" in figures and "figure_3" not in figures:
        made += Counter(pictures_step_sizes_sensitivity_heat_map=1)
    return made + COMPARED if {"figure_1", "figure_3"} & set(figures) else made


def runs(cars=0, games=0):
    return +Counter(run_mountain_car=cars, run_atari=games)


def replaced(file, old, new):
    """An edit of one place in a file."""
    return lambda project: project.edit(file, old, new)


def renamed(file, old, new):
    """An edit of every place where a name stands."""

    def change(project):
        path = project.folder / file
        text, count = re.subn(rf"\b{old}\b", new, path.read_text())
        assert count > 1, f"{file} no longer holds {old}: the test must change with it"
        path.write_text(text)

    return change


def configured(old, new):
    return replaced("config/tiny.yaml", old, new)


def version_of(package, distribution_folder):
    """Another version of a package, as far as its metadata tell."""

    def change(project):
        folder = project.folder / distribution_folder
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 99.0\n")

    return change


def reformatted(project):
    """Every module, by the project's own formatter, to much shorter lines and single quotes."""
    quotes = "format.quote-style='single'"
    command = ["ruff", "format", "-q", "--isolated", "--line-length", "60", "--config", quotes, "metatrace"]
    text = (project.folder / "metatrace/cli/main.py").read_text()
    subprocess.run([sys.executable, "-m", *command], cwd=project.folder, check=True)
    assert (project.folder / "metatrace/cli/main.py").read_text() != text


def touched(project):
    for part in ("metatrace", "workflow", "config", "reports"):
        for path in (project.folder / part).rglob("*"):
            path.touch()
    (project.folder / "Snakefile").touch()


def without_figure_6(project):
    path = project.folder / "config/tiny.yaml"
    before, _, rest = path.read_text().partition("  figure_6:")
    path.write_text(before + "  figure_7:" + rest.partition("  figure_7:")[2])


def all_commented(project):
    for path in (project.folder / "metatrace").rglob("*.py"):
        path.write_text("# a comment\n" + path.read_text() + "\n# the end\n")


def without_meaning(project):
    """Edits after which no job has anything else to do."""
    project.edit("metatrace/analysis/smoothing.py", '"""The smoothing of', '"""Once more: the smoothing of')
    project.edit("metatrace/domains/mountain_car/plain.py", "environment.close()", "environment.reset()")
    project.edit("metatrace/cli/run.py", "default=300", "default=200")
    project.edit("workflow/scripts/make_tables.py", "with logged", "# A comment.\nwith logged")
    all_commented(project)
    reformatted(project)
    touched(project)


def one_seed_more(project):
    """Of the figures of mountain car, which are compared and so have the same seeds."""
    path = project.folder / "config/tiny.yaml"
    text = path.read_text()
    assert text.count("seeds: 2\n") == 2
    path.write_text(text.replace("seeds: 2\n", "seeds: 3\n"))


FIGURE_3 = "alpha: [2^-5, 2^-13]\n    mu: [2^2, 2^-14]\n    seeds: 2"

# By what is edited: the edit, and the jobs that must run again.
EDITS = {
    # No meaning, or no part of the workflow's jobs: nothing, which one dry run tells of all.
    "comments, a docstring, code of no run, another formatting, and the times of files": (
        without_meaning,
        NOTHING,
    ),
    # Runs, and all that is made of them.
    "a renamed local variable": (
        renamed("metatrace/domains/mountain_car/compiled.py", "left", "rest"),
        runs(cars=16) + after(*CARS),
    ),
    "the scalar kernel": (
        replaced("metatrace/compiled/lazy_kernel.py", "REBASE_BELOW = 1e-3", "REBASE_BELOW = 2e-3"),
        Counter(compile_lazy_kernel=1) + runs(cars=14) + after(*CARS),
    ),
    "the vector kernel": (
        replaced("metatrace/compiled/packed_kernel.py", "TINY = 1e-300", "TINY = 1e-299"),
        Counter(compile_packed_kernel=1) + runs(cars=2) + after(*DRIFTING),
    ),
    "the tile coder": (
        replaced(
            "metatrace/domains/mountain_car/tiles.py",
            "offset = tiling / N_TILINGS",
            "offset = tiling / (2 * N_TILINGS)",
        ),
        Counter(compile_lazy_kernel=1, compile_packed_kernel=1) + runs(cars=16) + after(*CARS),
    ),
    # Runs of a method without a kernel for it would go with it as well; mountain car's kernels import no tuner.
    "the mixed tuner": (
        replaced(
            "metatrace/tuning/mixed.py",
            "self.u = scalar_like(self.v_hat, 0.0)",
            "self.u = scalar_like(self.v_hat, 1.0)",
        ),
        runs(games=2) + after("figure_8"),
    ),
    "the network": (
        replaced("metatrace/domains/atari/frames.py", "1 / 255", "1 / 254"),
        runs(games=4) + after("figure_8"),
    ),
    # Of the kernel a part that untuned runs do not use.
    "the games' kernel": (
        replaced("metatrace/networks/step_kernel.py", "c.mu <= SERIES_UP_TO", "c.mu < SERIES_UP_TO"),
        Counter(compile_step_kernel=1) + runs(games=2) + after("figure_8"),
    ),
    # Tables, and all that is made of them.
    "the smoothing": (
        replaced(
            "metatrace/analysis/smoothing.py",
            "np.cumsum(values[..., :head], axis=-1)",
            "np.cumsum(values[..., :head], -1)",
        ),
        after(*MADE_OF),
    ),
    "the intervals": (
        replaced("metatrace/analysis/intervals.py", "CURVE_RESAMPLES = 1000", "CURVE_RESAMPLES = 900"),
        after(*MADE_OF),
    ),
    "the order of games": (
        replaced("metatrace/analysis/games.py", 'kind="stable"', 'kind="mergesort"'),
        after("figure_8"),
    ),
    "a script": (
        replaced("workflow/scripts/make_tables.py", "make_tables(snakemake", "make_tables(1 and snakemake"),
        after(*MADE_OF),
    ),
    "the mean β": (
        replaced("metatrace/analysis/beta.py", "[:, -final:]", "[:, 0 - final :]"),
        after("figure_7"),
    ),
    "the choice of the best μ": (
        replaced("metatrace/analysis/best.py", "finals - second", "-second + finals"),
        after("figure_6"),
    ),
    "the comparison of two methods": (
        replaced("metatrace/analysis/paired.py", "(first - second)", "(-second + first)"),
        after("figure_s3"),
    ),
    "the choice of the best μ over all α": (
        replaced("metatrace/analysis/best.py", ".to_numpy().mean(axis=1)", ".to_numpy().mean(1)"),
        COMPARED + EXPLORER + ARTICLE,
    ),
    # Drawings and words.
    "a colour of one drawing": (
        replaced(
            "metatrace/figures/mu_and_beta.py",
            '_VALUE, _POLICY = "#b0124b"',
            '_VALUE, _POLICY = "#b0124c"',
        ),
        Counter(pictures_mu_and_beta=1) + REPORT + ARTICLE,
    ),
    "a colour of all drawings": (
        replaced("metatrace/figures/style.py", '"axes.edgecolor": "#555555"', '"axes.edgecolor": "#565656"'),
        DRAWINGS + REPORT + ARTICLE,
    ),
    "a colour of all planes": (
        replaced("metatrace/figures/planes.py", 'edgecolors="white"', 'edgecolors="black"'),
        Counter(pictures_step_sizes=1, pictures_step_sizes_sensitivity_heat_map=1, pictures_paired=1)
        + REPORT
        + ARTICLE,
    ),
    "the name of an axis": (
        replaced("metatrace/figures/games.py", '"Observed frames"', '"Frames"'),
        Counter(pictures_games=1) + REPORT + ARTICLE,
    ),
    "a caption": (
        replaced("reports/learning_curves.rst", "Return against", "Returns against"),
        REPORT + ARTICLE,
    ),
    "a caption of a picture that the article does not show": (
        replaced("reports/sensitivity.rst", "The paper has no such picture.", "The paper draws none."),
        REPORT,
    ),
    # The config.
    "a title": (
        configured("Figure 3: unnormalized", "Figure 3: other"),
        Counter(pictures_step_sizes_sensitivity_heat_map=1) + EXPLORER + ARTICLE,
    ),
    "where β is shown": (
        configured("beta_mu: 2^-9", "beta_mu: 2^-7"),
        Counter(pictures_mu_and_beta=1) + REPORT + ARTICLE,
    ),
    "one seed more": (one_seed_more, runs(cars=6) + after("figure_1", "figure_3")),
    "one α more": (
        configured("method: none\n    alpha: [2^-5, 2^-13]", "method: none\n    alpha: [2^-5, 2^-9, 2^-13]"),
        runs(cars=2) + after("figure_1"),
    ),
    "α and μ swapped": (
        configured(FIGURE_3, "alpha: [2^2, 2^-14]\n    mu: [2^-5, 2^-13]\n    seeds: 2"),
        runs(cars=8) + after("figure_3"),
    ),
    "a threshold of a claim": (replaced("config/claims.yaml", "below: 10\n", "below: 11\n"), CLAIMS),
    "how the pages look": (
        replaced("reports/pages.css", "scheme: light dark", "scheme: dark light"),
        EXPLORER + ARTICLE + TRY_PAGE,
    ),
    "how a claim is laid out": (
        replaced("reports/claim_card.html", "asked for:", "asked:"),
        ARTICLE,
    ),
    "how an agent learns in the page to play with": (
        replaced("reports/try_agent.js", "0.5 * ((block", "0.25 * ((block"),
        TRY_PAGE,
    ),
    "what the explorer does": (replaced("reports/explorer_data.js", "MOST_RUNS = 1500", "MOST_RUNS = 1501"), EXPLORER),
    "a figure removed": (without_figure_6, CLAIMS),
    "the smoothing of another section": (configured("smoothing: 4", "smoothing: 5"), after("figure_8")),
    "the frames of a game": (configured("frames: 100", "frames: 120"), runs(games=4) + after("figure_8")),
    "a reading": (
        configured("device: cpu", "device: cpu\nreadings: {tile_width: range/10}"),
        runs(cars=16) + after(*CARS),
    ),
    # Versions.
    "numpy": (
        version_of("numpy", "numpy-99.0.dist-info"),
        COMPILED + runs(cars=16, games=4) + after(*MADE_OF) + TRY_PAGE,
    ),
    "torch": (version_of("torch", "torch-99.0.dist-info"), runs(games=4) + after("figure_8")),
    "matplotlib": (version_of("matplotlib", "matplotlib-99.0.dist-info"), DRAWINGS + EXPLORER + ARTICLE + TRY_PAGE),
}

# Each of a kind of which another edit stands for all: a kernel, a table, a drawing, a caption, a page, a number.
SLOW = {
    "the vector kernel",
    "the smoothing",
    "the order of games",
    "the mean β",
    "the comparison of two methods",
    "the choice of the best μ over all α",
    "a colour of all planes",
    "the name of an axis",
    "a caption of a picture that the article does not show",
    "where β is shown",
    "one α more",
    "how a claim is laid out",
    "what the explorer does",
    "the smoothing of another section",
    "torch",
}


def git(project, *arguments):
    who = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=project.folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A project whose scale is recorded as finished, in a git repository of its own."""
    project = Project.copy_to(tmp_path_factory.mktemp("reruns") / "project")
    (project.folder / "config/tiny.yaml").write_text(CONFIG)
    (project.folder / ".gitignore").write_text("results\n.snakemake\n__pycache__\n")
    git(project, "init", "--quiet", "--initial-branch", "main")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "all")
    project.record_as_finished()
    return project


@pytest.fixture
def editable(recorded):
    """The same project, to edit: git brings every file back afterwards, and that too reruns nothing."""
    yield recorded
    git(recorded, "checkout", "--quiet", "--force", "main")
    git(recorded, "clean", "--quiet", "--force", "-d")


def test_what_is_recorded_as_finished_has_nothing_to_do(recorded):
    assert recorded.pending() == {}


@pytest.mark.parametrize("edit", [slow(edit) if edit in SLOW else edit for edit in EDITS])
def test_an_edit_reruns_what_it_touches_and_nothing_else(editable, edit):
    change, expected = EDITS[edit]
    change(editable)
    assert editable.pending() == expected


RUN = "runs/mountain_car/none/alpha~2^-5/mu~0/drift~0/seed~0.npz"


@pytest.mark.parametrize(
    "name", ["index.html", "claims.html", "tables/claims.csv", "explorer.html", "tables/figure_s7/spread.parquet", RUN]
)
def test_what_is_gone_is_made_again_though_all_that_was_made_of_it_is_there(recorded, name):
    path = recorded.folder / "results/tiny" / name
    aside = path.rename(path.with_name("aside"))
    try:
        assert recorded.pending()
    finally:
        aside.rename(path)


def test_a_branch_checked_out_and_back_reruns_nothing(editable):
    git(editable, "checkout", "--quiet", "-b", "other")
    editable.edit("metatrace/compiled/lazy_kernel.py", "REBASE_BELOW = 1e-3", "REBASE_BELOW = 2e-3")
    git(editable, "commit", "--quiet", "--all", "--message", "another constant")
    git(editable, "checkout", "--quiet", "main")
    assert editable.pending() == {}
