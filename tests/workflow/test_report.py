"""The report in a real browser, without a network."""

import os
import platform
import re
from pathlib import Path

import numpy as np
import pytest
from browser import MARKS, both_schemes, findings, opened

pytestmark = MARKS
FIGURES = {"Figure 1": 5, "Figure 3": 9}  # how many files the report lists for each


@pytest.fixture(scope="module")
def page(finished):
    """The report's page; collects what goes wrong while it is used."""
    with opened(finished.folder / "results/tiny/report.html") as page:
        page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
        yield page


def open_figure(page, name):
    """Opens the list of a figure's files; its rows."""
    page.reload()
    page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
    page.get_by_text("Results", exact=True).first.click()
    # With a single category Snakemake opens it at once.
    page.wait_for_timeout(300)
    entry = page.locator("nav").get_by_text(f"{name}:")
    if entry.count() == 0:
        page.locator("nav").get_by_text("Mountain car", exact=True).last.click()
    entry.first.click()
    page.locator("nav table tbody tr").first.wait_for()
    return page.locator("nav table tbody tr")


def test_the_front_page_starts_at_its_top_and_tells_scale_and_readings(page):
    heading = page.get_by_text("Metatrace Actor-Critic, reproduced.")
    assert heading.bounding_box()["y"] >= 0
    text = page.inner_text("body")
    assert "12 runs at the scale tiny" in text
    for reading in ("time_limit", "tile_width", "nosid_normaliser", "log_policy"):
        assert reading in text
    assert "System Message" not in text  # what docutils prints into a page that it cannot read


@pytest.mark.parametrize("name", FIGURES)
def test_every_file_of_a_figure_is_listed_with_its_labels(page, name):
    rows = open_figure(page, name)
    assert rows.count() == FIGURES[name]
    for text in rows.all_inner_texts():
        assert name in text


@pytest.mark.parametrize(
    ("name", "shows"),
    [
        ("Figure 1", "learning curves"),
        ("Figure 3", "learning curves"),
        ("Figure 3", "sensitivity to α and μ"),
        ("Figure 3", "scores over α and μ"),
    ],
)
def test_every_picture_is_shown(page, name, shows):
    rows = open_figure(page, name)
    row = rows.filter(has=page.get_by_text(shows, exact=True))
    row.locator("a[type=button]").first.click()
    picture = page.locator("img[src^='data:image/svg']").last
    picture.wait_for()
    page.wait_for_function(
        "() => [...document.images].filter(i => i.src.startsWith('data:image/svg') && i.width > 300)"
        ".some(i => i.complete && i.naturalWidth > 300)"
    )


def test_a_caption_can_be_understood_alone(page):
    rows = open_figure(page, "Figure 3")
    row = rows.filter(has=page.get_by_text("learning curves", exact=True))
    row.locator("a[type=button]").last.click()
    page.get_by_text("Drawn from 8 runs of 30 episodes").wait_for()
    text = page.inner_text("body")
    for part in (
        "mean over 2 seeds",
        "2 of 10 seeds, 30 of 1000 episodes",
        "this test",
        "tile_width = range/9",
    ):
        assert part in " ".join(text.split())
    assert "System Message" not in text


def test_the_tables_can_be_downloaded(page, finished):
    rows = open_figure(page, "Figure 3")
    row = rows.filter(has=page.get_by_text("scores, one row per run", exact=True))
    with page.expect_download() as waiting:
        row.locator("a[type=button]").first.click()
    expected = (finished.folder / "results/tiny/tables/figure_3_scores.csv").read_bytes()
    assert Path(waiting.value.path()).read_bytes() == expected


def test_the_front_page_says_which_figures_a_reading_enters_and_links_to_no_other_file(page):
    page.reload()
    page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
    text = " ".join(page.inner_text(".prose").split())
    assert "Enters the runs of every figure." in text
    assert "Figure 1: untuned Figure 3: unnormalized" in text
    assert page.locator(".prose a").evaluate_all("links => links.map(link => link.getAttribute('href'))") == []


def test_the_front_page_says_how_long_it_took_and_on_what(page):
    page.reload()
    page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
    text = " ".join(page.inner_text(".prose").split())
    # The kernel is no part of the scale, and the report is not made yet; the other pages may be, or not.
    assert re.search(
        r"The 12 runs took \d+ minutes?, and the [6-8] jobs for tables, pictures and pages \d+ minutes?,", text
    )
    assert re.search(r"between 20\d\d-\d\d-\d\d \d\d:\d\d and 20\d\d-", text)
    assert f"Linux on {platform.machine()} with {os.cpu_count()} processor" in text
    assert f"numpy {np.__version__}" in text


def test_the_explorer_opens_within_the_report(page):
    page.reload()
    page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
    page.locator("nav").get_by_text("Explorer", exact=True).click()
    page.locator("nav table tbody tr a[type=button]").first.click()
    explorer = page.frame_locator("iframe")
    explorer.locator("#chart svg").wait_for()
    explorer.get_by_label("Figure", exact=True).select_option("figure_1")
    explorer.get_by_role("heading", name="Figure 1").wait_for()


# Snakemake's own menu, buttons and workflow diagram are not ours to mend.
@both_schemes
def test_axe_finds_nothing_grave_in_our_part_of_the_front_page(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.reload()
    page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
    assert findings(page, ".prose") == []
    page.emulate_media(color_scheme="light")


def test_a_picture_stands_on_white_on_a_dark_page(page):
    page.emulate_media(color_scheme="dark")
    rows = open_figure(page, "Figure 3")
    rows.filter(has=page.get_by_text("learning curves", exact=True)).locator("a[type=button]").first.click()
    picture = page.locator("img[src^='data:image/svg']").last
    picture.wait_for()
    assert picture.evaluate("image => getComputedStyle(image).backgroundColor") == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="light")


def test_nothing_went_wrong_and_nothing_was_fetched(page):
    assert page.wrong == []
