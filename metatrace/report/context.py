"""What the report's templates and the explorer show of a config: texts, numbers and links, as plain types.

Everything here comes from the config; no result enters.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from metatrace.config.experiments import Experiments
from metatrace.config.figure import Figure
from metatrace.domains.readings import Reading
from metatrace.domains.registry import ENVIRONMENTS, domain_of, methods_of
from metatrace.figures.kinds import entry
from metatrace.figures.kinds.registry import KINDS
from metatrace.methods import ACTOR_CRITIC, METHODS
from metatrace.numbers import descending
from metatrace.report.labels import TABLES, alphas_text, as_rst, length_text, variant_text
from metatrace.report.verdicts import THRESHOLDS, TOO_SMALL

SECTIONS = entry.SECTIONS
# The explorer's table of the claims, its name and what it holds.
VERDICTS = (
    "verdicts, one row per part of a claim",
    "every part of every claim, its statistic with a 95 % bootstrap interval over seeds, the threshold, whether "
    "the part holds, and the claim's verdict",
)
# What the explorer's page is put together from: a template, and what goes into it.
EXPLORER_FILES = (
    *("explorer.html", "pages.css", "page.js"),
    *(f"explorer{part}.js" for part in ("_data", "_chart", "_maps", "_address", "")),
)
# Likewise the page to play with.
TRY_FILES = (
    *("try.html", "pages.css", "try.css", "page.js"),
    *(f"try{part}.js" for part in ("_random", "_world", "_tuners", "_agent", "_charts", "")),
)
TRY_WORLDS = ("mountain_car", "drifting_mountain_car")
# What shows a whole scale, as far as it is made: file names next to each other, and what readers call them.
PAGES = {"index.html": "Article", "claims.html": "Claims", "explorer.html": "Explorer", "try.html": "Try it"}
# What the article and the claims page are put together from, but the captions.
ARTICLE_FILES = (
    "article.html", "claims.html", "claim_card.html", "equations.html", "page.html", "article.css", "pages.css",
)  # fmt: skip
GOAL = "A return of -200 means that the car did not reach the goal within 200 steps."


def note(asked: Experiments, paper: Experiments, figure: Figure, *, curves: bool = True) -> str:
    """The line below a picture: the scale, and how it falls short of the paper's.

    A figure that the paper does not have falls short of its own full scale, which `paper` has too.

    Args:
      curves: whether the picture shows curves or bands; the line then explains them.
    """
    seeds = len(figure.seeds)
    whole = paper.figures.get(figure.name)
    shown = f"{asked.scale.capitalize()} scale: mean over {seeds} seed{'s' if seeds > 1 else ''}, {length_text(figure)}"
    if curves:
        finished = " finished episodes" if figure.kind == "games" else ""
        shown += f", trailing mean of {figure.smoothing}{finished}"
    if curves and seeds > 1:
        shown += ", bands are 95 % bootstrap intervals"
    if whole is None:
        return shown
    short = [
        f"{part:{comma}} of {total:{comma}} {name}"
        for part, total, name in (
            (seeds, len(whole.seeds), "seeds"),
            (figure.length, whole.length, whole.unit),
            (figure.n_alphas, whole.n_alphas, "α"),
            (len(figure.mus), len(whole.mus), "μ"),
            (len(figure.drifts), len(whole.drifts), "drift rates"),
            (len(figure.environments), len(whole.environments), "games"),
        )
        for comma in ("," if total > 9999 else "",)
        if part < total
    ]
    whole_scale = "the paper" if figure.section in entry.PAPERS_OWN else "the full scale"
    return f"{shown}. Less than {whole_scale}: {', '.join(short)}." if short else f"{shown}."


def run_job(environment: str, method: str) -> str:
    """The kind of job (a key of `jobs.JOBS`) that makes a run."""
    return f"run_{domain_of(environment).name}_{method}"


def run_jobs(asked: Experiments) -> set[str]:
    """The kinds of job that make a config's runs."""
    return {run_job(run.environment, run.method) for _, run in asked.all_runs()}


