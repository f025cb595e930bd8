"""Claims: made runs of which every verdict is known, claim by claim and part by part."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from project import PAPER, ROOT

from metatrace.analysis import tables
from metatrace.errors import UserError
from metatrace.report import cards, claims, context, criteria
from metatrace.report import claims_json as pages
from metatrace.report import verdicts as verdicts_module
from metatrace.report.claim_scores import Draw, Scores
from metatrace.report.statistics import regression
from metatrace.report.statistics.games import _learned
from metatrace.report.statistics.prediction import _nearly_best_octaves
from metatrace.report.statistics.registry import STATISTICS
from metatrace.report.verdicts import INCONCLUSIVE

FILE = ROOT / "config" / "claims.yaml"
CRITERIA = criteria.read(FILE)
VERDICTS = {False: ("reproduced", "not reproduced"), True: ("carries over", "does not carry over")}


@pytest.fixture(autouse=True)
def _fewer_resamples(monkeypatch):
    """The made runs are far from their thresholds."""
    monkeypatch.setattr(claims, "_RESAMPLES", 200)


def log2(token):
    return int(token.removeprefix("2^")) if token.startswith("2^") else math.log2(float(token))


def ran(name, *, seeds=None, length=None, random=100.0, **scores):
    """What ran of one of the paper's figures, half of its seeds; each score a function of a run, and its seed's noise.

    A run is a namespace: environment, method, a (log2 α), m (log2 μ), drift, seed.
    """
    figure = PAPER.figures[name]
    rows = []
    few = figure.seeds[: seeds or max(10, len(figure.seeds) // 2)]
    for run in figure.some_runs():
        if run.seed not in few:
            continue
        row = vars(run) | {"length": length or figure.length, "random": random}
        a, m = log2(run.alpha), log2(run.mu) if run.mu != "0" else None
        noise = 0.1 * math.sin(1 + run.seed)
        for score in ("auc", "final", "first", "tiles", "noise", *(f"tenth_{tenth}" for tenth in range(1, 11))):
            given = scores.get(score, scores.get("tenths") if score.startswith("tenth_") else None)
            rank = int(score.removeprefix("tenth_")) if score.startswith("tenth_") else None
            value = -150.0 if given is None else given(row | {"a": a, "m": m, "tenth": rank})
            row[score] = value + noise
        rows.append(row)
    table = pd.DataFrame(rows)
    if "beta" in scores:
        groups = [f"{part}/{kind}" for part in ("value", "policy") for kind in ("informative", "noisy")]
        table = pd.concat(
            [
                table.assign(group=group, beta=[scores["beta"](row, group) for row in table.to_dict("records")])
                for group in groups
            ],
            ignore_index=True,
        )
    return claims.Ran(table, figure)


def hill(run, top=-110.0, at=-8):
    """AUC that is best at one α and falls off on both sides: what no tuning gives."""
    return max(-200.0, top - 4.0 * (run["a"] - at) ** 2)


def flat(run):
    """AUC that hardly depends on α: what good tuning gives."""
    return -110.0 - 0.1 * (run["a"] + 8) ** 2


def by_mu(useful):
    """Flat for some μ, and as without tuning for the others."""
    return lambda run: flat(run) if run["m"] in useful else hill(run)


def at(alpha, value, other=-130.0):
    return lambda run: value if run["a"] == alpha else other


def by_method(**values):
    """A score for each method: a number, or one for each drift rate upward."""
    rates = PAPER.figures["figure_6"].drifts

    def score(run):
        value = values[run["method"]]
        return value if np.isscalar(value) else value[rates.index(run["drift"])]

    return score


def course(**values):
    """Tenths for each method: a list of ten, the same at all rates, or a function of the rate's rank."""
    rates = PAPER.figures["figure_6"].drifts

    def score(run):
        tenths = values[run["method"]]
        return (tenths(rates.index(run["drift"])) if callable(tenths) else tenths)[run["tenth"] - 1]

    return score


def nosid(*, useful, scalar_useful, unstable=(-7, -8), large=-120.0, scalar_large=-170.0):
    """The figures of claim 9."""

    def auc(run):
        chosen = useful if run["method"] == "nosid" else scalar_useful
        return flat(run) if run["m"] in chosen else hill(run)

    def final(run):
        if run["method"] == "nosid" and run["m"] in unstable:
            return -190.0
        if run["a"] == -3:
            return large if run["method"] == "nosid" else scalar_large
        return -110.0

    untuned = {name: ran(name, auc=hill) for name in ("figure_1", "figure_s8_none")}
    fresh = ["figure_s8_nosid", "figure_s8_wide_scalar", "figure_s8_large_scalar", "figure_s8_large_nosid"]
    names = ["figure_2", "figure_s5", "figure_s3_nosid", *fresh]
    return untuned | {name: ran(name, auc=auc, final=final) for name in names}


def drifting(final=None, auc=None, tenths=None, first=lambda run: -195.0):
    return {"figure_s8": ran("figure_s8", final=final, auc=auc, tenths=tenths, first=first)}


def games(final, auc=None):
    return {"figure_9": ran("figure_9", seeds=5, final=final, auc=auc or final)}


def of_game(game, untuned, mixed, other=(300.0, 300.0)):
    """A score in one game, for α downward of each method."""
    alphas = [log2(alpha) for alpha in PAPER.figures["figure_9"].alphas[:3]]

    def score(run):
        if run["environment"] != game:
            return other[run["method"] == "mixed"]
        return (mixed if run["method"] == "mixed" else untuned)[alphas.index(run["a"])]

    return score


