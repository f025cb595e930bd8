"""Whatever ran, a claim gets numbers or says what is lacking: no table makes a traceback."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from project import PAPER, ROOT

from metatrace.analysis.groups import SETTING
from metatrace.report import cards, claims, claims_json, criteria
from metatrace.report.claim_scores import LackingError, UndecidableError
from metatrace.report.statistics.common import ratio
from metatrace.report.statistics.registry import STATISTICS
from metatrace.report.verdicts import NOT_RUN, RESULTS, TOO_SMALL, VERDICTS

CRITERIA = criteria.read(ROOT / "config" / "claims.yaml")
GROUPS = [f"{part}/{kind}" for part in ("value", "policy") for kind in ("informative", "noisy")]
SCORES = [
    *("final", "auc", "first", *(f"tenth_{tenth}" for tenth in range(1, 11)), "beta", "random", "tiles", "noise"),
    *(f"alpha_{group}" for group in ("relevant", "irrelevant", "flipping", "constant")),
    *("change_U", "change_W"),
]


def whole_table(figure):
    """Every run of a figure of the paper, with all scores 0."""
    runs = [vars(run) for run in figure.some_runs() if run.seed in figure.seeds[:3]]
    table = pd.DataFrame(runs).assign(length=figure.length, **dict.fromkeys(SCORES, 0.0))
    if figure.kind == "mu_and_beta":
        table = pd.concat([table.assign(group=group) for group in GROUPS], ignore_index=True)
    return table


TABLES = {name: whole_table(PAPER.figures[name]) for claim in CRITERIA.claims for name in claims._figures(claim)}


@st.composite
def made_tables(draw, claim):
    """What ran of a claim's figures: parts of their grids, without some columns, with scores of any kind."""
    made = {}
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kept = {}
    whole_grid = draw(st.booleans())
    for name in claims._figures(claim):
        table = TABLES[name]
        for axis in () if whole_grid else (*SETTING, "seed"):
            # The same choice in all figures, or one for each.
            tokens = sorted(set(table[axis]))
            key = (axis, *tokens)
            if key not in kept or draw(st.integers(0, 9)) == 0:
                kept[key] = draw(st.sets(st.sampled_from(tokens))) if tokens and draw(st.booleans()) else tokens
            table = table[table[axis].isin(kept[key])]
        if draw(st.integers(0, 4)) == 0:
            table = table[rng.random(len(table)) < 0.9]
        scores = {
            "constant": lambda rows: np.full(rows, -200.0),
            "spread": lambda rows: rng.normal(-130, 30, rows),
            "coarse": lambda rows: rng.choice([-200.0, -100.0, 0.0], rows),
            "tiny": lambda rows: rng.normal(0, 1e-14, rows),
            "unknown": lambda rows: np.where(rng.random(rows) < 0.2, np.nan, rng.normal(-130, 30, rows)),
        }[draw(st.sampled_from(["constant", "spread", "coarse", "tiny", "unknown"]))]
        table = table.assign(**{score: scores(len(table)) for score in SCORES})
        if draw(st.integers(0, 4)) == 0:
            table = table.drop(columns=draw(st.sampled_from([*SCORES, "group"])), errors="ignore")
        made[name] = claims.Ran(table, PAPER.figures[name])
    return made


@pytest.mark.filterwarnings("error")
@settings(max_examples=50)
@given(data=st.data())
def test_any_runs_give_numbers_or_say_what_is_lacking(data):
    claim = data.draw(st.sampled_from(CRITERIA.claims))
    ran = data.draw(made_tables(claim))
    try:
        roles = claims._roles(claim, ran)
        values = STATISTICS[claim.id](roles)
    except (LackingError, UndecidableError) as reason:
        assert str(reason) and "\n" not in str(reason)
        values, lacks = None, isinstance(reason, LackingError)
    else:
        lacks = False
        assert set(values) == set(claim.parts)
        assert all(isinstance(float(value), float) for value in values.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "_RESAMPLES", 5)
        table = claims.judge(dataclasses.replace(CRITERIA, claims=(claim,)), ran)
    assert lacks == table["why"].str.startswith("lacks ").all() == set(table["verdict"]).issubset({NOT_RUN.word})
    assert set(table["verdict"]) <= VERDICTS.keys() and set(table["part_verdict"]) <= RESULTS.keys()
    # JSON knows neither infinity nor NaN.
    made = json.loads(claims_json.as_json(table, claims.summary(table, {}), "tiny"))
    # Every part of it has a place on a card, whatever its numbers are.
    (card,) = cards.cards(made["claims"], (claim,), {})
    assert len(card["parts"]) == len(claim.parts)


def of(claim, **figures):
    (chosen,) = (one for one in CRITERIA.claims if one.name == claim)
    ran = {name: claims.Ran(TABLES[name], PAPER.figures[name]) for name in claims._figures(chosen)}
    ran |= {name: claims.Ran(change(TABLES[name]), PAPER.figures[name]) for name, change in figures.items()}
    table = claims.judge(dataclasses.replace(CRITERIA, claims=(chosen,)), ran)
    (verdict,), (why,) = set(table["verdict"]), set(table["why"])
    assert verdict in (NOT_RUN.word, TOO_SMALL.word)
    return why