def report_context(asked: Experiments, paper: Experiments, code: Mapping[str, str]) -> dict[str, Any]:
    """What the front page and the captions show."""
    runs = asked.all_runs()
    lengths = {
        unit: sum(length for (_, run), length in runs.items() if domain_of(run.environment).unit == unit)
        for unit in ("episodes", "frames", "examples")
    }
    return {
        "scale": asked.scale,
        "runs": len(runs),
        **lengths,
        "final": asked.final_episodes,
        "spread_alpha_max": asked.spread_alpha_max,
        "goal": GOAL,
        "thresholds": THRESHOLDS,
        "too_small": TOO_SMALL.word,
        "code": dict(code),
        "sections": {
            SECTIONS[name]: [as_rst(figure.title) for figure in members] for name, members in asked.sections().items()
        },
        "readings": [
            _reading(asked, reading)
            for reading in dict.fromkeys(reading for figure in asked.figures.values() for reading in figure.asks)
        ],
        "figures": {figure.name: _caption(asked, paper, figure) for figure in asked.figures.values()},
    }


def _caption(asked: Experiments, paper: Experiments, figure: Figure) -> dict[str, Any]:
    """What a figure's captions show; what they share is here, for Snakemake's templates cannot include others."""
    source = _source(asked, paper, figure)
    answers = {
        reading.key: dict.fromkeys(shown.readings[reading.key] for shown in figure.sources) for reading in figure.asks
    }
    readings = ", ".join(f"{key} = {' or '.join(values)}" for key, values in answers.items()) or "none"
    chosen = f"Not given in the paper, and chosen here: {as_rst(figure.assumptions)}." if figure.assumptions else ""
    over_seeds, unknown = f"{len(figure.seeds)} seeds", ""
    if len(figure.seeds) == 1:
        over_seeds, unknown = "1 seed", " (unknown for a single seed)"
    return {
        "title": as_rst(figure.title),
        "methods": ", ".join(METHODS[method].label for method in figure.methods),
        "alphas": alphas_text(figure),
        "has_entropy_term": any(METHODS[method].agent == ACTOR_CRITIC for method in figure.methods),
        "mus": [] if figure.mus == ("0",) else list(figure.mus),
        "drifts": list(figure.drifts),
        "beta_mu": figure.beta_mu or "",
        "choice": "The same runs choose and score it, so the left panel is biased upward."
        if not figure.settings_from
        else f"The runs of {asked.figures[figure.settings_from].short_name}, on other seeds, chose it.",
        "chosen_by": asked.figures[figure.settings_from].short_name if figure.settings_from else "",
        "chosen": "step-size and meta-step-size" if figure.alpha_of else "meta-step-size",
        "smoothing": figure.smoothing,
        "unit_note": domain_of(figure.environments[0]).unit_note,
        "reference": asked.figures[figure.reference].short_name if figure.reference else "",
        "seeds": over_seeds,
        "intervals": f"95 % bootstrap intervals over seeds{unknown}",
        "lines": f"A line is the mean over {over_seeds} of the trailing mean of the last {figure.smoothing} episodes; "
        f"bands are 95 % bootstrap intervals over seeds{unknown}.",
        "source": source,
        "tables": {
            name: f"{as_rst(figure.title)}: {text}. {source} Read α, μ and drift as text: they are number tokens such "
            "as 2^-10."
            for name, text in _table_texts(asked).items()
        },
        "details": "\n\n".join(filter(None, [source, chosen, f"**Readings in force:** {readings}."])),
    }


