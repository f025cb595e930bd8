"""Captions and front page: as Snakemake's report renders them, for every figure of every scale."""

from collections import defaultdict
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest
from docutils.core import publish_parts

from metatrace.config import loading
from metatrace.figures.kinds.registry import KINDS
from metatrace.pipeline import outputs
from metatrace.report import context, labels

ROOT = Path(__file__).parents[2]
SCALES = {scale: loading.read(ROOT / "config" / f"{scale}.yaml") for scale in ("paper", "quick")}
PAPER = SCALES["paper"]
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
        "verdicts": ["Mountain car: of 9 claims, 9 undecided."],
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
            assert f"Drawn from {len(figure.some_runs())} runs of {labels.length_text(figure)}" in text
            assert "**Readings in force:**" in text
        for name in (*(f"tables/{table}" for table in outputs.csv_tables_of(figure)), "drawn_table"):
            assert labels.as_rst(figure.title) in rendered(name, asked, figure=figure.name)


@pytest.mark.parametrize("name", ["front_page", "claims", "explorer"])
def test_the_pages_of_a_scale_name_it(name):
    assert "*paper*" in rendered(name, PAPER) or "Scale: paper" in rendered(name, PAPER)


def test_a_single_seed_has_no_interval_and_the_caption_says_so():
    text = rendered("games", PAPER, figure="figure_8")
    assert "mean over 1 seed " in text and "(unknown for a single seed)" in text
