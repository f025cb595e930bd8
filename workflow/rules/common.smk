# What the files of rules share: the checked config, where results lie, what code makes them, and the
# functions that say what a job reads and is told.

import json
import os
import subprocess
import sys
from pathlib import Path

from snakemake.io import IOFile
from snakemake.persistence.file import FilePersistence

from metatrace.pipeline import job_times, jobs, outputs, status
from metatrace.pipeline import snakemake as snakemake_hooks
from metatrace.config import experiments, loading
from metatrace.figures.kinds.registry import KINDS
from metatrace.figures.kinds.step_sizes import EPISODE_TABLES
from metatrace.report import context, labels
from metatrace.domains.atari import readings as games
from metatrace.errors import UserError
from metatrace.domains.mountain_car import compiled, layout
from metatrace.runs.key import RunKey


def checked_config():
    """The config as experiments; a wrong one ends the workflow with one line and exit code 2."""
    try:
        # The files themselves: Snakemake's own reading knows no overlays, and no longer shows what was unquoted.
        asked = loading.resolve([Path(path) for path in workflow.configfiles], workflow.config_settings.config)
        return asked, loading.read(Path(workflow.basedir, "config/paper.yaml"))
    except UserError as error:
        print(f"metatrace: error: {error}", file=sys.stderr)
        sys.exit(2)


def words(values):
    """Values as words of a shell command; number tokens need no quoting."""
    return " ".join(map(str, values))


ASKED, PAPER = checked_config()
FIGURES = ASKED.figures
LENGTHS = {(variant, run): length for variant in ASKED.variants() for run, length in ASKED.runs(variant).items()}
RESULTS = f"results/{ASKED.scale}"
# Where the runs of each variant of the readings lie, as a part of paths: nothing for the config's own.
PLACES = {f"readings/{variant}/" if variant else "": variant for variant in ASKED.variants()}
RUN = "{method}/alpha~{alpha}/mu~{mu}/drift~{drift}/seed~{seed}"
FINGERPRINTS = {job: jobs.fingerprint_of(job).digest for job in jobs.JOBS}
KERNELS = {
    name: f"results/kernels/{context.kernel_name(name, FINGERPRINTS)}" for name in [*layout.KERNELS, "step_kernel"]
}
# What is learned first where not all can be: all that needs no games.
FIRST, FIRST_DRAWN = 20, 10
# Below so many observed frames nobody needs to be told how long they take.
FEW_FRAMES = 1_000_000
GAME_METHODS = sorted({run.method for _, run in LENGTHS if run.environment in games.QUESTIONS})
ENVIRONMENT = str(Path(workflow.basedir, "environment.yml"))
RUN_KEYS = ["environment", "method", "alpha", "mu", "drift"]
# What the report's front page and captions show.
config["presentation"] = context.report_context(ASKED, PAPER, FINGERPRINTS)
config["verdicts"] = context.verdicts(Path(RESULTS, "tables/claims.json"))

# Jobs call `python` and `snakemake`: those of the environment that this Snakemake runs in, activated or not.
os.environ.update(PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))

# Altair cannot be imported without docstrings.
os.environ.pop("PYTHONOPTIMIZE", None)

# The parallelism is Snakemake's: one thread a job.
shell.prefix("set -euo pipefail; export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1; ")


snakemake_hooks.recover_before_jobs(workflow, ASKED, RESULTS, KERNELS.values())


def what_it_took():
    """What the jobs of this scale took, as Snakemake recorded them."""
    records = FilePersistence(nolock=True)
    runs = [run.path(RESULTS) for run in status.wanted(ASKED)]
    found = [
        records.metadata(IOFile(path))
        for path in [*runs, *outputs.made_files(RESULTS, list(FIGURES.values()))]
        if Path(path).exists()
    ]
    packages = {}
    for job in context.run_jobs(ASKED):
        packages.update(jobs.fingerprint_of(job).packages)
    # A job's log is its own; the files that it made have a record each.
    made = {
        tuple(record.log or ()): job_times.Job(record.rule, record.starttime, record.endtime)
        for record in found
        if record and record.starttime and record.endtime
    }
    return job_times.summarize_jobs(list(made.values()), packages)


