"""The claims about regression: made tables of which every statistic and verdict is known."""

import numpy as np
import pandas as pd
import pytest
from project import PAPER, ROOT

from metatrace.numbers import parse
from metatrace.report import claims, criteria
from metatrace.report.statistics.regression import STATISTICS
from metatrace.report.verdicts import FAILS, HOLDS, INCONCLUSIVE, REPRODUCED

CLAIMS = {claim.id: claim for claim in criteria.read(ROOT / "config" / "claims.yaml").claims}


def ran(name, **scores):
    """What ran of a figure of the paper: each score a function of α, μ and method, and some noise of the seed."""
    figure = PAPER.figures[name]
    rows = []
    for run in figure.runs():
        noise = 1 + 0.001 * np.sin(run.seed)
        given = {name: score(parse(run.alpha, ""), parse(run.mu, "", zero=True), run.method) * noise
                 for name, score in scores.items()}  # fmt: skip
        rows.append(vars(run) | {"length": figure.length, "auc": 0.0} | given)
    return claims.Ran(pd.DataFrame(rows), figure)


def valley(best, least):
    """An error that is least at one α."""
    return lambda alpha, mu, method: least[method] * (1 + np.log(alpha / best) ** 2)


def fixed(rmsprop=3.6, adam=4.5, lms=3.4):
    return {
        "figure_p1_fixed": ran("figure_p1_fixed", final=valley(0.03, {"none": lms, "rmsprop": rmsprop, "adam": adam}))
    }


def tuned(orders=4, autostep=None):
    scales = {"figure_p1_tuned_small": 0.1, "figure_p1_tuned": 1.0, "figure_p1_tuned_large": 10.0}
    made = {}
    for name, scale in scales.items():
        best = {0.1: 1.0, 1.0: 0.01, 10.0: 0.0001}[scale] if orders == 4 else 0.03 if scale < 5 else 0.01

        def error(alpha, mu, method, best=best, scale=scale):
            spread = autostep(mu) if autostep and method == "autostep" else 2.0
            return scale**2 * (spread if method == "autostep" else 1.5 * (1 + abs(np.log10(mu / best))))

        made[name] = ran(name, final=error)
    return made


def second(relevant=0.13, irrelevant=0.008, best=0.13):
    return {
        "figure_p2": ran(
            "figure_p2", final=lambda *run: 1.5, alpha_relevant=lambda *run: relevant,
            alpha_irrelevant=lambda *run: irrelevant,
        ),
        "figure_p2_fixed": ran("figure_p2_fixed", final=valley(best, {"none": 1.4})),
    }  # fmt: skip


def two(idbd=(0.32, 0.03), rmsprop=(0.18, 0.26)):
    def of(group):
        return lambda alpha, mu, method: {"idbd": idbd, "rmsprop": rmsprop}[method][group]

    return {"figure_p2_two": ran("figure_p2_two", final=lambda *run: 0.3, alpha_flipping=of(0), alpha_constant=of(1))}


def geoff(U=(11.0, 170.0), W=(200.0, 100.0), first=(36.0, 38.0)):
    def of(values):
        return lambda alpha, mu, method: {"crossprop": values[0], "none": values[1]}.get(method, 50.0)

    return {"figure_p4": ran("figure_p4", final=lambda *run: 25.0, change_U=of(U), change_W=of(W), first=of(first))}


CASES = {
    "as published, K1": ("K1", fixed() | tuned(), {"ratio": HOLDS, "lms": HOLDS}),
    "K1, another task": ("K1", fixed(lms=5.0) | tuned(), {"ratio": HOLDS, "lms": FAILS}),
    "K1, no gain": ("K1", fixed(lms=2.4) | tuned(), {"ratio": FAILS, "lms": FAILS}),
    "as published, K2": ("K2", second(), {"relevant": HOLDS, "irrelevant": HOLDS, "fixed": HOLDS}),
    "K2, none found": ("K2", second(0.05, 0.05, 0.2), {"relevant": FAILS, "irrelevant": FAILS, "fixed": FAILS}),
    "as published, K3": ("K3", tuned(), {"orders": HOLDS}),
    "K3, no shift": ("K3", tuned(orders=0), {"orders": FAILS}),
    "as published, K4": ("K4", tuned(), {"autostep": HOLDS, "idbd": HOLDS}),
    "K4, steep": ("K4", tuned(0, lambda mu: 2 + 20 * mu), {"autostep": FAILS, "idbd": FAILS}),
    "as published, K5": ("K5", fixed(), {"rmsprop": HOLDS, "adam": HOLDS}),
    "K5, better": ("K5", fixed(rmsprop=2.0, adam=2.0), {"rmsprop": FAILS, "adam": FAILS}),
    "as published, K6": ("K6", two(), {"flipping": HOLDS, "constant": HOLDS, "rmsprop": HOLDS}),
    "K6, the other way": (
        "K6", two((0.2, 0.1), (0.4, 0.01)), {"flipping": FAILS, "constant": FAILS, "rmsprop": FAILS},
    ),
    "as published, K10": ("K10", geoff(), {"U": HOLDS, "W": HOLDS}),
    "K10, features move": ("K10", geoff(U=(100.0, 150.0), W=(50.0, 100.0)), {"U": FAILS, "W": FAILS}),
    "as published, K11": ("K11", geoff(), {"difference": HOLDS}),
    "K11, higher": ("K11", geoff(first=(41.0, 38.0)), {"difference": FAILS}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_part_is_judged_by_its_numbers(case):
    name, figures, expected = CASES[case]
    roles = claims._roles(CLAIMS[name], figures)
    values = STATISTICS[name](roles)
    # The seeds hardly differ, and so the interval is about the value.
    verdicts = {part: CLAIMS[name].parts[part].verdict(*3 * (value,)) for part, value in values.items()}
    assert verdicts == expected


def test_numbers_by_hand():
    assert STATISTICS["K3"](claims._roles(CLAIMS["K3"], tuned()))["orders"] == pytest.approx(4)
    found = STATISTICS["K10"](claims._roles(CLAIMS["K10"], geoff()))
    assert (found["U"], found["W"]) == (pytest.approx(11 / 170), pytest.approx(2))
    assert STATISTICS["K6"](claims._roles(CLAIMS["K6"], two()))["rmsprop"] == pytest.approx(26 / 18)
    assert STATISTICS["K4"](claims._roles(CLAIMS["K4"], tuned()))["autostep"] == pytest.approx(1, abs=0.01)
    assert STATISTICS["K11"](claims._roles(CLAIMS["K11"], geoff()))["difference"] == pytest.approx(-2, abs=0.01)


def test_the_whole_table_has_what_was_published():
    chosen = criteria.Criteria(
        criteria.read(ROOT / "config" / "claims.yaml").least, tuple(CLAIMS[name] for name in ("K2", "K11"))
    )
    table = claims.judge(chosen, second() | geoff())
    assert set(table["verdict"]) == {REPRODUCED.word}
    assert table.set_index("part")["published"]["relevant"] == "0.13 ± 0.015"


@pytest.mark.parametrize(
    "low, high, verdict",
    [(0.1, 0.16, HOLDS), (0.05, 0.12, INCONCLUSIVE), (0.05, 0.2, INCONCLUSIVE), (0.17, 0.2, FAILS)],
)
def test_a_range_holds_where_the_whole_interval_lies_in_it(low, high, verdict):
    part = CLAIMS["K2"].parts["relevant"]
    assert part.verdict((low + high) / 2, low, high) == verdict and part.wanted == "0.1 to 0.16"
