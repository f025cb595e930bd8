"""What the workflow's rules ask: which jobs a scale has, which files each reads and makes, and what it is told.

What a job is told is a dict of plain types, with the fingerprint of the code that it runs: Snakemake keeps it with
the job's results, and runs the job again when it differs. Nothing here knows of Snakemake.
"""

import ast
import hashlib
import json
import shlex
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from metatrace.compiled import object_code
from metatrace.config import loading
from metatrace.config.experiments import Experiments, variant_folder
from metatrace.config.figure import Figure
from metatrace.domains.protocol import Domain
from metatrace.domains.registry import DOMAINS, ENVIRONMENTS, domain_of
from metatrace.errors import UserError
from metatrace.figures.kinds.registry import KINDS
from metatrace.methods import METHODS
from metatrace.pipeline import jobs, outputs
from metatrace.pipeline.jobs import code_of, is_long
from metatrace.pipeline.status import WantedRun, wanted
from metatrace.report import context, labels
from metatrace.runs import atomic
from metatrace.runs.key import folder_of

SCORES_OF_OTHERS = "config/reference_scores.csv"
_SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"
FIRST, FIRST_DRAWN = 20, 10  # whatever needs no long run is done first
_FEW = 1_000_000  # frames that take no time worth telling
Job = dict[str, Any]


@cache
def script_code(script: str) -> str:
    """A hash of what a script of the workflow says, without comments and layout."""
    tree = ast.parse((_SCRIPTS / f"{script}.py").read_text(encoding="utf-8"))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]


@cache
def kernel_file(kernel: str) -> str:
    """Where a compiled kernel lies. Kept: thousands of runs ask, and what the processor can do is slow to find."""
    return f"results/kernels/{object_code.file_name(kernel)}"


