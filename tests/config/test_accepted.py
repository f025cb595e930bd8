"""Whatever the checker accepts, everything light that is made of a config can be made."""

import copy
from collections import defaultdict
from pathlib import Path

import jinja2
import pytest
from configs import VALID
from docutils.core import publish_parts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from project import PAPER
from snakemake.io import apply_wildcards
from test_config_fuzz import CONFIGS, mutated

from metatrace.config import loading
from metatrace.domains.registry import ENVIRONMENTS, domain_of
from metatrace.errors import UserError
from metatrace.figures import style
from metatrace.figures.kinds.kind import PictureJob
from metatrace.figures.kinds.registry import KINDS
from metatrace.methods import METHODS
from metatrace.pipeline import outputs
from metatrace.report import context, labels

REPORTS = CONFIGS.parent / "reports"
FINGERPRINTS = defaultdict(lambda: "0" * 16)


def caption(name, words, figure):
    """A caption as Snakemake's report renders it."""

    class Snakemake:
        config = {"presentation": words}  # noqa: RUF012
        wildcards = {"figure": figure.name, "table": "scores"}  # noqa: RUF012

    template = jinja2.Template((REPORTS / f"{name}.rst").read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined)
    html = publish_parts(
        template.render(snakemake=Snakemake),
        writer="html",
        settings_overrides={"report_level": 1, "warning_stream": False},
    )
    assert "System Message" not in html["whole"]
    return html["body"]


def everything_light(asked):
    """Makes all that needs no run."""
    words = context.report_context(asked, PAPER, FINGERPRINTS)
    context.explorer_context(asked, FINGERPRINTS)
    files = outputs.made_files("results/x", list(asked.figures.values()))
    assert len(set(files)) == len(files)
    outputs.evidence_files("results/x", asked.figures.values())
    outputs.choice("results/x", next(iter(asked.figures.values())))
    for variant, run in asked.all_runs():
        wanted = {reading.key for reading in ENVIRONMENTS[run.environment].asked(run.method)}
        assert asked.readings_of(run.environment, run.method, variant).keys() == wanted
        known = METHODS[run.method].hyper_on(domain_of(run.environment).name)
        assert asked.hyper_of(run.environment, run.method, variant).keys() == known.keys()
    for figure in asked.figures.values():
        for picture in KINDS[figure.kind].pictures(figure):
            assert labels.title(figure, picture) and context.note(asked, PAPER, figure, curves=picture.has_curves)
            assert labels.labels(figure, picture.shows)
            assert caption(picture.caption, words, figure)
        apply_wildcards(labels.without_wildcards(figure.title), {})
    return words


@given(config=mutated())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_accepted_can_be_listed_titled_noted_and_captioned(config):
    try:
        asked = loading.check(config, "c.yaml")
    except UserError:
        return
    everything_light(asked)


TITLES = [
    "q {x}",
    "{",
    "}",
    "{{x}}",
    "{0}",
    "%s %(x)s",
    "$\\frac{",
    "a $x",
    "`|*_",
    "<b>&amp;",
    "\\",
    "é ∂δ 字 😀",
    "| a_ |",
]


@pytest.mark.parametrize("title", TITLES)
def test_a_title_comes_through_to_the_report_and_the_picture(title):
    config = copy.deepcopy(VALID)
    for entry in config["figures"].values():
        entry |= {"title": title, "assumptions": title}
    asked = loading.check(config, "c.yaml")
    everything_light(asked)
    assert asked.figures["figure_2"].title == title
    assert apply_wildcards(labels.without_wildcards(title), {}).replace("\u2060", "") == title
    drawn = style.new_figure(2, PictureJob(Path(), title, "n"))
    drawn.canvas.draw()


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).filter(str.strip))
@settings(deadline=None)
def test_any_title_comes_through_snakemake(title):
    assert apply_wildcards(labels.without_wildcards(title), {}).replace("\u2060", "") == title.replace("\u2060", "")
