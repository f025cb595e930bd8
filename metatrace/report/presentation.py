"""The words of the report and of the figures' titles and notes: what is shown, at which scale.

Everything here is read off the config; no result enters.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from metatrace.compiled import object_code
from metatrace.config.experiments import (
    BEST_MU,
    COMPARED,
    GAMES,
    MU_AND_BETA,
    PAIRED,
    QUESTIONS,
    STEP_SIZES,
    Experiments,
    Figure,
)
from metatrace.domains.atari import readings as games
from metatrace.domains.mountain_car import compiled
from metatrace.methods import METHODS

SECTIONS = {
    "mountain_car": "Mountain car",
    "drifting_mountain_car": "Drifting mountain car",
    "atari": "Arcade Learning Environment",
    "omitted": "Results that the paper omits",
    "comparisons": "SID, NOSID and larger meta-step-sizes, compared",
}
ENVIRONMENTS = {
    "mountain_car": "mountain car",
    "drifting_mountain_car": "drifting mountain car",
    **{game: game.replace("_", " ") for game in games.QUESTIONS},
}
# What the explorer makes panels and colours of, when a figure of a kind is picked: as the figure has them.
_FIRST_SEEN = {
    STEP_SIZES: ("mu", "alpha"),
    BEST_MU: ("drift", "method"),
    MU_AND_BETA: ("method", "mu"),
    PAIRED: ("mu", "method"),
    GAMES: ("method", "alpha"),
}
TABLES = {
    "scores": "scores, a row a run",
    "settings": "scores, a row a setting",
    "spread": "spread over α",
    "best_mu": "the best μ",
    "final_beta": "β at the end, a row a run and group",
    "best_constant": "the best constant α",
    "reference": "scores beside random play and published ones",
    "differences": "the two methods' differences, a row a setting",
    "overview": "the differences in short",
    "best_over_alpha": "the best μ over all α",
    "aggregate_scores": "all games together",
}
TABLE_TEXTS = {
    "scores": "final return (mean over the last {final} episodes) and AUC (mean over all episodes) of every run",
    "settings": "final return and AUC of every setting: mean over seeds and 95 % bootstrap interval",
    "spread": "standard deviation over α ≤ {spread_alpha_max} of the mean AUC, for every μ, "
    "with a 95 % bootstrap interval that resamples the seeds of all α together",
    "best_mu": "for every method and drift the μ with the highest final return (mean over the last "
    "{final} episodes), the runner-up, and the difference between the two, with 95 % bootstrap intervals; "
    "that of the difference pairs runs of the same seed",
    "final_beta": "mean β (log step-size) of every group of weights over the last {final} episodes of every run",
    "best_constant": "for every game the α with the highest final return (mean over the last {final} "
    "episodes) without tuning",
    "reference": "final return (mean over the last {final} finished episodes) of every setting beside that "
    "of random play and of published agents, each with its protocol, source, and whether it is comparable",
    "differences": "AUC and final return of the first method minus the second at every setting, runs paired "
    "by seed: the mean with a 95 % bootstrap interval, whether that excludes 0 (significant), the "
    "seed-to-seed standard deviation of each method, and the difference as a multiple of it",
    "overview": "over all settings how often AUC and final return differ significantly between the two "
    "methods and which is then better, the median difference, and the largest one and where it is. By "
    "chance alone some one in twenty settings would be significant, with few seeds more",
    "best_over_alpha": "for every method the μ with the highest AUC on average over α ≤ "
    "{spread_alpha_max}, with a 95 % bootstrap interval over seeds, and the runner-up",
    "aggregate_scores": "for every method and α the interquartile mean (IQM) over the runs of all games of "
    "the final return, normalized game by game: 0 is random play, 1 the published DQN of the table of scores "
    "beside published ones, which learned from four times as many frames and with replay; and how likely a "
    "run with tuning is better than one without at the same α, on a game drawn at random (improvement; 0.5: "
    "neither). 95 % bootstrap intervals resample the runs of each game",
}
# The CSV tables that a figure of each kind comes with.
TABLES_OF_KIND = {
    STEP_SIZES: ("scores", "settings", "spread"),
    BEST_MU: ("scores", "settings", "best_mu"),
    MU_AND_BETA: ("scores", "settings", "final_beta"),
    PAIRED: ("scores", "settings", "differences", "overview"),
    COMPARED: ("settings", "spread", "best_over_alpha"),
    GAMES: ("scores", "settings", "best_constant", "reference"),
}


def kernel_name(kernel: str, fingerprints: Mapping[str, str]) -> str:
    """The file name of a compiled kernel for the present code."""
    return object_code.file_name(kernel, fingerprints[f"compile_{kernel}"])


def short_name(figure: Figure) -> str:
    """`figure_2` as a reader writes it, "Figure 2"; `figure_s3_sid` is "Figure S3 (sid)"."""
    return short_name_of(figure.name)


def short_name_of(name: str) -> str:
    """The same of the name alone."""
    kind, _, rest = name.partition("_")
    number, _, part = rest.partition("_")
    return " ".join(filter(None, [kind.title(), number.title(), f"({part})" if part else ""]))


def link(figure: Figure) -> str:
    """Where a reader of the report sees a figure's curves: a file that lies beside it."""
    # What compares other figures has no curves of its own.
    return f"figures/{figure.name}.svg" if figure.kind == COMPARED else f"explorer.html#figure={figure.name}"