def _reading(asked: Experiments, reading: Reading) -> dict[str, Any]:
    """What the front page says of a reading: its answer, and the figures that it enters; none if it enters all."""
    figures = asked.figures.values()
    value = asked.readings[reading.key]
    entered = [figure for figure in figures if reading in figure.asks]
    return {
        "id": reading.id,
        "key": reading.key,
        "value": value,
        "is_default": value == reading.default,
        "others": [other for other in reading.values if other != value],
        "figures": [] if len(entered) == len(figures) > 1 else [figure.short_name for figure in entered],
        "elsewhere": [
            {"name": figure.short_name, "value": figure.readings[reading.key]}
            for figure in figures
            if figure.readings[reading.key] != value
        ],
        "question": reading.question,
        "why": reading.why,
    }


def _source(asked: Experiments, paper: Experiments, figure: Figure) -> str:
    members = f", those of {', '.join(member.short_name for member in figure.members)}" if figure.members else ""
    count = len({(source.variant, run) for source in figure.sources for run in source.some_runs()})
    runs = f"{count} runs of {length_text(figure)}"
    return f"Drawn from {runs}{members}. {note(asked, paper, figure)}"


def _table_texts(asked: Experiments) -> dict[str, str]:
    return {
        name: text.format(final=asked.final_episodes, spread_alpha_max=asked.spread_alpha_max)
        for name, (_, text) in TABLES.items()
    }


def explorer_context(asked: Experiments, code: Mapping[str, str]) -> dict[str, Any]:
    """What the explorer says, and what it shows of which figure."""
    figures = asked.figures.values()
    return {
        "scale": asked.scale,
        "runs": len(asked.all_runs()),
        "code": dict(code),
        "fingerprint": digest(code),
        "environments": {name: ENVIRONMENTS[name].label for figure in figures for name in figure.environments},
        "methods": {
            name: method.label for name, method in METHODS.items() if any(name in figure.methods for figure in figures)
        },
        "variants": {variant: variant_text(variant) for variant in asked.variants()},
        "tables": {
            **{name: {"name": TABLES[name][0], "text": text} for name, text in _table_texts(asked).items()},
            "verdicts": dict(zip(("name", "text"), VERDICTS, strict=True)),
        },
        "figures": [
            {
                "name": figure.name,
                "short": figure.short_name,
                "title": figure.title,
                "variant": figure.variant,
                "readings": _readings_of(figure),
                "smoothing": figure.smoothing,
                "tables": [table for table in KINDS[figure.kind].csv(figure) if table != "aggregate_scores"],
                "members": [member.name for member in figure.members],
                "panels": "environment" if len(figure.environments) > 1 and figure.kind == "games" else panels,
                "colours": _colours(figure, panels, colours),
                "best": figure.kind == "best_mu" or bool(figure.members),
            }
            for figure in figures
            for panels, colours in filter(None, [KINDS[figure.kind].explorer])
        ],
    }


def _readings_of(figure: Figure) -> str:
    """The readings behind a figure's tables, as the explorer names them."""
    variants = {member.variant for member in figure.members} or {figure.variant}
    return variant_text(*variants) if len(variants) == 1 else "several"


def article_context(asked: Experiments, words: Mapping[str, Any], pages: Collection[str]) -> dict[str, Any]:
    """What the article and the claims page say, and which figures they show.

    Args:
      words: of `report_context`.
      pages: the file names of the pages that are made next to these.
    """
    shown_by = whole_figures(asked)
    return {
        **{key: value for key, value in words.items() if key not in ("figures", "sections")},
        "pages": {page: name for page, name in PAGES.items() if page in pages},
        "sections": {name: SECTIONS[name] for name in asked.sections()},
        "headings": SECTIONS,
        "opening": opening_figure(asked),
        "shown_by": shown_by,
        "run_against_run": run_against_run(asked),
        "figures": [
            {
                "name": figure.name,
                "anchor": anchor(figure.name),
                "short": figure.short_name,
                "title": figure.title,
                "section": figure.section,
                "template": KINDS[figure.kind].pictures(figure)[0].caption,
                "words": {key: text for key, text in words["figures"][figure.name].items() if key != "tables"},
                "in_explorer": KINDS[figure.kind].explorer is not None,
            }
            for figure in asked.figures.values()
            if shown_by[figure.name] == figure.name
        ],
    }