def without(axis, *tokens):
    return lambda table: table[~table[axis].isin(tokens)]


@pytest.mark.parametrize(
    ("claim", "figures", "why"),
    [
        ("C11", {"figure_s8": without("method", "scalar", "vector")}, "lacks method scalar, vector"),
        ("C12", {"figure_s8": without("method", "scalar", "vector")}, "lacks method scalar"),
        ("C14", {"figure_s8": without("drift", "8e-6")}, "lacks drift 8e-6"),
        ("C17", {"figure_9": without("environment", "asterix")}, "lacks environment asterix"),
        ("C6", {"figure_1": without("alpha", "2^-5")}, "lacks alpha 2^-5"),
        ("C9", {"figure_s8_nosid": without("mu", "2^-8")}, "lacks mu 2^-8"),
        ("C15", {"figure_7": lambda table: table.drop(columns="group")}, "lacks runs with the score group"),
        ("C2", {"figure_2": lambda table: table[:0]}, "lacks Figure 2"),
        ("C2", {"figure_2": lambda table: table[table["seed"] > 1], "figure_1": without("seed", 2)},
         "lacks a seed that all its figures share"),
        ("C20", {"figure_9": lambda table: table[(table["method"] == "none") | (table["alpha"] != "2^-7")]},
         "lacks the same α with all of its methods"),
    ],
)  # fmt: skip
def test_a_claim_says_what_of_its_figures_did_not_run(claim, figures, why):
    assert of(claim, **figures) == why


def test_a_grid_with_holes_is_too_small_and_said():
    def fewer(table):
        return table[~table["alpha"].isin(["2^-3"]) & table["mu"].isin(["2^-6", "2^-9"])]

    assert of("C2", figure_1=without("alpha", "2^-3"), figure_2=fewer) == ("3 of 10 seeds, 10 of 11 α, 2 of 6 μ")


def test_seeds_count_that_all_figures_share():
    ran = {name: claims.Ran(TABLES[name], PAPER.figures[name]) for name in ("figure_1", "figure_2")}
    table = ran["figure_2"].scores
    ran["figure_2"] = claims.Ran(table.assign(seed=table["seed"] + 2), PAPER.figures["figure_2"])
    claim = next(claim for claim in CRITERIA.claims if claim.id == "C2")
    assert claims._too_small(claim, ran, CRITERIA) == "1 of 10 seeds"


def test_a_ratio_has_no_value_where_its_denominator_is_zero_but_for_rounding():
    np.testing.assert_array_equal(ratio(np.ones(5), np.array([2.0, 0.0, 1e-13, -1.0, np.nan])), [0.5, *[np.nan] * 4])


def test_a_few_seeds_of_which_one_may_be_drawn_alone_give_no_huge_interval():
    """Of three seeds each ninth resample draws a single one, whose deviation from seed to seed is zero."""
    claim = next(claim for claim in CRITERIA.claims if claim.id == "C8")
    rng = np.random.default_rng(0)
    ran = {}
    for name in claims._figures(claim):
        table = TABLES[name]
        ran[name] = claims.Ran(table.assign(auc=rng.normal(-130, 3, len(table))), PAPER.figures[name])
    (estimate,) = claims.bootstrap(claim, claims._roles(claim, ran)).values()
    assert 0 < estimate[1] < estimate[0] < estimate[2] < 3


def on_seeds(table, count):
    """The runs of a table's first seed, on so many seeds."""
    one = table[table["seed"] == table["seed"].min()]
    return pd.concat([one.assign(seed=seed) for seed in range(count)], ignore_index=True)


MADE = {
    "normal": lambda rng, shape: rng.normal(-130, 30, shape),
    "skewed": lambda rng, shape: -200 + 100 * rng.random(shape) ** 9,
    "coarse": lambda rng, shape: rng.choice([-200.0, -160.0, -100.0], shape),
    "positive": lambda rng, shape: rng.gamma(2, 3, shape),
    "without variance": lambda rng, shape: rng.normal(-130, 30, (1, shape[1])) + rng.normal(0, 1e-13, shape),
}


@pytest.mark.filterwarnings("error")
@settings(max_examples=40, deadline=None)
@given(
    claim=st.sampled_from(CRITERIA.claims),
    seeds=st.sampled_from([2, 3, 5, 10, 30, 100]),
    kind=st.sampled_from(list(MADE)),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_value_lies_in_its_interval_whatever_the_runs_and_seeds(claim, seeds, kind, seed):
    rng, ran = np.random.default_rng(seed), {}
    for name in claims._figures(claim):
        table = on_seeds(TABLES[name], seeds)
        scores = {score: MADE[kind](rng, (seeds, len(table) // seeds)).reshape(-1) for score in SCORES}
        ran[name] = claims.Ran(table.assign(**scores), PAPER.figures[name])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "_RESAMPLES", 40)
        try:
            estimates = claims.bootstrap(claim, claims._roles(claim, ran))
        except UndecidableError:
            return
    for value, low, high in estimates.values():
        assert math.isnan(low) == math.isnan(high)
        assert math.isnan(low) or low <= value <= high
        if kind == "without variance" and not math.isnan(low):
            assert high - low < 1e-6 * (1 + abs(value))