def labels(figure: Figure, what: str) -> dict[str, str]:
    """The columns by which the report lists a file."""
    return {
        "figure": short_name(figure),
        "method": ", ".join(figure.methods),
        "μ": "untuned" if figure.mus == ("0",) else token_range(figure.mus),
        "shows": what,
    }


def token_range(tokens: tuple[str, ...]) -> str:
    """The tokens in short: the first and the last, or the only one."""
    return tokens[0] if len(tokens) == 1 else f"{tokens[0]} … {tokens[-1]}"


def title(figure: Figure, kind: str) -> str:
    """What stands above a picture."""
    if kind == "sensitivity":
        return f"{short_name(figure)}, sensitivity to α and μ: {METHODS[figure.methods[0]].label}"
    if kind == "heat_map":
        return f"{short_name(figure)}, scores over α and μ: {METHODS[figure.methods[0]].label}"
    if kind == "by_drift":
        return f"{short_name(figure)}, against the drift rate: every method at its best meta-step-size"
    if kind == "draw_paired_curves":
        return f"{figure.title}, curves"
    return figure.title


def note(asked: Experiments, paper: Experiments, figure: Figure, *, curves: bool = True) -> str:
    """The line at a picture's foot: the scale, and what it lacks to the paper's.

    Args:
      curves: whether the picture shows curves or bands, which the line then explains.
    """
    seeds = len(figure.seeds)
    whole = paper.figures.get(figure.name)
    shown = f"{asked.scale.capitalize()} scale: mean over {seeds} seed{'s' if seeds > 1 else ''}, {length_text(figure)}"
    if curves:
        shown += f", trailing mean of {figure.smoothing}{' finished episodes' if figure.kind == GAMES else ''}"
    if curves and seeds > 1:
        shown += ", bands are 95 % bootstrap intervals"
    if whole is None:
        return shown
    lacks = [
        f"{part:{comma}} of {total:{comma}} {name}"
        for part, total, name in (
            (seeds, len(whole.seeds), "seeds"),
            (figure.length, whole.length, whole.unit),
            (_n_alphas(figure), _n_alphas(whole), "α"),
            (len(figure.mus), len(whole.mus), "μ"),
            (len(figure.drifts), len(whole.drifts), "drift rates"),
            (len(figure.environments), len(whole.environments), "games"),
        )
        for comma in ("," if total > 9999 else "",)
        if part < total
    ]
    return f"{shown}. Less than the paper: {', '.join(lacks)}." if lacks else f"{shown}."


def length_text(figure: Figure) -> str:
    """How long its runs are: "1000 episodes", "12,500,000 observed frames"."""
    return f"{figure.length:{',' if figure.length > 9999 else ''}} {figure.unit}"


def _n_alphas(figure: Figure) -> int:
    return figure.best.count if figure.best else len(figure.alphas)


def alphas_text(figure: Figure) -> str:
    """The initial step-sizes, or how they are chosen."""
    if figure.best is None:
        return ", ".join(figure.alphas)
    method, other = METHODS[figure.best.method].label, short_name_of(figure.best.figure)
    return f"the {figure.best.count} best of {method} in {other}"


def run_job(environment: str, method: str) -> str:
    """The kind of job (a key of `provenance.ENTRY_POINTS`) that makes a run."""
    return "run_game" if environment in games.QUESTIONS else f"run_{compiled.kernel_of(method)}"


def run_jobs(asked: Experiments) -> set[str]:
    """The kinds of job that make a config's runs."""
    return {run_job(run.environment, run.method) for _, run in asked.all_runs()}


def aggregate_job(figure: Figure) -> str:
    """The kind of job that aggregates a figure's runs."""
    jobs = {MU_AND_BETA: "aggregate_beta", GAMES: "aggregate_games", COMPARED: "compare_methods"}
    return jobs.get(figure.kind, "aggregate")


def aggregate_jobs(asked: Experiments) -> set[str]:
    """The kinds of job that aggregate a config's runs."""
    return {aggregate_job(figure) for figure in asked.figures.values()}


