"""The report in a real browser, without a network."""

import shutil
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium on the PATH"),
]
FIGURES = {"Figure 1": 5, "Figure 3": 9}  # how many files the report lists for each


@pytest.fixture(scope="module")
def page(finished):
    """The report's page; collects what goes wrong while it is used."""
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 1400, "height": 1000}, offline=True)
        page = context.new_page()
        page.wrong = []
        page.on(
            "console", lambda message: page.wrong.append(message.text) if message.type == "error" else None
        )
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.on(
            "request",
            lambda request: (
                page.wrong.append(f"asked for {request.url[:80]}")
                if not request.url.startswith(("file:", "data:", "blob:"))
                else None
            ),
        )
        page.goto((finished.folder / "results/tiny/report.html").as_uri())
        page.get_by_text("Metatrace Actor-Critic, reproduced.").wait_for()
        yield page
        browser.close()


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
    row = rows.filter(has=page.get_by_text("scores, a row a run", exact=True))
    with page.expect_download() as waiting:
        row.locator("a[type=button]").first.click()
    expected = (finished.folder / "results/tiny/tables/figure_3_scores.csv").read_bytes()
    assert Path(waiting.value.path()).read_bytes() == expected


def test_nothing_went_wrong_and_nothing_was_fetched(page):
    assert page.wrong == []
