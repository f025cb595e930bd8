"""What the cards of claims show, and that the article says nothing that is not in the tables of its scale."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from project import PAPER, ROOT

from metatrace.errors import UserError
from metatrace.report import article, context, criteria, opening, pictures
from metatrace.report.cards import WIDTH, cards, drawing

CLAIMS = criteria.read(ROOT / "config" / "claims.yaml").claims
NUMBERS = st.floats(-1e12, 1e12)


def part(**threshold):
    return criteria.Part(statistic="a statistic", because="a reason", **threshold)


def entry(claim, verdict="reproduced"):
    parts = [
        {"part": name, "statistic": one.statistic, "value": 1.0, "low": 0.5, "high": 2.0, "wanted": one.wanted}
        | {"because": one.because, "published": one.published or "", "part_verdict": "holds", "seeds": 10}
        for name, one in claim.parts.items()
    ]
    return {
        **{"claim": claim.id, "under": claim.reading, "section": claim.section, "place": claim.place},
        **{"statement": claim.statement, "verdict": verdict, "why": "", "leaning": "reproduced"},
        **{"runs": 1234, "share": 1.0, "parts": parts},
    }


@given(value=NUMBERS, below=NUMBERS, above=NUMBERS, threshold=NUMBERS)
def test_a_drawing_holds_all_its_numbers_in_their_order(value, below, above, threshold):
    low, high = sorted((below, above))
    drawn = drawing(value, low, high, part(above=threshold))
    places = [(value, drawn["value"]), (low, drawn["interval"][0]), (high, drawn["interval"][1])]
    places.append((threshold, drawn["thresholds"][0][0]))
    assert all(0 <= place <= WIDTH for _, place in places)
    assert [place for _, place in sorted(places)] == sorted(place for _, place in places)
    assert drawn["claimed"] == (drawn["thresholds"][0][0], WIDTH)


def test_a_drawing_shows_the_side_or_the_range_that_is_claimed():
    assert drawing(1.0, None, None, part(below=2.0)) == {
        "value": 20.0,
        "interval": None,
        "claimed": (0.0, 240.0),
        "level": None,
        "thresholds": [(240.0, "2")],
    }
    assert drawing(0.0, 0.0, 0.0, part(between=[1.0, 2.0]))["claimed"] == (130.0, 240.0)
    assert drawing(1.0, -1.0, 3.0, part(above=0.0, level=3.0))["level"] == (20.0, 240.0)


def test_every_claim_stands_under_the_figure_that_it_names_or_rests_on():
    shown_by = context.whole_figures(PAPER)
    made = {card["name"]: card for card in cards(map(entry, CLAIMS), CLAIMS, shown_by)}
    assert list(made) == [claim.name for claim in CLAIMS]
    for name, figure in {
        "C1": "figure_1",
        "C8": "figure_4",
        "C9": "figure_s8_nosid",
        "C11": "figure_s8",
        "M22": "figure_m2",
    }.items():
        assert made[name]["figure"] == figure
    # The parts of figure P1 are drawn in one picture.
    assert made["K4"]["figure"] == "figure_p1" and made["K4"]["figures"] == ["figure_p1"]
    assert all(card["figure"] in card["figures"] for card in made.values())
    assert made["C9 under trace_product"]["anchor"] == "claim-c9-trace-product"


def test_a_claim_whose_figures_did_not_run_has_none():
    (card,) = cards([entry(CLAIMS[0], "not run")], CLAIMS[:1], {})
    assert (card["figure"], card["figures"]) == ("", [])


def drawn(*rows):
    columns = ["quantity", "method", "alpha", "mu", "value", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def test_the_opening_picture_draws_each_method_from_the_largest_step_size_to_the_smallest():
    made = opening.opening(
        drawn(
            ("auc", "none", "2^-9", "0", -150.0, -160.0, -140.0),
            ("auc", "none", "2^-5", "0", -120.0, -121.0, -119.0),
            ("auc", "scalar", "2^-5", "2^-10", -110.0, None, None),
            ("final", "none", "2^-5", "0", -100.0, -101.0, -99.0),
            ("auc", "sid", "2^-7", "2^-14", -90.0, -91.0, -89.0),
        )
    )
    untuned, tuned = made["lines"]
    assert [token for _, token in made["alphas"]] == ["2⁻⁵", "2⁻⁹"]
    assert [number for _, number in made["returns"]] == ["−200", "−150", "−100"]
    # From −100 at the top, 8, a fifth and a half of the way down to −200, at 256.
    assert untuned["points"] == "M56.0 57.6L632.0 132.0"
    assert (untuned["mu"], tuned["mu"]) == ("", "2⁻¹⁰")
    assert untuned["band"].count("L") == 3 and tuned["band"] == ""


def test_a_table_says_how_likely_one_run_beats_another():
    row = {"environment": "e", "runs": 9, "improvement": 0.7, "improvement_low": 0.6, "improvement_high": 0.8}
    compared = [("mixed", "none", "4e-6"), ("mixed", "none", "1e-5"), ("mixed", "scalar", "4e-6")]
    made = article.pairs(
        pd.DataFrame([{"method": method, "other": other, "drift": drift, **row} for method, other, drift in compared])
    )
    assert made == {
        "drifts": ["4e-6", "1e-5"],
        "rows": [
            ("mixed over no tuning", ["0.70 [0.60, 0.80]", "0.70 [0.60, 0.80]"]),
            ("mixed over scalar", ["0.70 [0.60, 0.80]", ""]),
        ],
    }


def test_the_article_itself_names_no_verdict_and_no_result():
    """What a scale found must come from its tables."""
    verdicts = ("not reproduced", "undecided", "inconclusive", "too small to judge")
    for name in ("article.html", "claim_card.html", "page.html"):
        text = re.sub(r"\{[%{#].*?[%}#]\}", "", (ROOT / "reports" / name).read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not [word for word in verdicts if word in text]


def test_a_picture_that_is_missing_or_cut_short_is_named(tmp_path):
    with pytest.raises(UserError, match=r"figure_1\.png: is missing, cut short or no picture; rebuild it with: rm "):
        pictures.inlined(tmp_path / "figure_1")
    (tmp_path / "figure_1.png").write_bytes((ROOT / "reports/published/figures/figure_1.png").read_bytes()[:5000])
    with pytest.raises(UserError, match=r"figure_1\.png: is missing, cut short or no picture"):
        pictures.small(tmp_path / "figure_1")