RISING = [-180, -150, *[-130] * 8]
# For each claim: runs, and the parts of it that fail then; no part that fails means that it is reproduced.
CASES = {
    "C1": [
        (lambda: {"figure_1": ran("figure_1", auc=hill)}, set()),
        (lambda: {"figure_1": ran("figure_1", auc=flat)}, {"smallest", "largest"}),
        (lambda: {"figure_1": ran("figure_1", auc=lambda run: hill(run, at=-3))}, {"largest"}),
    ],
    "C2": [
        (lambda: tuned("figure_2", by_mu({-6, -7, -8})), set()),
        (lambda: tuned("figure_2", by_mu({-6, -7})), {"useful"}),
    ],
    "C3": [
        (lambda: tuned("figure_2", flat), set()),
        (lambda: tuned("figure_2", lambda run: hill(run) - 20 + abs(run["a"] + 8)), {"gain"}),
        (lambda: tuned("figure_2", lambda run: hill(run) + 20 - 2 * abs(run["a"] + 8)), {"slope"}),
    ],
    "C4": [
        (lambda: tuned("figure_3", flat), set()),
        (lambda: tuned("figure_3", lambda run: hill(run) - 20 + abs(run["a"] + 8)), {"useful", "gain"}),
    ],
    "C5": [
        (lambda: octaves_apart({-6, -7, -8}, {-16, -17}), set()),
        (lambda: octaves_apart({-11}, {-12}), {"shift"}),
    ],
    "C6": [
        (lambda: top_alpha(rise=0, spread=(1, 3)), set()),
        (lambda: top_alpha(rise=40, spread=(1, 3)), {"improvement"}),
        (lambda: top_alpha(rise=0, spread=(3, 1)), {"deviation"}),
    ],
    "C7": [
        (lambda: beyond(-190.0, -190.0), set()),
        (lambda: beyond(-190.0, -110.0), {"unnormalized"}),
    ],
    "C8": [
        (lambda: beside(0.05), set()),
        (lambda: beside(10.0), {"distance"}),
    ],
    "C9": [
        (lambda: nosid(useful=range(-15, -9), scalar_useful=range(-9, -5)), set()),
        (lambda: nosid(useful=range(-12, -9), scalar_useful=range(-9, -5)), {"width"}),
        (lambda: nosid(useful=range(-15, -6), scalar_useful=range(-15, -10)), {"shift"}),
        (lambda: nosid(useful=range(-15, -9), scalar_useful=range(-9, -5), large=-190.0), {"large_alpha"}),
        (lambda: nosid(useful=range(-15, -9), scalar_useful=range(-9, -5), unstable=()), {"unstable"}),
    ],
    "C10": [
        (lambda: vector(0.2), set()),
        (lambda: vector(0.8), {"gain"}),
    ],
    "C11": [
        (lambda: drifting(by_method(none=-170, scalar=-150, vector=-160, mixed=-130), tenths=rises()), set()),
        (
            lambda: drifting(
                by_method(none=-170, scalar=(-150, -150, -150, -100), vector=-160, mixed=-130), tenths=rises()
            ),
            {"highest"},
        ),
        (
            lambda: drifting(by_method(none=-170, scalar=-150, vector=-160, mixed=-130), tenths=rises(-198)),
            {"quick"},
        ),
    ],
    "C12": [
        (lambda: drifting(tenths=scalars(lambda rank: [-150, -120, -120, *[-120 - 10 * rank] * 7])), set()),
        (lambda: drifting(tenths=scalars(lambda rank: [-150, *[-120] * 9])), {"third", "highest"}),
        (
            lambda: drifting(tenths=scalars(lambda rank: [-190, -120, *[-120 - 10 * rank] * 8])),
            {"early"},
        ),
    ],
    "C13": [
        (lambda: scalar_and_vector(early=(-150, -170), final=(-150, -130)), set()),
        (lambda: scalar_and_vector(early=(-150, -170), final=(-130, -150)), {"final"}),
        (lambda: scalar_and_vector(early=(-170, -150), final=(-150, -130)), {"early"}),
    ],
    "C14": [
        (lambda: improved(final=-150, auc=-150), set()),
        (lambda: improved(final=-190, auc=-150), {"final"}),
        (lambda: improved(final=-150, auc=(-150, -150, -150, -186)), {"auc"}),
    ],
    "C15": [
        (lambda: betas(vector=(4, 1), mixed=(6, 1)), set()),
        (lambda: betas(vector=(1, 2), mixed=(6, 1)), {"vector"}),
    ],
    "C17": [
        (lambda: games(every_game((900, 500, 100), (520, 500, 480))), set()),
        (lambda: games(every_game((520, 500, 480), (900, 500, 100))), {"spread"}),
    ],
    "C18": [
        (lambda: games(two_games((500, 510, 520), (510, 520, 300))), set()),
        (lambda: games(two_games((500, 510, 480), (510, 520, 300))), {"space_invaders"}),
        (lambda: games(two_games((500, 510, 520), (510, 470, 300))), {"seaquest"}),
    ],
    "C19": [
        (lambda: asterix((490, 500, 510), 5), set()),
        (lambda: asterix((100, 500, 510), 5), {"similar"}),
        (lambda: asterix((490, 500, 510), -5), {"faster"}),
    ],
    "C20": [
        (lambda: games(of_game("beam_rider", (500, 400, 300), (450, 480, 480))), set()),
        (lambda: games(of_game("beam_rider", (500, 400, 300), (550, 480, 480))), {"faster"}),
    ],
    "C21": [
        (lambda: games(of_game("freeway", (100, 100, 100), (100, 100.5, 100))), set()),
        (lambda: games(of_game("freeway", (100, 100, 100), (100, 120, 100))), {"progress"}),
    ],
    "M16": [
        (lambda: breakout(), set()),
        (lambda: breakout(scalar=(1, 14, 14, 14, 14, 1, 1, 1)), {"closer"}),
        (lambda: breakout(scalar=(4, 4, 4, 4, 4, 4, 4, 4)), {"leave"}),
        (lambda: breakout(vector=(1, 2, 5, 6, 6, 2, 1, 1)), {"vector"}),
        (lambda: breakout(mixed=(1, 2, 5, 6, 6, 2, 1, 1)), {"mixed"}),
        (lambda: breakout(vector=(0, 2, 8, 12, 10, 2, 1, 1)), {"tuned"}),
        (lambda: breakout(none=(5, 0, 7, 10, 8, 2, 0, 0)), {"untuned"}),
    ],
    "M17": [
        (lambda: minatar((9, 5, 1), (6, 5, 4)), set()),
        (lambda: minatar((6, 5, 4), (9, 5, 1)), {"spread"}),
        # Not learned, so it does not count, however sensitive mixed is there.
        (lambda: minatar((9, 5, 1), (6, 5, 4), minatar_freeway=((0.2, 0.1, 0), (2, 1, 0))), set()),
    ],
    "M18": [
        (lambda: minatar((5, 4, 3), (6, 7, 5.5)), set()),
        (lambda: minatar((5, 4, 3), (4, 7, 5.5)), {"games"}),
        (lambda: minatar((5, 4, 3), (4, 7, 5.5), **dict.fromkeys(GAMES[:3], ((5, 4, 3), (6, 7, 5.5)))), set()),
        (lambda: minatar((5, 4, 3), (4, 7, 5.5), **dict.fromkeys(GAMES[:2], ((5, 4, 3), (6, 7, 5.5)))), {"games"}),
        (
            lambda: minatar((5, 4, 3), (4, 7, 5.5), **dict.fromkeys(GAMES[1:4], ((0.5, 0.4, 0.3), (0.4, 0.4, 0.4))),
                            minatar_asterix=((5, 4, 3), (6, 7, 5.5))),
            set(),
        ),
    ],
    "M19": [
        (lambda: minatar((5, 4, 3), (4.5, 5, 6), ahead=1), set()),
        (lambda: minatar((5, 4, 3), (3, 5, 6), ahead=1), {"similar"}),
        (lambda: minatar((5, 4, 3), (4.5, 5, 6), ahead=-1), {"faster"}),
        (lambda: minatar((5, 4, 3), (4.5, 5, 6), ahead=1, minatar_asterix=((5, 4, 3), (3, 5, 6))), {"similar"}),
        (lambda: minatar((5, 4, 3), (4.5, 5, 6), ahead=1, minatar_asterix=((0.5, 0.4, 0.3), (0.1, 5, 6))), set()),
    ],
    "M22": [
        (lambda: minatar((5, 4, 3), (4, 6, 5), rmsprop=6), set()),
        (lambda: minatar((5, 4, 3), (4, 6, 5), rmsprop=8), {"ratio"}),
        # On asterix its α of breakout is the worst; that is what counts.
        (lambda: minatar((5, 4, 3), (4, 6, 5), rmsprop=6, minatar_asterix=((5, 4, 3), (12, 0.1, 12))), {"ratio"}),
        (lambda: minatar((5, 4, 3), (4, 6, 5), rmsprop=6, minatar_asterix=((0.5, 0.4, 0.3), (1, 0.1, 1))), set()),
    ],
    "M23": [
        (lambda: published(9.5, 50, 19.7), set()),
        (lambda: published(6.9, 62, 16.5), set()),
        (lambda: published(6, 50, 19.7), {"breakout"}),
        (lambda: published(9.5, 90, 19.7), {"space_invaders"}),
        (lambda: published(9.5, 50, 1), {"asterix"}),
    ],
    "K12": [
        (lambda: sarsa({-16}, {-6}), set()),
        (lambda: sarsa(set(), {-6}), {"sid"}),
        (lambda: sarsa({-16}, set()), {"nosid"}),
    ],
    "K13": [
        (lambda: optimisers(flat, hill, hill), set()),
        (lambda: optimisers(flat, hill, flat), {"spread"}),
        (lambda: optimisers(hill, hill, hill), {"spread"}),
    ],
    "K14": [
        (lambda: chosen(mixed=-110, none=-130, adam=-140, rmsprop=-150), set()),
        (lambda: chosen(mixed=-110, none=-130, adam=-140, rmsprop=(-150, -105, -150, -150)), {"second"}),
        (lambda: chosen(mixed=-110, none=(-130, -130, -130, -100), adam=-140, rmsprop=-150), {"highest"}),
    ],
    "K7": [
        (lambda: predictions(none=9, tidbd=5, tiles=8, noise=1), set()),
        (lambda: predictions(none=9, tidbd=(5, 10), tiles=8, noise=1), {"error"}),
        (lambda: predictions(none=9, tidbd=5, tiles=8, noise=(1, 4)), {"separates"}),
    ],
    "K8": [
        (lambda: predictions(tidbd=5, autotidbd=5, width={"autotidbd": 4}), set()),
        (lambda: predictions(tidbd=5, autotidbd=5, width={"tidbd": 4}), {"still", "drifting"}),
        # How good a method is does not matter.
        (lambda: predictions(tidbd=5, autotidbd=50, width={"autotidbd": 4}), set()),
    ],
    "K9": [
        (lambda: predictions(tidbd=5, vector=4), set()),
        (lambda: predictions(tidbd=5, vector=(4, 6)), {"error"}),
    ],
}  # fmt: skip
GAMES = PAPER.figures["figure_m2"].environments