def whole_figures(asked: Experiments) -> dict[str, str]:
    """Of each figure the one that shows it in the article: the one of its section that has it as a part, or itself."""
    shown_by = {name: name for name in asked.figures}
    for whole in asked.figures.values():
        shown_by |= {part.name: whole.name for part in whole.members if part.section == whole.section}
    return shown_by


def opening_figure(asked: Experiments) -> str:
    """The figure whose numbers open the article: the first that compares the paper's own; "" if there is none."""
    compared = (figure for figure in asked.figures.values() if figure.kind == "compared")
    return next((figure.name for figure in compared if figure.members[0].section in entry.PAPERS_OWN), "")


def run_against_run(asked: Experiments) -> list[str]:
    """The figures that say how likely one run beats another: those whose settings other seeds chose."""
    return [
        figure.name
        for figure in asked.figures.values()
        if figure.settings_from and "improvement" in KINDS[figure.kind].tables(figure)
    ]


def anchor(*names: str) -> str:
    """The name of a place in a page: `figure-6`, `claim-c9-trace-product`."""
    words = " ".join(names).lower().replace("_", " ").split()
    return "-".join(word for word in words if word != "under")


def _colours(figure: Figure, panels: str, colours: str) -> str:
    """What tells a figure's curves apart: α in place of μ, and the other way round, where that has a single value."""
    counts = {"alpha": len(figure.alphas), "mu": len(figure.mus)}
    if counts.get(colours) != 1:
        return colours
    return next((other for other, count in counts.items() if count > 1 and other != panels), colours)


def try_context(paper: Experiments) -> dict[str, Any]:
    """What the page to play with offers: the paper's methods, α, μ and drift rates on mountain car.

    Methods of others are left out. RMSProp and Adam divide by averages that are almost zero; the last digit of a number
    then decides, after some episodes, what the agent does, and no second writing of them gives the same episodes.

    Returns:
      `methods`, each with its label, its tuner's class and options, `hasMu`, and `mu`, from the middle of those that a
      figure of the method alone has ("" if there is no such figure); `grids` of number tokens, from small to large.
    """
    ours = [token for token in methods_of(TRY_WORLDS[-1]) if METHODS[token].tuner.startswith("metatrace.tuning.")]
    figures = [
        figure
        for figure in paper.figures.values()
        if figure.environments[0] in TRY_WORLDS and not figure.members and set(figure.methods) <= set(ours)
    ]
    alone = {figure.methods[0]: figure.mus for figure in reversed(figures) if len(figure.methods) == 1}
    values = {
        name: {token for figure in figures for token in getattr(figure, f"{name}s")}
        for name in ("alpha", "mu", "drift")
    }
    return {
        "methods": {
            token: {
                "label": METHODS[token].label,
                "tuner": METHODS[token].tuner.partition(":")[2],
                "options": dict(METHODS[token].options),
                "hasMu": METHODS[token].has_mu,
                "mu": alone[token][(len(alone[token]) - 1) // 2] if METHODS[token].has_mu and token in alone else "",
            }
            for token in ours
            if any(token in figure.methods for figure in figures)
        },
        "grids": {
            name: descending(tokens - {"0"} if name == "mu" else tokens)[::-1] for name, tokens in values.items()
        },
    }


def verdicts(path: Path) -> list[str]:
    """One sentence per section on the paper's claims, from claims.json; none before that is made."""
    try:
        return [str(sentence) for sentence in json.loads(path.read_text(encoding="utf-8"))["summary"].values()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def digest(context: Mapping[str, Any]) -> str:
    """A hash of a context: when it changes, the report is rebuilt."""
    text = json.dumps(context, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