class Plan:
    """The jobs of a config.

    Attributes:
      asked, paper: the config, and that of the whole paper.
      results: the folder of all results of the scale.
      places: the part of a path that tells each variant of runs: "" for the config's own.
      lengths: of each run that may be asked for.
    """

    def __init__(self, asked: Experiments, paper: Experiments) -> None:
        self.asked, self.paper = asked, paper
        self.results = f"results/{asked.scale}"
        self.figures = list(asked.figures.values())
        self.places = [f"readings/{variant}/" if variant else "" for variant in asked.variants()]
        self.lengths = wanted(asked)
        self._report_context: dict[str, Any] = {}

    def figure(self, name: str) -> Figure:
        """A figure of the config, by name."""
        return self.asked.figures[name]

    @property
    def config_file(self) -> str:
        """Where the config is kept, as it was in force when jobs last ran."""
        return f"{self.results}/config.yaml"

    def write_config(self) -> None:
        """Writes the one config of all jobs, as it is in force."""
        atomic.write_atomically(self.config_file, loading.as_yaml(self.asked).encode())

    def domains(self) -> list[Domain]:
        """The domains in which runs are made."""
        return [domain for domain in DOMAINS if any(run.environment in domain.environments for _, run in self.lengths)]

    def long_domains(self) -> list[Domain]:
        """Those whose runs take hours or days: they can go on from a checkpoint."""
        return [domain for domain in self.domains() if is_long(domain)]

    def folders(self, domain: Domain) -> list[str]:
        """The folders of runs in a domain, one for each environment."""
        asked = {run.environment for _, run in self.lengths if run.environment in domain.environments}
        return sorted(map(folder_of, asked))

    # Runs.

    def run_job(self, run: WantedRun) -> Job:
        """What a run is told: its length, and readings, hyper-parameters and device, as options of the command.

        Raises:
          UserError: the config asks for no such run.
        """
        if run not in self.lengths:
            raise UserError(f"the config asks for no run {run.path(self.results)}")
        key, domain, length = run.key, domain_of(run.key.environment), self.lengths[run]
        readings, hyper = (
            self.asked.readings_of(key.environment, key.method, run.variant),
            self.asked.hyper_of(key.environment, key.method, run.variant),
        )
        options = [f"--{domain.unit} {length}"]
        options += [f"--reading {name}={value}" for name, value in readings.items()]
        options += [f"--hyper {name}={value}" for name, value in hyper.items()]
        options += [f"--device {self.asked.device}"] if "device" in domain.options else []
        return {
            "code": code_of(context.run_job(key.environment, key.method)),
            "length": length,
            "options": " ".join(options),
        }

    def run_options(self, run: WantedRun, kernels: Iterable[str]) -> str:
        """The files that a run uses without being made of them, as options of the command."""
        path = run.path(self.results, "checkpoints")
        options = [part for kernel in kernels for part in ("--kernel", kernel)]
        options += ["--checkpoint", path] if is_long(domain_of(run.key.environment)) else []
        return shlex.join(options)

    def kernels(self) -> dict[str, str]:
        """The file of each compiled kernel."""
        return {kernel: kernel_file(kernel) for domain in DOMAINS for kernel in domain.kernels}

    def kernel_job(self, kernel: str) -> Job:
        """What compiles a kernel."""
        return {"code": code_of(f"compile_{kernel}"), "kernel": kernel}

    def kernel_files(self, domain: Domain, methods: Iterable[str]) -> list[str]:
        """The kernels that runs of some methods need; none for a method whose tuner runs as it stands."""
        names = {domain.kernel_of(method): None for method in methods}
        return [kernel_file(name) for name in names if name is not None]

    def priority(self, domain: Domain) -> int:
        """Which runs go first."""
        return 0 if is_long(domain) else FIRST

    def resources(self, domain: Domain, run_of: Callable[[Any], WantedRun]) -> dict[str, Any]:
        """What a cluster should give a run (`run_of` its wildcards), if not its profile's defaults."""
        if not is_long(domain):
            return {}
        return {
            "mem_mb": 700,
            "runtime": lambda wildcards, input: self.minutes(run_of(wildcards), input.times),
            # With `--resources gpu=8`, eight runs share a card; without it, as many as there are cores.
            "gpu": 0 if domain.device(self.asked.device) == "cpu" else 1,
        }

    def minutes(self, run: WantedRun, frame_times: str) -> int:
        """How many minutes a cluster should give a run: twice what the trial says, and some for the start.

        A trial that was made before the config had the method says what the slowest one takes.
        """
        times = json.loads(Path(str(frame_times)).read_text(encoding="utf-8"))
        milliseconds = times.get(run.key.method, max(times.values()))
        return 10 + 2 * int(self.lengths[run] * milliseconds / 60_000)

    def times_files(self, domain: Domain) -> list[str]:
        """The file that says how long a frame takes; none in a domain whose runs are short."""
        return [outputs.times_file(self.results, domain)] if is_long(domain) else []

    def methods_in(self, domain: Domain) -> list[str]:
        """The methods that learn in a domain."""
        return sorted({run.method for _, run in self.lengths if run.environment in domain.environments})

    def trial(self, domain: Domain) -> str:
        """The options of the command that measures how long a frame takes."""
        lengths = [f"{method}=0" for method in self.methods_in(domain)]
        kernels = [part for file in self.kernel_files(domain, self.methods_in(domain)) for part in ("--kernel", file)]
        environment = ["--environment", domain.slowest]
        return shlex.join([f"--{domain.unit}", *lengths, *environment, "--device", self.asked.device, *kernels])

    def left_to_learn(
        self, domain: Domain, runs: Iterable[WantedRun], choices: Iterable[str]
    ) -> tuple[int, dict[str, int]]:
        """How many runs of a domain are to be made, and how many frames each method is to learn from in them.

        So little that nobody needs to be told is nothing, (0, {}).

        Args:
          runs: those that are known, of any domain.
          choices: the figures whose runs are yet to be chosen: as many of them count as will be made.
        """
        left = set(runs)
        for figure in map(self.figure, choices):
            assert figure.chosen_by is not None
            other = self.figure(figure.chosen_by)
            shared = {WantedRun(other.variant, run) for run in other.runs()}
            left |= {WantedRun(figure.variant, run) for run in figure.some_runs()} - shared
        left = {run for run in left if run.key.environment in domain.environments}
        lengths = dict.fromkeys(sorted({run.key.method for run in left}), 0)
        for run in left:
            lengths[run.key.method] += self.lengths[run]
        return (len(left), lengths) if sum(lengths.values()) >= _FEW else (0, {})

    # Figures.

    def _rules_of(self, stage: str, names_of: Callable[[Figure], tuple[str, ...]]) -> dict[str, list[Figure]]:
        """The figures that can share a rule, of the same kind and with outputs of the same names, by the rule's name.

        A rule is named after its stage, the kind, and the outputs that not all figures of the kind have.
        """
        groups: dict[tuple[str, tuple[str, ...]], list[Figure]] = {}
        for figure in self.figures:
            groups.setdefault((figure.kind, names_of(figure)), []).append(figure)
        rules = {}
        for (kind, names), figures in groups.items():
            shared = set(names).intersection(*(other for known, other in groups if known == kind))
            more = [name.removeprefix("_") for name in names if name not in shared]
            rules["_".join([stage, kind, *more])] = figures
        return rules

    def tables_rules(self) -> dict[str, list[Figure]]:
        """The rules for tables, and the figures of each."""
        return self._rules_of("tables", outputs.tables_of)

    def pictures_rules(self) -> dict[str, list[Figure]]:
        """The rules for pictures, and the figures of each."""
        return self._rules_of("pictures", lambda figure: tuple(p.suffix for p in KINDS[figure.kind].pictures(figure)))

    def tables_priority(self, figure: Figure) -> int:
        """Which tables and pictures are made first."""
        return 0 if any(is_long(domain_of(environment)) for environment in figure.environments) else FIRST_DRAWN

    def run_files(self, figure: Figure) -> list[str]:
        """The runs that a figure is drawn from; where other runs choose them, they must have."""
        files = (
            run.path(f"{variant_folder(self.results, source.variant)}/runs")
            for source in figure.sources
            for run in source.runs(self._chosen(source))
        )
        return list(dict.fromkeys(files))

    def _chosen(self, figure: Figure) -> tuple[str, ...]:
        """What other runs chose for a figure; any choice while they have not yet made it."""
        return outputs.choice(self.results, figure) or figure.any_choice()

    def tables_inputs(self, figure: Figure) -> list[str]:
        """What a figure's tables are made of: its runs, or the tables of the figures that it compares."""
        if figure.members:
            return outputs.table_files(self.results, figure.members)
        reference = [SCORES_OF_OTHERS] if "reference" in outputs.tables_of(figure) else []
        return [*self.run_files(figure), *reference]

    def tables_job(self, figure: Figure) -> Job:
        """What makes a figure's tables: `made`, and the fields of `TablesJob`."""
        kind = KINDS[figure.kind]
        return {
            "code": [code_of(f"tables_{kind.name}"), script_code("make_tables")],
            "make": kind.make,
            "csv": list(kind.csv(figure)),
            "thin": jobs.thinning(kind) if kind.is_thinned else "",
            "folder": f"{self.results}/tables/{figure.name}",
            "runs": f"{variant_folder(self.results, figure.variant)}/runs",
            "alphas": list(self._chosen(figure) if figure.best else figure.alphas),
            "settings": [setting.split() for setting in self._chosen(figure)] if figure.settings_from else [],
            **{name: list(getattr(figure, name)) for name in ("environments", "methods", "mus", "drifts", "seeds")},
            "runs_code": {
                method: code_of(context.run_job(figure.environments[0], method)) for method in figure.methods
            },
            "length": figure.length,
            "unit": kind.unit,
            "smoothing": figure.smoothing,
            "final": self.asked.final_episodes,
            "spread_alpha_max": self.asked.spread_alpha_max,
            "failed_return": {name: ENVIRONMENTS[name].failed_return for name in figure.environments},
            "reference": SCORES_OF_OTHERS,
            "members": [f"{self.results}/tables/{member.name}" for member in figure.members],
            "alpha_of": {method: list(alphas) for method, alphas in figure.alpha_of.items()},
        }

    def pictures_inputs(self, figure: Figure) -> list[str]:
        """The tables that a figure's pictures are drawn from."""
        reference = [self.figure(figure.reference)] if figure.reference else []
        return outputs.table_files(self.results, [figure, *reference])

    def pictures_job(self, figure: Figure) -> Job:
        """What draws a figure's pictures: each with what `PictureJob` has, and how its methods look."""
        kind = KINDS[figure.kind]
        return {
            "code": [code_of(f"pictures_{kind.name}"), script_code("draw_pictures")],
            "looks": [looks_of(method) for method in figure.methods],
            "tables": f"{self.results}/tables/{figure.name}",
            "reference": f"{self.results}/tables/{figure.reference}" if figure.reference else "",
            "facts": {"length": figure.length, "beta_mu": figure.beta_mu or ""},
            "pictures": [
                {
                    "draw": picture.draw,
                    "prefix": f"{self.results}/figures/{figure.name}{picture.suffix}",
                    "title": labels.title(figure, picture),
                    "note": context.note(self.asked, self.paper, figure, curves=picture.has_curves),
                }
                for picture in kind.pictures(figure)
            ],
        }

    def choice_job(self, figure: Figure) -> Job:
        """What chooses a figure's α, or its settings."""
        code = [code_of("chosen_settings"), script_code("choose_settings")]
        if figure.best is None:
            score, quantities = KINDS[figure.kind].choice or ("", ())
            return {"code": code, "among": list(figure.candidates()), "choice": [score, list(quantities)]}
        return {
            "code": code,
            "count": figure.best.count,
            "environment": self.figure(figure.best.figure).environments[0],
            "method": figure.best.method,
        }

    # Pages.

    def claims_job(self) -> Job:
        """What judges the claims."""
        return {
            "code": [code_of("claims"), script_code("judge_claims")],
            "tables": f"{self.results}/tables",
            "kinds": {figure.name: figure.kind for figure in self.figures},
            "scale": self.asked.scale,
            "sections": context.SECTIONS,
        }

    def article_job(self) -> Job:
        """What writes the article and the claims page."""
        pages = [Path(file).name for file in outputs.page_files(self.results)]
        return {
            "code": [code_of("article"), script_code("write_article")],
            "results": self.results,
            "words": context.article_context(self.asked, self.report_context(), pages),
        }

    def article_inputs(self) -> list[str]:
        """What the article is made of: verdicts, pictures, and the templates of its pages and captions."""
        shown = [self.figure(name) for name in dict.fromkeys(context.whole_figures(self.asked).values())]
        pictures = [f"{self.results}/figures/{figure.name}.{suffix}" for figure in shown for suffix in ("png", "svg")]
        opening = context.opening_figure(self.asked)
        pictures += [f"{self.results}/figures/{opening}.csv"] if opening else []
        pairs = [f"{self.results}/tables/{name}/improvement.parquet" for name in context.run_against_run(self.asked)]
        captions = {f"{KINDS[figure.kind].pictures(figure)[0].caption}.rst" for figure in shown}
        templates = [f"reports/{name}" for name in (*context.ARTICLE_FILES, *sorted(captions))]
        return [f"{self.results}/tables/claims.json", *pictures, *pairs, *templates]

    def explorer_job(self) -> Job:
        """What writes the explorer."""
        methods = {run.method for _, run in self.lengths}
        return {
            "code": [code_of("explorer"), script_code("write_explorer")],
            "tables": f"{self.results}/tables",
            "looks": [looks_of(method) for method in METHODS if method in methods],
            "words": context.explorer_context(self.asked, self.codes()),
        }

    def explorer_inputs(self) -> list[str]:
        """What the explorer is made of."""
        tables = outputs.table_files(self.results, outputs.in_explorer(self.figures), outputs.csv_tables_of)
        templates = [f"reports/{name}" for name in context.EXPLORER_FILES]
        verdicts = f"{self.results}/tables/claims.json"
        return [*outputs.thinned_files(self.results, self.figures), *tables, *templates, verdicts]

    def try_page_job(self) -> Job:
        """What writes the page to play with."""
        words = context.try_context(self.paper)
        return {
            "code": [code_of("try_page"), script_code("write_try_page")],
            "looks": [looks_of(method) for method in words["methods"]],
            "words": words,
        }

    def shown_files(self) -> list[str]:
        """What the report shows of the figures: pictures in every format, and tables as CSV."""
        return [*outputs.drawn_files(self.results, self.figures), *outputs.csv_files(self.results, self.figures)]

    def caption_files(self) -> list[str]:
        """The templates of the report's captions, and its style sheet."""
        captions = {picture.caption for figure in self.figures for picture in KINDS[figure.kind].pictures(figure)}
        captions |= {f"tables/{table}" for figure in self.figures for table in outputs.csv_tables_of(figure)}
        captions |= {"front_page", "claims", "drawn_table", "explorer"}
        return [*(f"reports/{caption}.rst" for caption in sorted(captions)), "reports/style.css"]

    def report_job(self) -> Job:
        """What writes the report; the words of its captions are in it as a hash."""
        return {
            "code": [code_of("report"), script_code("write_report")],
            "config": self.config_file,
            "words": context.digest(self.report_context()),
        }

    def codes(self) -> dict[str, str]:
        """The code behind the results, by kind of job; no job that the config does not have."""
        tables = {f"tables_{figure.kind}" for figure in self.figures}
        return {job: code_of(job) for job in sorted(context.run_jobs(self.asked) | tables)}

    def packages(self) -> dict[str, str]:
        """The versions of the packages that the runs use."""
        runs = [job for job in self.codes() if job.startswith("run_")]
        return {name: version for job in runs for name, version in jobs.fingerprint_of(job).packages.items()}

    def report_context(self) -> dict[str, Any]:
        """What the report's front page and captions show."""
        if not self._report_context:
            self._report_context = context.report_context(self.asked, self.paper, self.codes())
        return self._report_context


def looks_of(method: str) -> list[Any]:
    """How a method looks in pictures; its name among that."""
    entry = METHODS[method]
    return [method, entry.label, entry.short, entry.colour, list(entry.dashes), entry.marker]
