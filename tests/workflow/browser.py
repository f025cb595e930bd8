"""A page in a real browser, without a network."""

import shutil
from contextlib import contextmanager

import pytest
from marks import slow

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MARKS = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium on the PATH"),
]
# A page on a light screen, and, in the slow tests, on a dark one.
both_schemes = pytest.mark.parametrize("scheme", ["light", slow("dark")])
# What keeps some readers out of a page altogether, in axe's words.
GRAVE = {"serious", "critical"}


@contextmanager
def opened(path, *, width=1400, height=1000):
    """The page of a file; in `wrong` it collects what goes wrong while it is used, and what it asks for."""
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": width, "height": height}, offline=True)
        # A machine that learns meanwhile takes its time.
        context.set_default_timeout(120_000)
        page = context.new_page()
        page.wrong = []
        page.on("console", lambda message: page.wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.on(
            "request",
            lambda request: (
                page.wrong.append(f"asked for {request.url[:80]}")
                if not request.url.startswith(("file:", "data:", "blob:"))
                else None
            ),
        )
        page.goto(path.as_uri())
        yield page
        browser.close()


def findings(page, context=None):
    """What axe finds on a page, or in a part of it, that is serious or critical: a line each."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, context=context).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node.get('failureSummary', '')}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]
