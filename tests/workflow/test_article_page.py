"""The article and the claims page, in a real browser, and the verdicts on the report's front page."""

import json
import re
import shutil
from pathlib import Path

import browser
import pytest

from metatrace.report import criteria
from metatrace.report.context import anchor
from metatrace.report.opening import written

pytestmark = browser.MARKS
PAGES = ("index.html", "claims.html")
# What readers hold: a screen and a phone.
WIDTHS = (1440, 390)
ON_A4 = {"width": 670, "height": 1000}  # without the margins
PUBLISHED = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def moved(finished, tmp_path_factory):
    """The pages alone, in another folder."""
    folder = tmp_path_factory.mktemp("moved")
    for page in PAGES:
        shutil.copy(finished.folder / "results/tiny" / page, folder)
    return folder


@pytest.fixture(scope="module")
def pages(moved):
    """The article in a browser, and the claims page."""
    with browser.opened(moved / "index.html") as article:
        claims = article.context.new_page()
        claims.goto((moved / "claims.html").as_uri())
        yield dict(zip(PAGES, (article, claims), strict=True))


@pytest.fixture(scope="module")
def verdicts(finished):
    return json.loads((finished.folder / "results/tiny/tables/claims.json").read_text())


def text_of(locator):
    return " ".join(locator.inner_text().split())


def test_every_claim_has_a_card_with_its_verdict_and_what_decides_it(pages, verdicts):
    asked = criteria.read(Path(__file__).parents[2] / "config" / "claims.yaml").claims
    shown = pages["claims.html"].locator(".card")
    assert shown.count() == len(verdicts["claims"]) == len(asked)
    for claim, criterion in zip(verdicts["claims"], asked, strict=True):
        card = text_of(pages["claims.html"].locator(f"#{anchor('claim', criterion.name)}"))
        for words in (claim["statement"], claim["verdict"], claim["place"]):
            assert written(words) in card
        for part in claim["parts"]:
            assert written(part["statistic"][1:]) in card and part["wanted"] in card


def test_the_article_has_the_same_cards_each_once_and_under_its_figure(pages, verdicts):
    article = pages["index.html"]
    claims = [claim for claim in verdicts["claims"] if not claim["under"]]
    assert article.locator(".card").count() == len(claims)
    assert article.locator("#figure-1 ~ #claim-c1").count() == 1
    assert article.locator("#figure-3 ~ #claim-c4").count() == 1
    # Figure 6 is not in this scale.
    assert article.locator("#findings #claim-c11").count() == 1


def test_every_figure_stands_in_the_article_with_its_caption(pages):
    article = pages["index.html"]
    assert article.locator("figure").count() == 2
    for name in ("figure-1", "figure-3"):
        figure = article.locator(f"#{name}")
        assert figure.locator("img").evaluate("image => image.complete && image.naturalWidth > 300")
        assert "Return against training episodes" in text_of(figure.locator("figcaption"))
    article.locator("#figure-3 summary").click()
    assert "2 of 10 seeds, 30 of 1000 episodes" in text_of(article.locator("#figure-3 details"))


def test_powers_are_raised(pages):
    for page in pages.values():
        shown = text_of(page.locator("body"))
        assert "2⁻⁵" in shown and "2^" not in shown


def test_the_tally_is_that_of_the_verdicts(pages, verdicts):
    counted = {}
    for claim in verdicts["claims"]:
        if not claim["under"]:
            counted[claim["verdict"]] = counted.get(claim["verdict"], 0) + 1
    top = text_of(pages["claims.html"].locator(".lead"))
    assert f"Of {sum(counted.values())} claims" in top
    for verdict, count in counted.items():
        assert f"{count} {verdict}" in top
        assert pages["index.html"].locator(f"#findings h3:has-text('{count} {verdict}')").count() == 1


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(pages, name, finished):
    """To a place in the page or in one next to it, or to the paper."""
    links = pages[name].locator("a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert links
    for link in links:
        file, _, place = link.partition("#")
        if file.startswith("https:"):
            assert file == "https://arxiv.org/abs/1805.04514"
            continue
        path = finished.folder / "results/tiny" / (file or name)
        assert path.is_file(), link
        if place and file != "explorer.html":
            assert re.search(f'id="{place}"', path.read_text()), link


@browser.both_schemes
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_grave_on_a_screen_and_on_a_phone(pages, name, scheme):
    page = pages[name]
    page.emulate_media(color_scheme=scheme)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert browser.findings(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_published_page_prints_every_table_whole(pages, name):
    page = pages["index.html"].context.new_page()
    page.goto((PUBLISHED / name).as_uri())
    page.emulate_media(media="print")
    page.set_viewport_size(ON_A4)
    boxes = page.locator(".scroll")
    assert boxes.count() > 1
    for box in boxes.all():
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()


def test_the_article_prints_on_a4_without_cutting_anything_off(pages):
    page = pages["index.html"]
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size(ON_A4)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator("body").evaluate("body => getComputedStyle(body).color") == "rgb(27, 31, 36)"
    pdf = page.pdf(prefer_css_page_size=True)
    assert {tuple(map(round, map(float, box))) for box in re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)} == {
        (595, 842)
    }
    page.emulate_media(media="screen", color_scheme="light")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_no_script_and_nothing_of_the_network(pages, name, moved):
    assert "<script" not in (moved / name).read_text()
    assert pages["index.html"].wrong == []


def test_the_front_page_of_the_report_sums_up_each_section(pages, finished, verdicts):
    page = pages["index.html"].context.new_page()
    page.goto((finished.folder / "results/tiny/report.html").as_uri())
    page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
    text = text_of(page.locator("body"))
    for sentence in verdicts["summary"].values():
        assert sentence in text
