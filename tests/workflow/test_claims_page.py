"""The verdicts over the paper's claims, in a real browser and on the report's front page."""

import json
from pathlib import Path

import browser
import pytest

from metatrace.report import criteria

pytestmark = browser.MARKS


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request, finished):
    with browser.opened(finished.folder / "results/tiny/claims.html") as page:
        page.emulate_media(color_scheme=request.param)
        yield page


def test_every_claim_has_a_verdict_and_what_decides_it(page, finished):
    verdicts = json.loads((finished.folder / "results/tiny/tables/claims.json").read_text())
    shown = page.locator("tbody")
    asked = criteria.read(Path(__file__).parents[2] / "config" / "claims.yaml").claims
    assert shown.count() == len(verdicts["claims"]) == len(asked)
    for claim in verdicts["claims"]:
        row = shown.filter(has=page.get_by_text(claim["statement"], exact=False)).first
        assert claim["verdict"] in row.inner_text()
        assert claim["parts"][0]["statistic"] in row.inner_text()
    for sentence in verdicts["summary"].values():
        assert page.get_by_text(sentence).count() == 1


def test_axe_finds_nothing_grave(page):
    assert browser.findings(page) == []


def test_nothing_went_wrong_and_nothing_was_fetched(page):
    assert page.wrong == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_front_page_of_the_report_sums_up_each_section(page, finished):
    verdicts = json.loads((finished.folder / "results/tiny/tables/claims.json").read_text())
    page.goto((finished.folder / "results/tiny/report.html").as_uri())
    page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
    text = " ".join(page.inner_text("body").split())
    for sentence in verdicts["summary"].values():
        assert sentence in text