if any(argument.startswith("--report") for argument in sys.argv[1:]):
    config["effort"] = what_it_took()


def run_of(wildcards):
    """What a run is told, and the code that makes it; a tuple that the config does not ask for is no job."""
    run = RunKey(
        wildcards.environment,
        wildcards.method,
        wildcards.alpha,
        wildcards.mu,
        wildcards.drift,
        int(wildcards.seed),
    )
    variant = PLACES[wildcards.place]
    if (variant, run) not in LENGTHS:
        raise WorkflowError(f"the config asks for no run {run.path(runs_folder(variant))}")
    readings = ASKED.readings_of(run.environment, variant)
    return {
        "code": run_code(run.environment, run.method),
        "length": LENGTHS[variant, run],
        "readings": words(f"--reading {key}={value}" for key, value in readings.items()),
    }


def runs_folder(variant):
    """Where the runs of a variant lie."""
    return f"{experiments.variant_folder(RESULTS, variant)}/runs"


def run_code(environment, method):
    """The fingerprint of the code that makes a method's runs on an environment."""
    return FINGERPRINTS[context.run_job(environment, method)]


def kernel_file(wildcards):
    """The compiled kernel that runs a method."""
    return KERNELS[compiled.kernel_of(wildcards.method)]


def figure_of(wildcards):
    """The figure that a job works for."""
    return FIGURES[wildcards.figure]


def of_kind(*kinds):
    """The figures of some kinds, as a wildcard constraint; one that nothing meets where there are none."""
    return "|".join(name for name, figure in FIGURES.items() if figure.kind in kinds) or "(?!)"


def chosen_alphas(figure):
    """The initial step-sizes of a figure; those that other runs choose as soon as they have, else any."""
    return outputs.chosen_alphas(RESULTS, figure) or figure.alphas[: figure.best.count]


def run_files_of(figure):
    """The runs that a figure is drawn from; where other runs choose its α, not before they have."""
    if figure.best:
        checkpoints.best_alphas.get(figure=figure.name)
    return [run.path(runs_folder(figure.variant)) for run in figure.runs(chosen_alphas(figure))]


def run_files(wildcards):
    """The runs that a figure is drawn from."""
    return run_files_of(figure_of(wildcards))


def game_minutes(wildcards, input):
    """How many minutes a cluster should give a run: twice what the trial says, and some for the start."""
    run = run_of(wildcards)
    milliseconds = json.loads(Path(input.times).read_text())
    return 10 + 2 * int(run["length"] * milliseconds[wildcards.method] / 60_000)


def tell_time():
    """Says how long the games that are to be learned take on this machine, where that is long."""
    frames = {}
    for job in workflow.dag.needrun_jobs():
        if job.rule.name == "run_game":
            run = RunKey(*(job.wildcards[key] for key in RUN_KEYS), int(job.wildcards.seed))
            wanted = PLACES[job.wildcards.place], run
            frames[wanted] = LENGTHS[wanted]
        elif job.rule.name == "best_alphas":
            figure = FIGURES[job.wildcards.figure]
            other = FIGURES[figure.best.figure]
            shared = {(other.variant, run) for run in other.runs()}
            wanted = {(figure.variant, run): figure.length for run in figure.some_runs()}
            frames |= {run: length for run, length in wanted.items() if run not in shared}
    total = {method: 0 for method in sorted({run.method for _, run in frames})}
    for (_, run), length in frames.items():
        total[run.method] += length
    if sum(total.values()) < FEW_FRAMES:
        return
    asked = [f"{method}={number}" for method, number in total.items()]
    print(
        f"Atari: {len(frames)} run{'s' if len(frames) > 1 else ''} to learn. A short trial says how long it takes:",
        file=sys.stderr,
    )
    at_a_time = workflow.cores if workflow.local_exec else workflow.resource_settings.nodes
    cores = str(min(at_a_time or 1, len(frames)))
    command = [sys.executable, "-m", "metatrace", "estimate", "--frames", *asked]
    subprocess.run([*command, "--cores", cores, "--device", ASKED.device], stdout=sys.stderr, check=False)
    print(
        "What needs no games comes first. A run that is cut short goes on from its checkpoint. In hours rather than "
        "days: snakemake --configfile config/preview.yaml; in minutes: config/quick.yaml.",
        file=sys.stderr,
    )