def breakout(**finals):
    """Final returns for each method, α downward; without others, as the paper says of seaquest."""
    whole = {
        "none": (0, 0, 7, 10, 8, 2, 0, 0),
        "scalar": (2, 6, 8, 9, 9, 8, 7, 6),
        "vector": (1, 2, 8, 12, 10, 2, 1, 1),
        "mixed": (1, 2, 8, 13, 11, 2, 1, 1),
    } | finals
    alphas = [log2(alpha) for alpha in PAPER.figures["figure_m1"].alphas]
    return {"figure_m1": ran("figure_m1", final=lambda run: whole[run["method"]][alphas.index(run["a"])], random=0.5)}


def minatar(untuned, mixed, *, ahead=0.0, rmsprop=1.0, **others):
    """Final returns, α downward, on every game but `others`; how far ahead mixed's AUC is; random play gets 0.5."""
    alphas = [log2(alpha) for alpha in PAPER.figures["figure_m2"].alphas[:3]]

    def final(run):
        return others.get(run["environment"], (untuned, mixed))[run["method"] == "mixed"][alphas.index(run["a"])]

    return {
        "figure_m2": ran("figure_m2", final=final, auc=lambda run: 3 + ahead * (run["method"] == "mixed"), random=0.5),
        "figure_m4": ran("figure_m4", final=lambda run: rmsprop, random=0.5),
    }


