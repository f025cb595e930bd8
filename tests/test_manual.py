"""The manual: it builds without a warning, its links lead somewhere, it loads nothing from elsewhere, its code runs."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import pytest

ROOT = Path(__file__).parents[1]
# Pages that `metatrace publish` writes, which need not be there.
PUBLISHED = {"index.html", "claims.html", "explorer.html", "try.html"}


class Links(HTMLParser):
    """What a page links to, what it loads, and the places in it that links can name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.places = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.places |= {known[key] for key in ("id", "name") if known.get(key)}
        if tag == "a" and known.get("href"):
            self.links.add(known["href"])
        elif tag == "link" and known.get("rel") != "canonical" and known.get("href"):
            self.loaded.add(known["href"])
        elif known.get("src"):
            self.loaded.add(known["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built manual."""
    folder = tmp_path_factory.mktemp("manual") / "site"
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    written = [site / "choosing.html", site / "cluster.html", *(site / "manual").rglob("*.html")]
    return {page: Links(page.read_text(encoding="utf-8")) for page in written}


def test_every_link_leads_to_a_page_and_a_place_that_are_there(site, pages):
    lost = set()
    for page, found in pages.items():
        for link in found.links | found.loaded:
            path, place = urldefrag(link)
            if urlparse(link).scheme:
                continue
            target = (page.parent / unquote(path)).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            there = target.is_file() or (target.parent == site and target.name in PUBLISHED)
            known = pages[target].places if target in pages else {place}
            if not there or (place and unquote(place) not in known):
                lost.add((page.name, link))
    assert not lost


def test_nothing_is_loaded_from_elsewhere(site, pages):
    loaded = {address for found in pages.values() for address in found.loaded if urlparse(address).scheme != "data"}
    assert loaded and not any(urlparse(address).scheme or address.startswith("//") for address in loaded)
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()[\s\"']*(https?:)?//", sheet.read_text(encoding="utf-8"))


def test_the_reference_has_what_the_docstrings_say(site):
    def text(page):
        return re.sub(r"<[^>]+>", "", (site / f"manual/reference/{page}.html").read_text(encoding="utf-8"))

    assert "A fresh tuner." in text("tuning") and "make_tuner" in text("tuning")
    assert "AC(λ)" in text("agents") and "forgets the trace" in text("torch")
    assert "--environment" in text("command_line") and "metatrace publish" in text("command_line")
    assert "spread_alpha_max" in text("config") and "0.2.0" in text("changes")


def test_the_tutorials_code_runs(capsys):
    text = (ROOT / "docs/manual/tutorial.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    first, last = map(float, re.findall(r"\d+\.\d+(?= at)", capsys.readouterr().out.splitlines()[0]))
    assert 2 <= last < first < 10
