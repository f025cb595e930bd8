"""Captions and front page: as Snakemake's report renders them, for every figure of every scale."""

from collections import defaultdict
from functools import cache
from types import SimpleNamespace

import jinja2
import pytest
from docutils.core import publish_parts
from project import PAPER, ROOT

from metatrace.config import loading
from metatrace.figures.kinds.registry import KINDS
from metatrace.pipeline import outputs
from metatrace.report import context, labels

SCALES = {"paper": PAPER, "quick": loading.read(ROOT / "config" / "quick.yaml")}
# Snakemake calls docutils in this way, too.
pytestmark = pytest.mark.filterwarnings("ignore:Argument:PendingDeprecationWarning")
EFFORT = dict.fromkeys(("run_time", "other_time", "began", "ended", "machine", "versions"), "this")
# As in snakemake.report, but that nothing may be missing.
JINJA = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)


@cache
def shown(scale):
    """What the captions of a scale show; it has thousands of runs to count."""
    return context.report_context(SCALES[scale], PAPER, defaultdict(lambda: "0" * 16))


def rendered(name, asked, **wildcards):
    config = {
        "presentation": shown(asked.scale),
        "verdicts": ["Mountain car: of 9 claims, 9 not run (C1)."],
        "effort": {"runs": 1, "others": 2, **EFFORT},
    }
    template = JINJA.from_string((ROOT / "reports" / f"{name}.rst").read_text(encoding="utf-8"))
    text = template.render(snakemake=SimpleNamespace(config=config, wildcards=SimpleNamespace(**wildcards)))
    html = publish_parts(text, writer_name="html", settings_overrides={"report_level": 1, "warning_stream": False})
    assert "System Message" not in html["whole"], text
    return " ".join(text.split())


@pytest.mark.parametrize("scale", SCALES)
def test_every_caption_says_what_it_was_drawn_from_and_under_which_readings(scale):
    asked = SCALES[scale]
    for figure in asked.figures.values():
        for name in (picture.caption for picture in KINDS[figure.kind].pictures(figure)):
            text = rendered(name, asked, figure=figure.name)
            runs = {(source.variant, run) for source in figure.sources for run in source.some_runs()}
            assert f"Drawn from {len(runs)} runs of {labels.length_text(figure)}" in text
            assert "**Readings in force:**" in text
        for name in (*(f"tables/{table}" for table in outputs.csv_tables_of(figure)), "drawn_table"):
            assert labels.as_rst(figure.title) in rendered(name, asked, figure=figure.name)


@pytest.mark.parametrize("name", ["front_page", "claims", "explorer"])
def test_the_pages_of_a_scale_name_it(name):
    assert "*paper*" in rendered(name, PAPER) or "Scale: paper" in rendered(name, PAPER)


def test_a_single_seed_has_no_interval_and_the_caption_says_so():
    text = rendered("games", PAPER, figure="figure_8")
    assert "mean over 1 seed " in text and "(unknown for a single seed)" in text


def test_a_figure_says_what_its_scale_falls_short_of():
    quick = SCALES["quick"]
    for name, short in (
        ("figure_8", "Less than the paper: 600 of 12,500,000 observed frames"),
        ("figure_m1", "Less than the full scale: 1 of 3 seeds, 600 of 500,000 observed frames"),
        ("figure_m5_asterix", "Less than the full scale: 1 of 5 seeds, 600 of 5,000,000 observed frames"),
        ("figure_s1", "Less than the full scale: 3 of 10 seeds"),
    ):
        assert short in context.note(quick, PAPER, quick.figures[name])
    assert not any("Less than" in context.note(PAPER, PAPER, figure) for figure in PAPER.figures.values())


def test_a_figure_without_tuning_has_no_meta_step_size_and_no_best_constant_one():
    tuned, without = (rendered("games", PAPER, figure=name) for name in ("figure_m2", "figure_m4"))
    assert "μ = 0.001. ψ = 0.01." in tuned and "dashed black line" in tuned
    assert "μ" not in without and "dashed black line" not in without
    assert "the best of RMSProp in Figure M3" in without and "ψ = 0.01." in without
    assert "ψ = 0.01." not in rendered("games", PAPER, figure="figure_m7")