def published(breakout, space_invaders, asterix):
    return {
        f"figure_m5_{game}": ran(f"figure_m5_{game}", final=lambda run, value=value: value)
        for game, value in (("breakout", breakout), ("space_invaders", space_invaders), ("asterix", asterix))
    }


def sarsa(sid, nosid):
    """SARSA(λ) with SID and NOSID, flat at some μ and worse than that by half a return elsewhere."""
    return {
        "figure_s11_none": ran("figure_s11_none", auc=hill),
        "figure_s11_sid": ran("figure_s11_sid", auc=by_mu(sid)),
        "figure_s11_nosid": ran("figure_s11_nosid", auc=by_mu(nosid)),
    }


def optimisers(scalar, adam, rmsprop):
    return {
        "figure_2": ran("figure_2", auc=scalar),
        "figure_s9_adam": ran("figure_s9_adam", auc=adam),
        "figure_s9_rmsprop": ran("figure_s9_rmsprop", auc=rmsprop),
    }


def chosen(**finals):
    return {"figure_s10": ran("figure_s10", final=by_method(**finals, scalar=-120, obgd=-200))}


def predictions(tiles=1.0, noise=1.0, width=None, **errors):
    """Figure P3: the least error of each method, and the step-sizes there; a number, or one for each drift rate upward.

    Elsewhere the error doubles within two octaves, or stays for `width` octaves on both sides.
    """
    rates = PAPER.figures["figure_p3"].drifts

    def of(value, run):
        return value if np.isscalar(value) else value[rates.index(run["drift"])]

    def error(run):
        best = of(errors.get(run["method"], 20), run)
        distance = abs(run["a"] + 7) if run["method"] == "none" else abs(run["m"] + 9)
        return best * (1 + max(0, distance - (width or {}).get(run["method"], 0)) / 2)

    def at_best(value):
        return lambda run: of(value, run) if run["m"] == -9 else 100.0

    made = {"final": error, "tiles": at_best(tiles), "noise": at_best(noise)}
    return {name: ran(name, **made) for name in ("figure_p3", "figure_p3_td")}


def tuned(name, auc):
    return {"figure_1": ran("figure_1", auc=hill), name: ran(name, auc=auc)}


def octaves_apart(normalized, unnormalized):
    def auc(run):
        return by_mu(normalized if run["method"] == "scalar" else unnormalized)(run)

    names = ("figure_2", "figure_s5", "figure_s3_nosid", "figure_3", "figure_s6")
    return {"figure_1": ran("figure_1", auc=hill), **{name: ran(name, auc=auc) for name in names}}


def top_alpha(rise, spread):
    return {
        "figure_1": ran("figure_1", first=lambda run: -190.0, final=lambda run: -190.0 + rise),
        **{
            name: ran(name, auc=lambda run, size=size: -150 + size * math.cos(run["seed"] * run["m"]))
            for name, size in zip(("figure_2", "figure_3"), spread, strict=True)
        },
    }


def beyond(normalized, unnormalized):
    shown = {name: ran(name, final=lambda run: -110.0) for name in ("figure_2", "figure_3")}
    return shown | {
        "figure_s5": ran("figure_s5", final=lambda run: normalized),
        "figure_s6": ran("figure_s6", final=lambda run: unnormalized),
    }


def beside(distance):
    def auc(run):
        return -120.0 + math.cos(run["seed"]) + distance * (run["method"] == "sid")

    return {name: ran(name, auc=auc) for name in ("figure_3", "figure_4")}


def vector(share):
    return {
        "figure_s8_none": ran("figure_s8_none", auc=lambda run: -180.0),
        "figure_s8_scalar": ran("figure_s8_scalar", auc=lambda run: -130.0),
        "figure_s8_vector": ran("figure_s8_vector", auc=lambda run: -180.0 + 50 * share),
    }


def rises(second=-150):
    tenths = [-180, second, *[-130] * 8]
    return course(**dict.fromkeys(("none", "scalar", "vector", "mixed"), tenths))


def scalars(tenths):
    flat = [-170] * 10
    return course(none=flat, vector=flat, mixed=flat, scalar=tenths)


def scalar_and_vector(early, final):
    (scalar, vector), flat = early, [-150] * 10
    tenths = course(none=flat, mixed=flat, scalar=[scalar, *flat[1:]], vector=[vector, *flat[1:]])
    return drifting(by_method(none=-180, mixed=-150, scalar=final[0], vector=final[1]), tenths=tenths)


def improved(final, auc):
    return drifting(
        by_method(none=-180, scalar=-150, mixed=-150, vector=final),
        by_method(none=-180, scalar=-150, mixed=-150, vector=auc),
    )