def grid_of(wildcards):
    """A figure's grid, and what to make of its runs."""
    figure = figure_of(wildcards)
    return {
        "alpha": words(chosen_alphas(figure)),
        "code": FINGERPRINTS[context.aggregate_job(figure)],
        "drift": words(figure.drifts),
        "environment": words(figure.environments),
        "length": figure.length,
        "final": ASKED.final_episodes,
        "method": words(figure.methods),
        "mu": words(figure.mus),
        "runs": runs_folder(figure.variant),
        "runs_code": words(run_code(figure.environments[0], method) for method in figure.methods),
        "seeds": words(figure.seeds),
        "smoothing": figure.smoothing,
        "spread_alpha_max": ASKED.spread_alpha_max,
    }


def alphas_file(wildcards):
    """Which initial step-sizes other runs chose for a figure; nothing where it names its own."""
    if not figure_of(wildcards).best:
        return []
    return checkpoints.best_alphas.get(figure=wildcards.figure).output


def thinned_grid_of(wildcards):
    """A figure's grid, as far as thinning its runs depends on it, and the code that thins them."""
    is_games = figure_of(wildcards).kind == "games"
    unused = ("final", "spread_alpha_max")
    return {
        **{key: value for key, value in grid_of(wildcards).items() if key not in unused},
        "code": FINGERPRINTS["thin_games" if is_games else "thin"],
    }


def reference_tables(wildcards):
    """The tables of the untuned runs that a sensitivity picture shows as well."""
    return [f"{RESULTS}/tables/{figure_of(wildcards).reference}/{table}.parquet" for table in ("settings", "spread")]


def drawing_of(job):
    """What a drawing job depends on in addition to its tables."""

    def drawing(wildcards):
        figure = figure_of(wildcards)
        pictures = {picture.caption: picture for picture in KINDS[figure.kind].pictures(figure)}
        picture = pictures[job.removeprefix("draw_")]
        return {
            "code": FINGERPRINTS[job],
            "note": context.note(ASKED, PAPER, figure, curves=picture.has_curves),
            "title": labels.title(figure, picture),
        }

    return drawing


def in_report(path, caption, what):
    """Marks a file for the report, by section and figure; `what` it shows: a text, or one a table."""
    return report(
        path,
        caption=f"../../reports/{caption}.rst",
        category=lambda wildcards: context.SECTIONS[figure_of(wildcards).section],
        subcategory=lambda wildcards: labels.without_wildcards(figure_of(wildcards).title),
        labels=lambda wildcards: labels.labels(
            figure_of(wildcards), what if isinstance(what, str) else what[wildcards.table]
        ),
    )


def picture_files(figures):
    """What the report shows of some figures: pictures in every format, and tables as CSV."""
    return [
        path
        for figure in figures
        for path in (*outputs.drawn_files(RESULTS, [figure]), *outputs.csv_files(RESULTS, [figure]))
    ]


def all_files(figures):
    """All results of some figures, runs and tables as well: what is missing is made, needed for a picture or not."""
    return [
        *outputs.figure_files(RESULTS, figures),
        *dict.fromkeys(path for figure in figures if figure.best is None for path in run_files_of(figure)),
        *(lambda wildcards, figure=figure: run_files_of(figure) for figure in figures if figure.best),
    ]
