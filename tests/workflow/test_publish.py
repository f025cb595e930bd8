"""What is published of a finished scale, and that nothing unfinished is."""

import hashlib
import json

import pandas as pd
from PIL import Image

PUBLISH = ("metatrace", "publish", "config/tiny.yaml", "--output", "published", "--site", "site")


def test_a_finished_scale_is_published_whole_and_with_what_made_it(editable):
    done = editable.run(*PUBLISH)
    assert done.returncode == 0, done.stderr
    folder = editable.folder / "published"
    pictures = {path.name for path in (editable.folder / "results/tiny/figures").glob("*.png")}
    assert {path.name for path in (folder / "figures").iterdir()} == pictures
    text = (folder / "README.md").read_text()
    for name in pictures:
        assert f"(figures/{name})" in text
        with (
            Image.open(folder / "figures" / name) as small,
            Image.open(editable.folder / "results/tiny/figures" / name) as whole,
        ):
            assert small.size == whole.size
    scores, curves = (pd.read_parquet(folder / f"{name}.parquet") for name in ("scores", "curves"))
    assert len(scores) == 12 and scores["variant"].eq("").all()
    assert curves.groupby(["method", "alpha", "mu"])["episode"].agg(["min", "max"]).eq([1, 30]).all().all()
    made_by = json.loads((folder / "made_by.json").read_text())
    assert made_by["runs"] == 12 and {"run_mountain_car_none", "tables_step_sizes", "claims"} <= made_by["code"].keys()
    site = {path.name: path.read_bytes() for path in (editable.folder / "site").iterdir()}
    assert site.pop(".nojekyll") == b"" and {"index.html", "claims.html", "explorer.html"} <= set(site)
    assert {"article", "explorer"} <= made_by["code"].keys()
    for name, page in site.items():
        assert page == (editable.folder / "results/tiny" / name).read_bytes()
        assert made_by["pages"][name] == hashlib.sha256(page).hexdigest()
    claims = json.loads((folder / "claims.json").read_text())
    assert all(sentence in text for sentence in claims["summary"].values())
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    assert editable.run(*PUBLISH).returncode == 0
    assert before == {path: path.read_bytes() for path in folder.rglob("*.*")}


def test_pages_that_are_too_large_are_not_published(editable):
    with (editable.folder / "results/tiny/explorer.html").open("ab") as page:
        page.write(b" " * 12_000_000)
    done = editable.run(*PUBLISH)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "they must take at most 12 MB" in done.stderr and "explorer.html 1" in done.stderr
    assert not (editable.folder / "site").exists()


def test_what_is_missing_or_stale_is_not_published(editable):
    path = next((editable.folder / "results/tiny/runs").rglob("*.npz"))
    path.unlink()
    done = editable.run("metatrace", "publish", "config/tiny.yaml", "--output", "published")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "results/tiny: 1 runs and 0 tables, pictures or pages are missing or stale" in done.stderr
    assert str(path.relative_to(editable.folder)) in done.stderr
    assert not (editable.folder / "published").exists()