def betas(**apart):
    def beta(run, group):
        part, kind = group.split("/")
        distance = apart.get(run["method"], (1, 1))[part == "policy"] if run["mu"] == "2^-10" else -1
        return -9.0 + 0.01 * run["seed"] + distance * (kind == "informative")

    return {"figure_7": ran("figure_7", beta=beta)}


def every_game(untuned, mixed):
    alphas = [log2(alpha) for alpha in PAPER.figures["figure_9"].alphas[:3]]
    return lambda run: (mixed if run["method"] == "mixed" else untuned)[alphas.index(run["a"])]


def two_games(space_invaders, seaquest):
    one, other = (
        of_game(game, (490, 480, 470), mixed)
        for game, mixed in (("space_invaders", space_invaders), ("seaquest", seaquest))
    )
    return lambda run: other(run) if run["environment"] == "seaquest" else one(run)


def asterix(mixed, ahead):
    """Final returns with mixed Metatrace, and how far ahead its AUC is."""
    return games(
        of_game("asterix", (500, 400, 300), mixed),
        of_game("asterix", (300, 300, 300), (300 + ahead,) * 3),
    )


def verdicts(name, figures, decided_by=CRITERIA):
    chosen = tuple(claim for claim in decided_by.claims if claim.name == name)
    return claims.judge(dataclasses.replace(decided_by, claims=chosen), figures)


@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name, cases in CASES.items() for case in range(len(cases))]
)
def test_a_claim_is_reproduced_or_carries_over_where_every_part_holds_and_not_where_one_fails(name, case):
    make, failing = CASES[name][case]
    table = verdicts(name, make())
    found = dict(zip(table["part"], table["part_verdict"], strict=True))
    assert found == {part: "fails" if part in failing else "holds" for part in found}
    (words,) = {VERDICTS[claim.of_other_games] for claim in CRITERIA.claims if claim.name == name}
    assert set(table["verdict"]) == {words[bool(failing)]}
    assert set(table["why"]) == {""}
    assert (table["low"] <= table["high"]).all()


def seaquest(**finals):
    alphas = [log2(alpha) for alpha in PAPER.figures["figure_8"].alphas]
    return {"figure_8": ran("figure_8", seeds=1, final=lambda run: finals[run["method"]][alphas.index(run["a"])])}


def test_the_sweep_of_a_single_seed_shows_its_numbers_and_decides_nothing():
    figures = seaquest(
        none=(100, 100, 100, 800, 1000, 900, 300, 200),
        scalar=(300, 700, 700, 800, 900, 900, 700, 700),
        vector=(200, 300, 700, 1000, 1200, 1100, 300, 200),
        mixed=(200, 300, 700, 1000, 1300, 1100, 300, 200),
    )
    table = verdicts("C16", figures).set_index("part")
    assert set(table["verdict"]) == set(table["part_verdict"]) == {"inconclusive"}
    assert set(table["why"]) == {"1 seed gives no interval"}
    assert table["low"].isna().all()
    assert table["value"].round(0).to_dict() == {
        "closer": 0,
        "leave": 7 - 3,
        "vector": 200,
        "mixed": 233,
        "tuned": 100,
        "untuned": 1,
    }
    assert table.loc["closer", "value"] < 1


def test_every_claim_of_the_paper_has_a_statistic_words_and_a_section():
    of_the_paper = [claim.id for claim in CRITERIA.claims if not claim.reading and claim.id.startswith("C")]
    assert of_the_paper == [f"C{n}" for n in range(1, 22)]
    assert set(STATISTICS) == {claim.id for claim in CRITERIA.claims}
    # C16 and the claims of regression have tests of their own.
    assert set(CASES) == set(STATISTICS) - {"C16"} - set(regression.STATISTICS)
    for claim in CRITERIA.claims:
        assert claim.section in context.SECTIONS
        for names in claim.figures.values():
            assert set(names) <= PAPER.figures.keys()


def cards_of(table):
    """The cards of the claims in a table."""
    content = json.loads(pages.as_json(table, claims.summary(table, context.SECTIONS), "tiny"))
    return cards.cards(content["claims"], CRITERIA.claims, {})


def test_where_no_game_is_learned_nothing_is_decided_and_that_is_said():
    for name in ("M17", "M18", "M19", "M22"):
        table = verdicts(name, minatar((0.5, 0.4, 0.3), (5, 6, 7)))
        assert set(table["verdict"]) == {"inconclusive"} and table["value"].isna().all()
        assert set(table["why"]) == {
            "without tuning no game is learned: none ends at more than 3 times random play's return"
        }
        (card,) = cards_of(table)
        assert card["notes"][0].startswith("Without tuning no game is learned")
        assert "Its numbers so far" not in "".join(card["notes"])


def test_where_too_little_ran_that_is_the_reason_and_not_that_no_game_is_learned():
    figures = minatar((0.5, 0.4, 0.3), (5, 6, 7))
    few = dataclasses.replace(figures["figure_m2"], scores=figures["figure_m2"].scores.assign(length=600))
    (why,) = set(verdicts("M17", {"figure_m2": few})["why"])
    assert why == "600 of 500,000 observed frames"


def test_which_games_are_learned_does_not_depend_on_the_seeds_that_a_bootstrap_draws():
    """Untuned, one seed in five ends far above the others, and three times random play on average."""
    figures = minatar((9, 5, 1), (6, 5, 4))
    scores = figures["figure_m2"].scores
    lucky = (scores["method"] == "none") & (scores["environment"] == "minatar_freeway")
    finals = scores["final"].where(~lucky, np.where(scores["seed"] == 0, 30 + scores["alpha"].map(log2), 0.0))
    figures["figure_m2"] = dataclasses.replace(figures["figure_m2"], scores=scores.assign(final=finals))
    claim = next(claim for claim in CRITERIA.claims if claim.id == "M18")
    roles = claims._roles(claim, figures)
    assert _learned(roles) == list(GAMES)
    roles["games"].draw.positions = np.array([1, 2, 3, 4, 1])
    assert roles["games"].of(environment="minatar_freeway", method="none").grid("final", "alpha").max() == 0
    assert _learned(roles) == list(GAMES)


