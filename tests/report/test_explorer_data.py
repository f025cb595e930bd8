"""What the explorer's page is made of; the page itself is in tests/workflow/test_explorer.py."""

import gzip
import json
import re
from base64 import b64decode

import numpy as np
import pandas as pd
import pytest
from project import PAPER, ROOT

from metatrace import methods as registry
from metatrace.errors import UserError
from metatrace.figures import planes
from metatrace.report import context, explorer

THINNED = {
    "axis": "episode",
    "measure": "return",
    "decimals": {"mountain_car": 2},
    "seeds": [0],
    "grids": [[1, 1]],
    "settings": [["mountain_car", "none", "2^-5", "0", "0"]],
    "curves": [[0, [-20000, 100], [None, None], [None, None]]],
    "runs": [[0, [[-20000, 100]]]],
}


def words(**other):
    figure = {
        "name": "figure_1",
        "short": "Figure 1",
        "variant": "",
        "readings": "the config's own",
        "smoothing": 20,
        "tables": ["scores"],
        "members": [],
    }
    figures = [figure, {**figure, "name": "figure_2", "short": "Figure 2", **other}]
    return {
        **{key: {} for key in ("methods", "environments", "code")},
        "scale": "tiny",
        "fingerprint": "0" * 16,
        "variants": {"": "the config's own"},
        "tables": {"scores": {"name": "scores", "text": "</script><!-- scores"}},
        "figures": figures,
    }


@pytest.fixture
def folder(tmp_path):
    for name in ("figure_1", "figure_2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thinned.json").write_text(json.dumps(THINNED))
        pd.DataFrame({"alpha": ["2^-5"], "auc": [-150.123456789]}).to_parquet(tmp_path / name / "scores.parquet")
    return tmp_path


def test_runs_that_two_figures_share_are_there_once():
    made = explorer.curves(words(), {"figure_1": THINNED, "figure_2": THINNED})
    (curve,) = made["curves"]
    assert curve["figures"] == ["figure_1", "figure_2"]
    assert made["grids"] == [[1, 1]]


@pytest.mark.parametrize("other", [{"smoothing": 40}, {"variant": "tile_width~range/10"}])
def test_runs_of_other_readings_or_smoothing_are_others(other):
    made = explorer.curves(words(**other), {"figure_1": THINNED, "figure_2": THINNED})
    assert [curve["figures"] for curve in made["curves"]] == [["figure_1"], ["figure_2"]]


@pytest.mark.parametrize(
    ("figure", "readings"),
    [
        ("figure_1", "the config's own"),
        ("figure_p1_fixed_small", "target_scale = 0.1"),
        ("figure_s9", "the config's own"),
        ("figure_p1", "several"),
    ],
)
def test_a_table_names_the_readings_of_its_figure(figure, readings):
    (found,) = (one for one in context.explorer_context(PAPER, {})["figures"] if one["name"] == figure)
    assert found["readings"] == readings


def test_a_column_keeps_seven_digits_and_says_what_is_missing():
    frame = pd.DataFrame(
        {
            "alpha": ["2^-5", "2^-5"],
            "auc": [-123.456789012, np.nan],
            "low": [-3.469447e-18, 2.5],  # what rounding leaves of zero
            "error": [1e-12, 2.5e-4],
            "seed": [0, 1],
            "diverged": [True, False],
            "diverged_frame": pd.array([None, 12], dtype="Int64"),
        }
    )
    assert explorer.columns(frame) == {
        "alpha": {"texts": ["2^-5"], "places": [0, 0]},
        "auc": {"numbers": [-123.4568, None]},
        "low": {"numbers": [0, 2.5]},
        "error": {"numbers": [1e-12, 2.5e-4]},
        "seed": {"numbers": [0, 1]},
        "diverged": {"texts": ["True", "False"], "places": [0, 1]},
        "diverged_frame": {"numbers": [None, 12]},
    }


def test_a_colour_for_dark_pages_is_lighter_and_a_light_one_stays():
    assert explorer.lighter("#ffffff") == "#ffffff"
    for look in registry.METHODS.values():
        parts = [int(explorer.lighter(look.colour)[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        assert planes.luminance(parts) >= 0.34


def data_of(page):
    (packed,) = re.findall(r'<script type="application/gzip" id="data">(.*?)</script>', page)
    return json.loads(gzip.decompress(b64decode(packed)))


def test_the_page_holds_its_data_and_what_it_says_cannot_end_a_script(folder):
    page = explorer.page(words(), folder, ROOT / "reports").decode()
    shown = data_of(page)
    assert shown["words"]["tables"]["scores"]["text"] == "</script><!-- scores"
    assert shown["tables"]["scores"]["figure"]["texts"] == ["Figure 1", "Figure 2"]
    assert shown["tables"]["scores"]["auc"]["numbers"] == [-150.1235, -150.1235]
    assert page.count("</script>") == 3
    assert not re.search(r"/\*(style|data|libraries|behaviour)\*/", page)


PART = {
    "part": "p",
    "statistic": "s",
    "value": -0.5,
    "low": None,
    "high": None,
    "wanted": "> 0",
    "part_verdict": "fails",
    "seeds": 10,
}
CLAIM = {
    "claim": "M1",
    "under": "",
    "verdict": "does not carry over",
    "why": "",
    "statement": "It learns.",
    "parts": [PART],
}


def with_verdicts():
    made = words()
    made["tables"]["verdicts"] = {"name": "verdicts", "text": "every part"}
    return made


def test_the_verdicts_are_a_table_with_one_row_per_part(folder):
    (folder / "claims.json").write_text(json.dumps({"claims": [CLAIM, {**CLAIM, "under": "a_reading"}]}))
    page = explorer.page(with_verdicts(), folder, ROOT / "reports").decode()
    table = data_of(page)["tables"]["verdicts"]
    assert table["claim"]["texts"] == ["M1", "M1 under a_reading"]
    assert table["verdict"] == {"texts": ["does not carry over"], "places": [0, 0]}
    assert (table["value"], table["low"]) == ({"numbers": [-0.5, -0.5]}, {"numbers": [None, None]})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"claims": [{}]}'])
def test_damaged_verdicts_are_refused_by_their_name(folder, text):
    (folder / "claims.json").write_text(text)
    with pytest.raises(UserError, match=r"claims\.json: is cut short"):
        explorer.page(with_verdicts(), folder, ROOT / "reports")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"axis": "episode"}'])
def test_a_damaged_figure_is_refused_by_its_name(folder, text):
    (folder / "figure_2/thinned.json").write_text(text)
    with pytest.raises(UserError, match=r"figure_2/thinned\.json"):
        explorer.page(words(), folder, ROOT / "reports")


def test_a_missing_figure_is_refused_by_its_name(folder):
    (folder / "figure_2/thinned.json").unlink()
    with pytest.raises(UserError, match=r"figure_2/thinned\.json: there is no such file"):
        explorer.page(words(), folder, ROOT / "reports")


def test_a_template_without_a_place_for_the_data_is_refused(folder, tmp_path):
    for name in context.EXPLORER_FILES:
        (tmp_path / name).write_text((ROOT / "reports" / name).read_text().replace("/*data*/", ""))
    with pytest.raises(UserError, match="one place for the data"):
        explorer.page(words(), folder, tmp_path)