def of(asked: Experiments, paper: Experiments, fingerprints: Mapping[str, str]) -> dict[str, Any]:
    """What the report's front page and captions show, as plain types."""
    runs = asked.all_runs()
    frames = sum(length for (_, run), length in runs.items() if run.environment in games.QUESTIONS)
    return {
        "scale": asked.scale,
        "runs": len(runs),
        "episodes": sum(runs.values()) - frames,
        "frames": frames,
        "final": asked.final_episodes,
        "spread_alpha_max": asked.spread_alpha_max,
        "code": _code(asked, fingerprints),
        "sections": {
            SECTIONS[name]: [{"title": figure.title, "link": link(figure)} for figure in members]
            for name, members in asked.sections().items()
        },
        "tables": {
            name: text.format(final=asked.final_episodes, spread_alpha_max=asked.spread_alpha_max)
            for name, text in TABLE_TEXTS.items()
        },
        "readings": [
            {
                "id": reading.id,
                "key": reading.key,
                "value": asked.readings[reading.key],
                "is_default": asked.readings[reading.key] == reading.default,
                "others": [value for value in reading.values if value != asked.readings[reading.key]],
                "figures": _figures(asked, reading.key),
                "elsewhere": _elsewhere(asked, reading.key),
                "question": reading.question,
                "why": reading.why,
            }
            for reading in dict.fromkeys(
                reading
                for figure in asked.figures.values()
                for environment in figure.environments
                for reading in QUESTIONS[environment]
            )
        ],
        "figures": {
            figure.name: {
                "title": figure.title,
                "environment": ", ".join(figure.environments),
                "method_text": ", ".join(METHODS[method].label for method in figure.methods),
                "alphas": alphas_text(figure),
                "mus": [] if figure.mus == ("0",) else list(figure.mus),
                "drifts": list(figure.drifts),
                "beta_mu": figure.beta_mu or "",
                "readings": ", ".join(
                    f"{key} = {value}"
                    for key, value in {
                        key: value
                        for environment in figure.environments
                        for key, value in asked.readings_of(environment, figure.variant).items()
                    }.items()
                ),
                "seeds": len(figure.seeds),
                "runs": len(figure.some_runs()),
                "length": length_text(figure),
                "smoothing": figure.smoothing,
                "ours": figure.ours,
                "note": note(asked, paper, figure),
                "of": [short_name(member) for member in figure.of],
                "reference": short_name(asked.figures[figure.reference]) if figure.reference else "",
            }
            for figure in asked.figures.values()
        },
    }


def explorer(asked: Experiments, fingerprints: Mapping[str, str]) -> dict[str, Any]:
    """What the explorer says, and of which figures it shows what, as plain types."""
    code = _code(asked, fingerprints)
    return {
        "scale": asked.scale,
        "runs": len(asked.all_runs()),
        "code": code,
        "fingerprint": digest(code),
        "environments": ENVIRONMENTS,
        "methods": {name: method.label for name, method in METHODS.items()},
        "variants": {variant: variant_text(variant) for variant in asked.variants()},
        "tables": {
            name: {
                "name": TABLES[name],
                "text": text.format(final=asked.final_episodes, spread_alpha_max=asked.spread_alpha_max),
            }
            for name, text in TABLE_TEXTS.items()
        },
        "figures": [
            {
                "name": figure.name,
                "short": short_name(figure),
                "title": figure.title,
                "variant": figure.variant,
                "smoothing": figure.smoothing,
                "tables": list(TABLES_OF_KIND[figure.kind]),
                "panels": "environment" if len(figure.environments) > 1 else _FIRST_SEEN[figure.kind][0],
                "colours": _FIRST_SEEN[figure.kind][1],
                "best": figure.kind == BEST_MU,
            }
            for figure in asked.figures.values()
            if figure.kind != COMPARED
        ],
    }


def _figures(asked: Experiments, key: str) -> list[dict[str, str]]:
    """The figures whose runs a reading enters; none where it enters all."""
    concerned = [
        figure
        for figure in asked.figures.values()
        if any(key == reading.key for environment in figure.environments for reading in QUESTIONS[environment])
    ]
    if len(concerned) == len(asked.figures) > 1:
        return []
    return [{"name": short_name(figure), "link": link(figure)} for figure in concerned]


def _elsewhere(asked: Experiments, key: str) -> list[dict[str, str]]:
    """The figures that have another answer to a reading than the config, and that answer."""
    return [
        {"name": short_name(figure), "link": link(figure), "value": figure.readings[key]}
        for figure in asked.figures.values()
        if figure.readings[key] != asked.readings[key]
    ]


def variant_text(variant: str) -> str:
    """The readings that make a variant, as a reader writes them."""
    return variant.replace("~", " = ").replace("+", ", ") or "the config's own"


def _code(asked: Experiments, fingerprints: Mapping[str, str]) -> dict[str, str]:
    """The code behind a config's results. No kernel that no run uses: else the pages would change with it."""
    return {job: fingerprints[job] for job in sorted({*run_jobs(asked), *aggregate_jobs(asked)})}


def verdicts(path: Path) -> list[str]:
    """A sentence a section on what holds of the paper's claims, of claims.json; none before it is made."""
    try:
        return [str(sentence) for sentence in json.loads(path.read_text(encoding="utf-8"))["summary"].values()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def as_json(presentation: Mapping[str, Any]) -> str:
    """Words on one line, in their order: as `metatrace explorer` takes them."""
    return json.dumps(presentation, separators=(",", ":"), ensure_ascii=False)


def digest(presentation: Mapping[str, Any]) -> str:
    """A hash of the report's words: when they change, the report is written anew."""
    text = json.dumps(presentation, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