def test_nosid_is_judged_under_each_of_its_normalisers():
    assert [claim.name for claim in CRITERIA.claims if claim.id == "C9"] == [
        "C9",
        "C9 under trace_product",
        "C9 under meta_gradient",
    ]
    figures = nosid(useful=range(-15, -9), scalar_useful=range(-9, -5))
    figures["figure_s4_trace_product"] = ran(
        "figure_s4_trace_product", auc=flat, final=lambda run: -190.0 if run["a"] == -3 else -110.0
    )
    table = verdicts("C9 under trace_product", figures).set_index("part")["part_verdict"].to_dict()
    # Useful from 2^-7 to 2^-15, bad at the largest α, and stable at 2^-8.
    assert table == {"large_alpha": "fails", "width": "holds", "shift": "holds", "unstable": "fails"}


def test_what_did_not_run_is_said():
    table = verdicts("C2", {"figure_1": ran("figure_1", auc=hill)})
    assert table["verdict"].tolist() == ["not run"] and table["why"].tolist() == ["lacks Figure 2"]
    assert verdicts("C2", {})["runs"].tolist() == [0]
    whole = ran("figure_2", auc=flat)
    holed = dataclasses.replace(whole, scores=whole.scores.drop(whole.scores.index[-1]))
    table = verdicts("C2", {"figure_1": ran("figure_1", auc=hill), "figure_2": holed})
    assert table["why"].tolist() == ["lacks exactly one run for every seed, alpha, mu"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"length": 300}, "300 of 1,000 episodes"),
        ({"seeds": 4}, "4 of 10 seeds"),
        (
            {"length": 899, "seeds": 2},
            "899 of 1,000 episodes, 2 of 10 seeds",
        ),
        ({"length": 900, "seeds": 5}, ""),
    ],
)
def test_too_small_a_scale_decides_nothing_but_says_where_it_leans(changes, why):
    figures = {
        "figure_1": ran("figure_1", auc=hill, **changes),
        "figure_2": ran("figure_2", auc=flat, **changes),
    }
    table = verdicts("C2", figures)
    assert table["why"].tolist() == [why]
    assert table["verdict"].tolist() == ["too small to judge" if why else "reproduced"]
    assert table["leaning"].tolist() == ["reproduced"]
    assert table["share"].iloc[0] == pytest.approx(changes.get("length", 1000) / 1000 * changes.get("seeds", 10) / 10)


def noisy(size, seeds=None):
    def auc(run):
        return hill(run) + 0.3 + size * math.cos(2.5 * run["seed"])

    return {"figure_1": ran("figure_1", auc=hill, seeds=seeds), "figure_2": ran("figure_2", auc=auc, seeds=seeds)}


def test_noise_that_covers_the_threshold_is_inconclusive_and_says_how_many_seeds_would_do():
    table = verdicts("C3", noisy(30))
    gain = table.set_index("part").loc["gain"]
    assert gain["part_verdict"] == "inconclusive" and set(table["verdict"]) == {"inconclusive"}
    assert gain["seeds"] == 10 and gain["seeds_needed"] > 10
    assert table["why"].str.fullmatch(r"(about|more than) [\d,]+ seeds would be expected to decide it; it has 10").all()


def test_a_difference_that_is_too_small_to_matter_is_level_and_better_is_not_reproduced():
    table = verdicts("K14", chosen(none=-130.4, adam=-130.2, rmsprop=-131, mixed=-130))
    assert set(table["part_verdict"]) == {"level"} and (table["low"] > 0).all()
    assert set(table["verdict"]) == {"not reproduced"} and table["why"].str.contains("level").all()


def test_a_part_can_have_seeds_of_its_own():
    figures = nosid(useful=range(-15, -9), scalar_useful=range(-9, -5))
    seeds = verdicts("C9", figures).set_index("part")["seeds"]
    assert seeds.to_dict() == {"large_alpha": 50, "width": 10, "shift": 10, "unstable": 10}


@pytest.mark.parametrize(
    ("rule", "interval", "expected"),
    [
        ({"above": 0}, (1, -1, 3), 40),  # an interval half as wide ends at 0
        ({"below": 0}, (1, -1, 3), 40),
        ({"above": 0}, (2, -1, 3), 23),  # 2.25 times as many
        ({"above": 0, "level": 3}, (0, -6, 3), 40),  # it will be level
        ({"above": 0, "level": 3}, (2.5, -0.5, 5.5), 15),  # above 0 before it could be level
        ({"between": [0, 4]}, (1, -1, 2), 40),
        ({"between": [0, 4]}, (5, 3, 6), 40),
        ({"above": 0}, (1, 0, 1), 11),  # it ends at the threshold
        ({"above": 0}, (0, -1, 1), math.inf),
    ],
)
def test_how_many_seeds_would_decide_a_part(rule, interval, expected):
    part = criteria.Part(statistic="s", because="b", **rule)
    assert part.verdict(*interval).word == "inconclusive" and part.seeds_needed(*interval, 10) == expected


def test_the_same_runs_give_the_same_table_whatever_their_order():
    figures = tuned("figure_2", by_mu({-6, -7}))
    shuffled = {
        name: dataclasses.replace(one, scores=one.scores.sample(frac=1, random_state=3))
        for name, one in figures.items()
    }
    pd.testing.assert_frame_equal(verdicts("C3", figures), verdicts("C3", shuffled))


