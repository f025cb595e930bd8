"""The command line: `metatrace run | compile | estimate | aggregate | … | config | status | provenance`.

Bad input ends with one line on standard error and exit code 2. Each verb imports what it needs when it
is called: a mountain car run pays for neither pandas nor numba.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from metatrace import numbers
from metatrace.cli import compile, config, estimate, provenance, publish, run, status, streams
from metatrace.cli.options import whole_number
from metatrace.domains.registry import ENVIRONMENTS
from metatrace.errors import UserError
from metatrace.runs import atomic

if TYPE_CHECKING:
    import pandas as pd


# The verbs that have a module each; `add` of a module adds its parser.
FAILED = {token: environment.failed_return for token, environment in ENVIRONMENTS.items()}
VERBS = (run, config, status, estimate, provenance, compile, publish)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are user errors, and that takes no abbreviations; so are the verbs' own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def print_help(self, file: Any = None) -> None:
        """As argparse's, but what cannot be written is an error."""
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see: {self.prog} --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0, or 2 after bad input."""
    if arguments is None:
        streams.prepare()
    try:
        try:
            options = _parser().parse_args(arguments)
            options.verb(options)
        finally:
            sys.stdout.flush()
    except UserError as error:
        print(f"metatrace: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if error.filename is not None:
            print(f"metatrace: error: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
        streams.discard(1)
        if isinstance(error, BrokenPipeError):  # the reader of our output has left, as `| head` does
            return 1
        print(f"metatrace: error: standard output cannot be written ({error.strerror})", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("metatrace: interrupted; nothing was written", file=sys.stderr)
        return 130
    return 0


def _parser() -> Parser:
    parser = Parser(prog="metatrace", description="Metatrace actor-critic, reproduced.")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for module in VERBS:
        module.add(verbs)

    aggregate = verbs.add_parser("aggregate", help="runs of one grid to tidy tables (Parquet)")
    aggregate.set_defaults(verb=_aggregate)
    aggregate.add_argument("--runs", required=True, type=Path, metavar="FOLDER", help="results/<scale>/runs")
    aggregate.add_argument("--environment", required=True)
    aggregate.add_argument("--method", required=True, nargs="+")
    aggregate.add_argument("--alpha", required=True, nargs="+", metavar="TOKEN")
    aggregate.add_argument(
        "--mu", required=True, nargs="+", metavar="TOKEN", help="of the tuned methods; 0 where there is none"
    )
    aggregate.add_argument("--drift", default=["0"], nargs="+", metavar="TOKEN")
    aggregate.add_argument("--seeds", required=True, nargs="+", type=whole_number("--seeds", 0), metavar="N")
    aggregate.add_argument("--episodes", required=True, type=whole_number("--episodes", 1), metavar="N")
    aggregate.add_argument(
        "--code",
        nargs="+",
        metavar="FINGERPRINT",
        help="refuse runs that other code made; one for each --method",
    )
    aggregate.add_argument(
        "--smoothing",
        required=True,
        type=whole_number("--smoothing", 1),
        metavar="N",
        help="episodes in the trailing mean",
    )
    aggregate.add_argument(
        "--final", required=True, type=whole_number("--final", 1), metavar="N", help="episodes in the final score"
    )
    aggregate.add_argument(
        "--spread-alpha-max", required=True, metavar="TOKEN", help="largest step-size that the spread counts"
    )
    aggregate.add_argument(
        "--output",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="gets curves, scores, settings and spread.parquet",
    )
    aggregate.add_argument(
        "--beta", action="store_true", help="also beta.parquet and final_beta.parquet, of runs that keep β"
    )

    played = verbs.add_parser("aggregate-games", help="runs of games to tidy tables (Parquet)")
    played.set_defaults(verb=_aggregate_games)
    played.add_argument("--runs", required=True, type=Path, metavar="FOLDER", help="results/<scale>/runs")
    played.add_argument("--environment", required=True, nargs="+", metavar="GAME")
    played.add_argument("--method", required=True, nargs="+")
    played.add_argument("--alpha", required=True, nargs="+", metavar="TOKEN")
    played.add_argument(
        "--mu", required=True, nargs="+", metavar="TOKEN", help="of the tuned methods; 0 where there is none"
    )
    played.add_argument("--seeds", required=True, nargs="+", type=whole_number("--seeds", 0), metavar="N")
    played.add_argument("--frames", required=True, type=whole_number("--frames", 1), metavar="N")
    played.add_argument("--code", nargs="+", metavar="FINGERPRINT", help="refuse runs that other code made")
    played.add_argument(
        "--smoothing",
        required=True,
        type=whole_number("--smoothing", 1),
        metavar="N",
        help="finished episodes in the trailing mean",
    )
    played.add_argument(
        "--final", required=True, type=whole_number("--final", 1), metavar="N", help="episodes in the final score"
    )
    played.add_argument(
        "--reference",
        required=True,
        type=Path,
        metavar="CSV",
        help="scores of random play and of published agents, such as config/reference_scores.csv",
    )
    played.add_argument(
        "--output",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="gets curves, scores, settings, best_constant and reference.parquet",
    )

    for name, what, unit, thin in (
        ("thin", "runs of mountain car", "episodes", _thin),
        ("thin-games", "runs of games", "frames", _thin_games),
    ):
        thinned = verbs.add_parser(name, help=f"{what} and their curves, thinned for the explorer (JSON)")
        thinned.set_defaults(verb=thin)
        thinned.add_argument("--runs", required=True, type=Path, metavar="FOLDER", help="results/<scale>/runs")
        thinned.add_argument("--environment", required=True, nargs="+")
        thinned.add_argument("--method", required=True, nargs="+")
        thinned.add_argument("--alpha", required=True, nargs="+", metavar="TOKEN")
        thinned.add_argument(
            "--mu",
            required=True,
            nargs="+",
            metavar="TOKEN",
            help="of the tuned methods; 0 where there is none",
        )
        thinned.add_argument("--drift", default=["0"], nargs="+", metavar="TOKEN")
        thinned.add_argument("--seeds", required=True, nargs="+", type=whole_number("--seeds", 0), metavar="N")
        thinned.add_argument(f"--{unit}", required=True, type=whole_number(f"--{unit}", 1), metavar="N")
        thinned.add_argument(
            "--code",
            nargs="+",
            metavar="FINGERPRINT",
            help="refuse runs that other code made; one for each --method",
        )
        thinned.add_argument(
            "--smoothing",
            required=True,
            type=whole_number("--smoothing", 1),
            metavar="N",
            help="episodes in the trailing mean",
        )
        thinned.add_argument(
            "--curves", required=True, type=Path, metavar="PARQUET", help="the curves of the same runs"
        )
        thinned.add_argument("--output", required=True, type=Path, metavar="JSON")

    together = verbs.add_parser("aggregate-scores", help="the scores of each method over several games together")
    together.set_defaults(verb=_aggregate_scores)
    together.add_argument("scores", type=Path, metavar="PARQUET", help="the scores that `aggregate-games` wrote")
    together.add_argument(
        "--reference",
        required=True,
        type=Path,
        metavar="CSV",
        help="scores of random play and of DQN, such as config/reference_scores.csv",
    )
    together.add_argument("--output", required=True, type=Path, metavar="PARQUET")

    chosen = verbs.add_parser("best-alphas", help="the initial step-sizes with the best final scores")
    chosen.set_defaults(verb=_best_alphas)
    chosen.add_argument("settings", type=Path, metavar="PARQUET", help="the settings that `aggregate-games` wrote")
    chosen.add_argument("--environment", required=True, metavar="GAME")
    chosen.add_argument("--method", required=True)
    chosen.add_argument("--count", required=True, type=whole_number("--count", 1), metavar="N")
    chosen.add_argument("--output", required=True, type=Path, metavar="TXT", help="a token a line")

    best = verbs.add_parser("best-mu", help="the best meta-step-size of each method")
    best.set_defaults(verb=_best_mu)
    best.add_argument("scores", type=Path, metavar="PARQUET", help="the scores that `aggregate` wrote")
    best.add_argument("--output", required=True, type=Path, metavar="PARQUET")

    pair = verbs.add_parser("paired", help="two methods at the same settings, seed by seed")
    pair.set_defaults(verb=_paired)
    pair.add_argument("scores", type=Path, metavar="PARQUET", help="the scores that `aggregate` wrote")
    pair.add_argument("--first", required=True, metavar="METHOD")
    pair.add_argument("--second", required=True, metavar="METHOD", help="what the first is compared with")
    pair.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="gets differences and overview.parquet"
    )

    claims = verbs.add_parser("claims", help="judge the paper's claims by the tables")
    claims.set_defaults(verb=_claims)
    claims.add_argument("--tables", required=True, type=Path, metavar="FOLDER", help="results/<scale>/tables")
    claims.add_argument("--figures", required=True, nargs="+", metavar="NAME=KIND", help="those that ran")
    claims.add_argument("--claims", required=True, type=Path, metavar="YAML", help="config/claims.yaml")
    claims.add_argument("--paper", required=True, type=Path, metavar="YAML", help="config/paper.yaml")
    claims.add_argument("--style", required=True, type=Path, metavar="CSS", help="reports/claims.css")
    claims.add_argument("--scale", required=True, help="its name, for the titles")
    claims.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="gets claims.html and tables/claims.*"
    )

    compared = verbs.add_parser(
        "compare-methods",
        help="the tables of several grids as one, and the best meta-step-size of each method over all α",
    )
    compared.set_defaults(verb=_compare_methods)
    compared.add_argument(
        "--tables",
        required=True,
        nargs="+",
        type=Path,
        metavar="FOLDER",
        help="what `metatrace aggregate` wrote, a folder a grid",
    )
    compared.add_argument(
        "--spread-alpha-max", required=True, metavar="TOKEN", help="the largest step-size that counts"
    )
    compared.add_argument(
        "--output",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="gets settings, spread and best_over_alpha.parquet",
    )

    table = verbs.add_parser("table", help="a Parquet table as CSV")
    table.set_defaults(verb=_table)
    table.add_argument("input", type=Path, metavar="PARQUET")
    table.add_argument("--output", required=True, type=Path, metavar="CSV")

    figure = verbs.add_parser("figure", help="draw a figure: SVG, PDF, PNG and the table that it draws")
    kinds = figure.add_subparsers(metavar="KIND", required=True)
    for kind, text, draw in (
        ("learning-curves", "a panel a meta-step-size, a line an initial step-size", _learning_curves),
        (
            "sensitivity",
            "scores against the initial step-size, spread against the meta-step-size",
            _sensitivity,
        ),
        ("heat-map", "scores at every initial step-size and meta-step-size", _heat_map),
        ("best-mu", "a panel a drift rate, a line a method at its best meta-step-size", _draw_best_mu),
        ("by-drift", "scores of every method at its best meta-step-size against the drift rate", _by_drift),
        (
            "mu-and-beta",
            "a row a method: a line a meta-step-size, and how β evolves at one of them",
            _mu_and_beta,
        ),
        ("games", "a panel a game and method, a line an initial step-size, over observed frames", _games),
        (
            "paired",
            "the difference of two methods' scores at every α and μ",
            _draw_paired,
        ),
        ("methods", "all methods: scores against α at the best μ, spread over α against μ", _draw_methods),
        ("paired-curves", "two methods' learning curves at the same settings", _draw_paired_curves),
    ):
        one = kinds.add_parser(kind, help=text)
        one.set_defaults(verb=draw)
        one.add_argument(
            "--tables", required=True, type=Path, metavar="FOLDER", help="what `metatrace aggregate` wrote"
        )
        if kind == "sensitivity":
            one.add_argument("--reference", type=Path, metavar="FOLDER", help="the tables of the untuned runs")
        if kind == "heat-map":
            one.add_argument(
                "--reference",
                required=True,
                type=Path,
                metavar="FOLDER",
                help="the tables of the untuned runs",
            )
        if kind == "mu-and-beta":
            one.add_argument("--mu", required=True, metavar="TOKEN", help="at which β is shown")
        if kind == "games":
            one.add_argument(
                "--frames", required=True, type=whole_number("--frames", 1), metavar="N", help="of every run"
            )
        one.add_argument("--title", required=True)
        one.add_argument("--note", default="", help="a small line at the figure's foot")
        one.add_argument(
            "--output", required=True, metavar="PREFIX", help="PREFIX.svg, .pdf, .png and .csv are written"
        )

    explorer = verbs.add_parser("explorer", help="the page on which a reader picks curves, runs and tables (HTML)")
    explorer.set_defaults(verb=_explorer)
    explorer.add_argument("--tables", required=True, type=Path, metavar="FOLDER", help="results/<scale>/tables")
    explorer.add_argument(
        "--words",
        required=True,
        metavar="JSON",
        help="what the page says, as `context.explorer_context` makes it",
    )
    explorer.add_argument(
        "--template",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="where explorer.html, .css and .js lie: reports",
    )
    explorer.add_argument("--output", required=True, type=Path, metavar="HTML")

    return parser


def _aggregate(options: argparse.Namespace) -> None:
    from metatrace.analysis import aggregate, beta, tables
    from metatrace.runs import collect

    grid = collect.Grid(
        [options.environment],
        options.method,
        options.alpha,
        options.mu,
        options.drift,
        options.seeds,
        options.episodes,
    )
    if options.code is not None and len(options.code) != len(options.method):
        raise UserError(
            f"--code: has {len(options.code)} fingerprints; there must be one for each --method, "
            f"that is {len(options.method)}"
        )
    code = options.code and dict(zip(options.method, options.code, strict=True))
    spread_alpha_max = numbers.parse(options.spread_alpha_max, "--spread-alpha-max")
    runs = collect.load(options.runs, grid, code=code)
    made = aggregate.aggregate(runs, window=options.smoothing, final=options.final, spread_alpha_max=spread_alpha_max)
    frames = {field.name: getattr(made, field.name) for field in fields(made)}
    if options.beta:
        frames["beta"] = beta.curves(runs, window=options.smoothing)
        frames["final_beta"] = beta.final(runs, final=options.final)
    for name, frame in frames.items():
        tables.write(frame, options.output / f"{name}.parquet")


def _aggregate_games(options: argparse.Namespace) -> None:
    from metatrace.analysis import games, tables
    from metatrace.runs import collect

    reference = games.read_reference(options.reference)
    grid = collect.Grid(
        options.environment, options.method, options.alpha, options.mu, ["0"], options.seeds, episodes=None
    )
    code = options.code and dict(zip(options.method, options.code, strict=True))
    runs = collect.load(options.runs, grid, code=code)
    scores = games.scores(
        runs, frames=options.frames, window=options.smoothing, final=options.final, failed_return=FAILED
    )
    # As the command names the games, and not by alphabet.
    scores = scores.sort_values("environment", key=lambda column: column.map(options.environment.index), kind="stable")
    settings = games.settings(scores)
    made = {
        "curves": games.curves(runs, frames=options.frames, window=options.smoothing, failed_return=FAILED),
        "scores": scores,
        "settings": settings,
        "best_constant": games.best_constant(settings),
        "reference": games.beside_reference(settings, reference, frames=options.frames),
    }
    for name, frame in made.items():
        tables.write(frame, options.output / f"{name}.parquet")


def _thin(options: argparse.Namespace) -> None:
    from metatrace.analysis import points, smoothing, tables, thinned
    from metatrace.runs import collect

    grid = collect.Grid(
        options.environment,
        options.method,
        options.alpha,
        options.mu,
        options.drift,
        options.seeds,
        options.episodes,
    )
    _hold_codes_to_methods(options)
    code = options.code and dict(zip(options.method, options.code, strict=True))
    curves = tables.read(options.curves)
    _hold_to(curves, ("alpha", "mu", "episode", "mean"), options.curves, "the curves of `metatrace aggregate`")
    kept = points.kept(options.episodes, thinned.MOST_RUN_POINTS)
    made = thinned.of(
        curves,
        collect.load(options.runs, grid, code=code),
        grid=kept + 1,
        course=lambda run: smoothing.trailing_mean(run.returns, options.smoothing)[kept],
    )
    atomic.write_atomically(options.output, json.dumps(made, separators=(",", ":")).encode())


def _thin_games(options: argparse.Namespace) -> None:
    from metatrace.analysis import games, points, tables, thinned
    from metatrace.runs import collect

    grid = collect.Grid(
        options.environment,
        options.method,
        options.alpha,
        options.mu,
        options.drift,
        options.seeds,
        episodes=None,
    )
    _hold_codes_to_methods(options)
    code = options.code and dict(zip(options.method, options.code, strict=True))
    curves = tables.read(options.curves)
    wanted = "the curves of `metatrace aggregate-games`"
    _hold_to(curves, ("alpha", "mu", "frame", "mean"), options.curves, wanted)
    frames = games.frame_grid(options.frames)
    frames = frames[points.kept(len(frames), thinned.MOST_RUN_POINTS)]
    made = thinned.of(
        curves,
        collect.load(options.runs, grid, code=code),
        grid=frames,
        course=lambda run: games.trailing_returns(run, frames, options.smoothing, FAILED[run.key.environment]),
    )
    atomic.write_atomically(options.output, json.dumps(made, separators=(",", ":")).encode())


def _hold_codes_to_methods(options: argparse.Namespace) -> None:
    if options.code is not None and len(options.code) != len(options.method):
        raise UserError(
            f"--code: has {len(options.code)} fingerprints; there must be one for each --method, "
            f"that is {len(options.method)}"
        )


def _explorer(options: argparse.Namespace) -> None:
    from metatrace.report import explorer

    words = explorer.read_words(options.words)
    atomic.write_atomically(options.output, explorer.page(words, options.tables, options.template))


def _aggregate_scores(options: argparse.Namespace) -> None:
    from metatrace.analysis import aggregate_scores, games, tables

    scores = tables.read(options.scores)
    columns = ("environment", "method", "alpha", "mu", "seed", "final")
    _hold_to(scores, columns, options.scores, "the scores.parquet of `metatrace aggregate-games`")
    reference = games.read_reference(options.reference)
    tables.write(aggregate_scores.aggregate_scores(scores, reference), options.output)


def _best_alphas(options: argparse.Namespace) -> None:
    from metatrace.analysis import games, tables

    settings = tables.read(options.settings)
    columns = ("environment", "method", "alpha", "mu", "final")
    _hold_to(settings, columns, options.settings, "the settings.parquet of `metatrace aggregate-games`")
    alphas = games.best_alpha(settings, environment=options.environment, method=options.method, count=options.count)
    atomic.write_atomically(options.output, "".join(f"{alpha}\n" for alpha in alphas).encode())


def _claims(options: argparse.Namespace) -> None:
    from metatrace.analysis import tables
    from metatrace.config import loading
    from metatrace.report import claim_evidence, claims, context, criteria
    from metatrace.report import claims_page as pages

    decided_by = criteria.read(options.claims)
    kinds = dict(figure.split("=") for figure in options.figures)
    ran = claim_evidence.load(options.tables, kinds, loading.read(options.paper))
    style = atomic.read_text(options.style, "it must be a style sheet")
    table = claims.judge(decided_by, ran)
    summary = claims.summary(table, context.SECTIONS)
    atomic.write_atomically(options.output / "tables" / "claims.json", pages.as_json(table, summary, options.scale))
    atomic.write_atomically(options.output / "tables" / "claims.csv", tables.as_csv(table))
    page = pages.page(table, summary, scale=options.scale, style=style)
    atomic.write_atomically(options.output / "claims.html", page)


def _best_mu(options: argparse.Namespace) -> None:
    from metatrace.analysis import best, tables

    scores = tables.read(options.scores)
    _hold_to(scores, (*best.CASE, "mu", "final"), options.scores, "the scores.parquet of `metatrace aggregate`")
    tables.write(best.best_mu(scores), options.output)


def _paired(options: argparse.Namespace) -> None:
    from metatrace.analysis import paired, tables

    scores = tables.read(options.scores)
    columns = ("environment", "method", "alpha", "mu", "drift", "seed", *paired.SCORES)
    _hold_to(scores, columns, options.scores, "the scores.parquet of `metatrace aggregate`")
    differences = paired.differences(scores, options.first, options.second)
    tables.write(differences, options.output / "differences.parquet")
    tables.write(paired.overview(differences), options.output / "overview.parquet")


def _compare_methods(options: argparse.Namespace) -> None:
    from metatrace.analysis import methods, tables

    alpha_max = numbers.parse(options.spread_alpha_max, "--spread-alpha-max")
    read = {
        name: [tables.read(folder / f"{name}.parquet") for folder in options.tables]
        for name in ("scores", "settings", "spread")
    }
    made = {name: methods.gathered(frames) for name, frames in read.items()}
    made["best_over_alpha"] = methods.best_over_alpha(made.pop("scores"), alpha_max)
    for name, frame in made.items():
        tables.write(frame, options.output / f"{name}.parquet")


def _hold_to(frame: "pd.DataFrame", columns: Sequence[str], path: Path, wanted: str) -> None:
    """Refuses a table of another kind."""
    missing = [name for name in columns if name not in frame]
    if missing:
        raise UserError(f"{path}: has no column {', '.join(missing)}; name {wanted}")


def _table(options: argparse.Namespace) -> None:
    from metatrace.analysis import tables

    atomic.write_atomically(options.output, tables.as_csv(tables.read(options.input)))


def _learning_curves(options: argparse.Namespace) -> None:
    from metatrace.analysis import points, tables
    from metatrace.figures import learning_curves, style

    curves = points.of_episodes(tables.read(options.tables / "curves.parquet"))
    style.save(learning_curves.draw(curves, title=options.title, note=options.note), options.output)
    style.save_table(curves, options.output)


def _sensitivity(options: argparse.Namespace) -> None:
    from metatrace.analysis import tables
    from metatrace.figures import sensitivity, style

    settings = tables.read(options.tables / "settings.parquet")
    spread = tables.read(options.tables / "spread.parquet")
    reference = reference_spread = None
    if options.reference is not None:
        reference = tables.read(options.reference / "settings.parquet")
        reference_spread = tables.read(options.reference / "spread.parquet")
    figure = sensitivity.draw(
        settings, spread, reference, title=options.title, note=options.note, reference_spread=reference_spread
    )
    style.save(figure, options.output)
    style.save_table(sensitivity.drawn_table(settings, spread, reference, reference_spread), options.output)


def _heat_map(options: argparse.Namespace) -> None:
    from metatrace.analysis import tables
    from metatrace.figures import heat_map, style

    settings, reference = (tables.read(folder / "settings.parquet") for folder in (options.tables, options.reference))
    style.save(heat_map.draw(settings, reference, title=options.title, note=options.note), options.output)
    style.save_table(heat_map.drawn_table(settings, reference), options.output)


def _draw_best_mu(options: argparse.Namespace) -> None:
    from metatrace.analysis import points, tables
    from metatrace.figures import best_mu, style

    curves, best = (tables.read(options.tables / f"{name}.parquet") for name in ("curves", "best_mu"))
    curves = points.of_episodes(curves)
    style.save(best_mu.draw(curves, best, title=options.title, note=options.note), options.output)
    style.save_table(best_mu.drawn_table(curves, best), options.output)


def _by_drift(options: argparse.Namespace) -> None:
    from metatrace.analysis import tables
    from metatrace.figures import by_drift, style

    settings, best = (tables.read(options.tables / f"{name}.parquet") for name in ("settings", "best_mu"))
    style.save(by_drift.draw(settings, best, title=options.title, note=options.note), options.output)
    style.save_table(by_drift.drawn_table(settings, best), options.output)


def _mu_and_beta(options: argparse.Namespace) -> None:
    from metatrace.analysis import points, tables
    from metatrace.figures import mu_and_beta, style

    curves, beta = (tables.read(options.tables / f"{name}.parquet") for name in ("curves", "beta"))
    if options.mu not in set(beta["mu"]):
        raise UserError(f"--mu: {options.mu!r} is not in {options.tables}; name one of its meta-step-sizes")
    curves, beta = points.of_episodes(curves), points.of_episodes(beta)
    figure = mu_and_beta.draw(curves, beta, mu=options.mu, title=options.title, note=options.note)
    style.save(figure, options.output)
    style.save_table(mu_and_beta.drawn_table(curves, beta, options.mu), options.output)


def _games(options: argparse.Namespace) -> None:
    from metatrace.analysis import tables
    from metatrace.figures import games, style

    curves, settings, best = (
        tables.read(options.tables / f"{name}.parquet") for name in ("curves", "settings", "best_constant")
    )
    figure = games.draw(curves, settings, best, title=options.title, note=options.note, frames=options.frames)
    style.save(figure, options.output)
    style.save_table(games.drawn_table(curves, best, settings), options.output)


def _draw_methods(options: argparse.Namespace) -> None:
    from metatrace.analysis import tables
    from metatrace.figures import methods, style

    settings, spread, best = (
        tables.read(options.tables / f"{name}.parquet") for name in ("settings", "spread", "best_over_alpha")
    )
    figure = methods.draw(settings, spread, best, title=options.title, note=options.note)
    style.save(figure, options.output)
    style.save_table(methods.drawn_table(settings, spread, best), options.output)


def _draw_paired(options: argparse.Namespace) -> None:
    from metatrace.analysis import tables
    from metatrace.figures import paired, style

    differences = tables.read(options.tables / "differences.parquet")
    style.save(paired.draw(differences, title=options.title, note=options.note), options.output)
    style.save_table(paired.drawn_table(differences), options.output)


def _draw_paired_curves(options: argparse.Namespace) -> None:
    from metatrace.analysis import points, tables
    from metatrace.figures import paired_curves, style

    curves = points.of_episodes(tables.read(options.tables / "curves.parquet"))
    style.save(paired_curves.draw(curves, title=options.title, note=options.note), options.output)
    style.save_table(paired_curves.drawn_table(curves), options.output)
