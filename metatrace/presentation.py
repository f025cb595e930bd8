"""The words of the report and of the figures' titles and notes: what is shown, at which scale.

Everything here is read off the config; no result enters.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from metatrace import readings
from metatrace.experiments import Experiments, Figure
from metatrace.mountain_car import compiled, object_code

SECTIONS = {"mountain_car": "Mountain car", "omitted": "Results that the paper omits"}
METHODS = {
    "none": "no tuning",
    "scalar": "normalized scalar Metatrace",
    "scalar-unnormalized": "unnormalized scalar Metatrace",
    "vector": "normalized vector Metatrace",
    "vector-unnormalized": "unnormalized vector Metatrace",
    "mixed": "normalized mixed Metatrace",
    "mixed-unnormalized": "unnormalized mixed Metatrace",
    "sid": "SID",
    "nosid": "NOSID",
}
TABLES = {
    "scores": "scores, a row a run",
    "settings": "scores, a row a setting",
    "spread": "spread over α",
}
TABLE_TEXTS = {
    "scores": "final return (mean over the last {final} episodes) and AUC (mean over all episodes) "
    "of every run",
    "settings": "final return and AUC of every setting: mean over seeds and 95 % bootstrap interval",
    "spread": "standard deviation over α ≤ {spread_alpha_max} of the mean AUC, for every μ, "
    "with a 95 % bootstrap interval that resamples the seeds of all α together",
}


def kernel_name(kernel: str, fingerprints: Mapping[str, str]) -> str:
    """The file name of a compiled kernel for the present code."""
    return object_code.file_name(kernel, fingerprints[f"compile_{kernel}"])


def heading(figure: Figure) -> str:
    """The figure's short name: "Figure 2: normalized scalar Metatrace"."""
    return f"{short_name(figure)}: {METHODS[figure.method]}"


def short_name(figure: Figure) -> str:
    """`figure_2` as a reader writes it: "Figure 2"."""
    return figure.name.replace("_", " ").title()


def labels(figure: Figure, what: str) -> dict[str, str]:
    """The columns by which the report lists a file."""
    return {
        "figure": short_name(figure),
        "method": figure.method,
        "μ": "untuned" if figure.mus == ("0",) else token_range(figure.mus),
        "shows": what,
    }


def token_range(tokens: tuple[str, ...]) -> str:
    """The tokens in short: the first and the last, or the only one."""
    return tokens[0] if len(tokens) == 1 else f"{tokens[0]} … {tokens[-1]}"


def title(figure: Figure, kind: str) -> str:
    """What stands above a picture."""
    if kind == "sensitivity":
        return f"{short_name(figure)}, sensitivity to α and μ: {METHODS[figure.method]}"
    return figure.title


def note(asked: Experiments, paper: Experiments, figure: Figure) -> str:
    """The line at a picture's foot: the scale, and what it lacks to the paper's."""
    seeds, episodes = len(figure.seeds), figure.episodes
    whole = paper.figures.get(figure.name)
    shown = (
        f"{asked.scale.capitalize()} scale: mean over {seeds} seed{'s' if seeds > 1 else ''}, "
        f"{episodes} episodes, "
        f"trailing mean of {figure.smoothing}"
    )
    if seeds > 1:
        shown += ", bands are 95 % bootstrap intervals"
    if whole is None:
        return shown
    lacks = [
        f"{part} of {total} {name}"
        for part, total, name in (
            (seeds, len(whole.seeds), "seeds"),
            (episodes, whole.episodes, "episodes"),
            (len(figure.alphas), len(whole.alphas), "α"),
            (len(figure.mus), len(whole.mus), "μ"),
        )
        if part < total
    ]
    return f"{shown}. Less than the paper: {', '.join(lacks)}." if lacks else f"{shown}."


def run_jobs(asked: Experiments) -> set[str]:
    """The kinds of job that make a config's runs (keys of `provenance.ENTRY_POINTS`)."""
    return {f"run_{compiled.kernel_of(figure.method)}" for figure in asked.figures.values()}


def of(asked: Experiments, paper: Experiments, fingerprints: Mapping[str, str]) -> dict[str, Any]:
    """What the report's front page and captions show, as plain types."""
    runs = asked.runs()
    return {
        "scale": asked.scale,
        "runs": len(runs),
        "episodes": sum(runs.values()),
        "final": asked.final_episodes,
        "spread_alpha_max": asked.spread_alpha_max,
        # Of the kernels that this config's runs use, and no others: else the report would change with them.
        "code": {job: fingerprints[job] for job in sorted({*run_jobs(asked), "aggregate"})},
        "sections": {
            SECTIONS[name]: [heading(figure) for figure in members]
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
                "question": reading.question,
                "why": reading.why,
            }
            for reading in readings.MOUNTAIN_CAR
        ],
        "figures": {
            figure.name: {
                "heading": heading(figure),
                "title": figure.title,
                "environment": figure.environment,
                "method": figure.method,
                "method_text": METHODS[figure.method],
                "alphas": list(figure.alphas),
                "mus": [] if figure.mus == ("0",) else list(figure.mus),
                "seeds": len(figure.seeds),
                "runs": len(figure.runs()),
                "episodes": figure.episodes,
                "smoothing": figure.smoothing,
                "ours": figure.ours,
                "note": note(asked, paper, figure),
                "reference": short_name(asked.figures[figure.reference]) if figure.reference else "",
            }
            for figure in asked.figures.values()
        },
    }


def digest(presentation: Mapping[str, Any]) -> str:
    """A hash of the report's words: when they change, the report is written anew."""
    text = json.dumps(presentation, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