@given(
    st.sampled_from(["above", "at_least", "below"]),
    st.floats(-1e3, 1e3),
    st.floats(-1e3, 1e3),
    st.floats(-1e3, 1e3),
)
def test_a_part_holds_or_fails_only_where_the_whole_interval_does(rule, threshold, one, other):
    low, high = sorted((one, other))
    part = criteria.Part(statistic="s", because="b", **{rule: threshold})
    verdict = part.verdict((low + high) / 2, low, high).word
    met = {
        "above": (low > threshold, high > threshold),
        "at_least": (low >= threshold, high >= threshold),
        "below": (high < threshold, low < threshold),
    }[rule]
    assert verdict == ("holds" if all(met) else "inconclusive" if any(met) else "fails")
    assert part.verdict(math.nan, low, high) == part.verdict(low, math.nan, math.nan) == INCONCLUSIVE


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(35, 65, "holds"), (20, 34, "fails"), (66, 70, "fails"), (34, 36, "inconclusive"), (20, 90, "inconclusive")],
)
def test_a_part_between_two_thresholds_holds_where_the_whole_interval_lies_there(low, high, verdict):
    part = criteria.Part(statistic="s", because="b", between=[35, 65])
    assert part.wanted == "35 to 65"
    assert part.verdict((low + high) / 2, low, high).word == verdict


def test_a_threshold_that_is_changed_changes_the_verdict(tmp_path):
    content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    content["claims"]["C2"]["parts"]["useful"]["at_least"] = 0.9
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    figures = tuned("figure_2", by_mu({-6, -7, -8, -9}))
    assert set(verdicts("C2", figures)["verdict"]) == {"reproduced"}
    assert set(verdicts("C2", figures, criteria.read(path))["verdict"]) == {"not reproduced"}


def changed(*keys, value):
    """The file of claims with one value changed, or removed."""

    def change(content):
        *path, last = keys
        for key in path:
            content = content[key]
        if value is None:
            del content[last]
        else:
            content[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (changed("least", value=None), "least: is missing"),
        (changed("least", "seeds", value=2), "least.seeds: is '2'; Input should be less than or equal to 1"),
        (changed("claims", "C22", value={}), "claims.C22.figures: is missing"),
        (changed("claims", "C1", "statement", value=3), "claims.C1.statement: is '3'; Input should be a valid string"),
        (
            changed("claims", "C1", "parts", "largest", "above", value=3),
            "has 2 thresholds; it must have one of",
        ),
        (changed("claims", "C1", "parts", "largest", "below", value=None), "claims.C1.parts.largest: has 0"),
        (
            changed("claims", "M23", "parts", "asterix", "between", value=[3, 2]),
            "claims.M23.parts.asterix: has between [3.0, 2.0]; it must be two numbers, the smaller one first",
        ),
        (changed("claims", "C1", "part", value=3), "claims.C1.part: there is no such key"),
    ],
)
def test_a_wrong_file_of_claims_is_refused_by_one_line(tmp_path, change, complaint):
    content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    change(content)
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(UserError) as refused:
        criteria.read(path)
    assert complaint in str(refused.value) and str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"[", b"\xff\xfe", b"claims: *a", b"a: 1"])
def test_what_is_no_file_of_claims_is_refused(tmp_path, content):
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError):
        criteria.read(path)
    with pytest.raises(UserError, match="cannot be read"):
        criteria.read(tmp_path / "missing.yaml")


def test_a_part_that_its_statistic_does_not_have_is_refused():
    claim = next(claim for claim in CRITERIA.claims if claim.id == "C1")
    parts = {"smallest": claim.parts["smallest"]}
    fewer = dataclasses.replace(CRITERIA, claims=(claim.model_copy(update={"parts": parts}),))
    with pytest.raises(UserError, match="claim C1: has the parts smallest; they must be smallest, largest"):
        claims.judge(fewer, {"figure_1": ran("figure_1", auc=hill)})


def all_of_it():
    figures = tuned("figure_2", flat)
    return claims.judge(CRITERIA, figures)


def test_a_section_is_summed_up_in_one_sentence():
    sentences = claims.summary(all_of_it(), context.SECTIONS)
    assert sentences["mountain_car"] == (
        "Mountain car: of 9 claims, 3 reproduced (C1, C2, C3), 6 not run (C4, C5, C6, C7, C8, C9)."
    )
    assert sentences["omitted"] == "Results that the paper omits: of 1 claim, 1 not run (C10)."
    assert list(sentences) == [
        "mountain_car",
        "omitted",
        "drifting_mountain_car",
        "atari",
        "minatar",
        "alternatives",
        "related",
    ]


def test_a_sentence_counts_what_carries_over():
    figures = {**breakout(), **minatar((5, 4, 3), (4.5, 5, 6), ahead=1, rmsprop=5)}
    assert claims.summary(claims.judge(CRITERIA, figures), context.SECTIONS)["minatar"] == (
        "MinAtar: of 6 claims, 1 reproduced (M22), 2 carry over (M16, M19), 2 do not carry over (M17, M18), "
        "1 not run (M23)."
    )


def test_the_json_and_the_cards_hold_every_claim_and_part():
    table = all_of_it()
    content = json.loads(pages.as_json(table, claims.summary(table, context.SECTIONS), "tiny"))
    assert len(content["claims"]) == len(CRITERIA.claims)
    assert sum(len(claim["parts"]) for claim in content["claims"]) == len(table)
    assert content["claims"][3]["parts"][0]["value"] is None
    made = cards_of(table)
    assert [card["name"] for card in made] == [claim.name for claim in CRITERIA.claims]
    for part, (_, row) in zip((part for card in made for part in card["parts"]), table.iterrows(), strict=True):
        assert (part["estimate"] == "not known") == math.isnan(row["value"]) == (part["drawing"] is None)


def test_evidence_is_read_of_the_tables_that_the_workflow_makes(tmp_path):
    one = ran("figure_1", auc=hill).scores.rename(columns={"length": "episodes"})
    run = ["environment", "method", "alpha", "mu", "drift", "seed"]
    tables.write(one[[*run, "episodes", "final", "auc"]], tmp_path / "figure_1" / "scores.parquet")
    with pytest.raises(UserError, match=r"tenths.parquet: there is no such table"):
        claims.load(tmp_path, {"figure_1": "step_sizes"}, PAPER)
    tables.write(one[[*run, "first", "tenth_1"]], tmp_path / "figure_1" / "tenths.parquet")
    kinds = {"figure_1": "step_sizes", "figure_of_mine": "games", "figure_7": "step_sizes", "figure_s7": "compared"}
    (name, read), = claims.load(tmp_path, kinds, PAPER).items()  # fmt: skip
    assert name == "figure_1" and read.paper == PAPER.figures["figure_1"]
    assert {"length", "first", "tenth_1", "auc"} <= set(read.scores) and len(read.scores) == 110
    tables.write(one[[*run, "episodes", "final"]], tmp_path / "figure_1" / "scores.parquet")
    with pytest.raises(UserError, match="has no column auc"):
        claims.load(tmp_path, {"figure_1": "step_sizes"}, PAPER)


def test_only_the_runs_of_the_papers_figure_count_as_evidence(tmp_path):
    """A user's own figure may have other methods and step-sizes, and none of the paper's."""
    one = ran("figure_1", auc=hill).scores.rename(columns={"length": "episodes"})
    others = [one.assign(alpha="2^-20"), one.assign(method="mixed", mu="2^-6"), one.assign(environment="catch")]
    for name, parts in (("figure_1", [one, *others]), ("figure_2", [one])):
        for table in ("scores", "tenths"):
            columns = ["episodes", "final", "auc"] if table == "scores" else ["first"]
            run = ["environment", "method", "alpha", "mu", "drift", "seed"]
            tables.write(pd.concat(parts)[[*run, *columns]], tmp_path / name / f"{table}.parquet")
    read = claims.load(tmp_path, {"figure_1": "step_sizes", "figure_2": "step_sizes"}, PAPER)
    assert len(read["figure_1"].scores) == len(one) and read["figure_2"].scores.empty
    assert verdicts("C2", read)["why"].tolist() == ["lacks Figure 2"]


def test_a_figure_of_ones_own_with_fewer_methods_leaves_the_report_whole(tmp_path):
    """`method: [none, mixed]` in figure_s8: every claim about it says what is lacking, and the page is made."""
    one = drifting(by_method(none=-170, scalar=-150, vector=-160, mixed=-130), tenths=rises())["figure_s8"].scores
    one = one[one["method"].isin(["none", "mixed"])].rename(columns={"length": "episodes"})
    run = ["environment", "method", "alpha", "mu", "drift", "seed"]
    tables.write(one[[*run, "episodes", "final", "auc"]], tmp_path / "figure_s8" / "scores.parquet")
    tenths = [f"tenth_{tenth}" for tenth in range(1, 11)]
    tables.write(one[[*run, "first", *tenths]], tmp_path / "figure_s8" / "tenths.parquet")
    table = claims.judge(CRITERIA, claims.load(tmp_path, {"figure_s8": "best_mu"}, PAPER))
    assert set(table["verdict"]) == {"not run"} and table["why"].str.startswith("lacks ").all()
    why = table.drop_duplicates("claim").set_index("claim")["why"]
    assert why["C11"] == "lacks method scalar, vector" and why["C12"] == "lacks method scalar"
    assert b"lacks method" in pages.as_json(table, claims.summary(table, context.SECTIONS), "mine")


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([50, 20, 10, 20, 50], 2 * 0.1 * 2),  # a tenth of the way to the next μ, two octaves away, on both sides
        ([10, 10, 10, 10, 10], 8),
        ([50, 11, 10, 11, 50], 4),
        ([50, 50, 50, 50, 10], 2 / 40),
        ([50, 10, 50, 10, 50], 4 * 2 / 40),
        ([50, math.nan, 10, 20, 50], math.nan),
    ],
)
def test_octaves_near_the_best_error(errors, expected):
    mus = ["2^-1", "2^-3", "2^-5", "2^-7", "2^-9"]
    rows = [{"mu": mu, "seed": seed, "final": error} for mu, error in zip(mus, errors, strict=True) for seed in (0, 1)]
    scores = Scores(pd.DataFrame(rows), (0, 1), Draw(np.arange(2)))
    assert _nearly_best_octaves(scores) == pytest.approx(expected, nan_ok=True)


def test_the_table_of_the_readme_counts_every_claim_by_section_and_verdict():
    claims_of = [
        {"claim": "C1", "under": "", "section": "mountain_car", "verdict": "reproduced"},
        {"claim": "C9", "under": "", "section": "mountain_car", "verdict": "inconclusive"},
        {"claim": "C9", "under": "a_reading", "section": "mountain_car", "verdict": "not reproduced"},
        {"claim": "C16", "under": "", "section": "atari", "verdict": "not run"},
    ]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    made = verdicts_module.page(text, claims_of)
    assert "| section (claims) | reproduced | inconclusive | not run |\n" in made
    assert "| Mountain car (2) | 1 | 1 |  |\n| Arcade Learning Environment (1) |  |  | 1 |\n<!-- end -->" in made
    assert verdicts_module.page(made, claims_of) == made
