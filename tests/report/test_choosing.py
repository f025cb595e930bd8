"""The tables of the page that says which method to take, from made-up scores."""

from pathlib import Path

import pandas as pd

from metatrace.report import choosing

ROOT = Path(__file__).parents[2]
PAGE = ROOT / choosing.PAGE


def run(environment, method, alpha, mu, drift, seed, score, frames=None):
    return {
        "environment": environment, "method": method, "alpha": alpha, "mu": mu, "drift": drift, "seed": seed,
        "auc": score, "final": score, "frames": frames,
    }  # fmt: skip


def car(method, alpha, mu, score):
    return [run("mountain_car", method, alpha, mu, "0", seed, score + seed) for seed in (0, 1)]


def drifting(method, alpha, mu, choosing, judged):
    seeds = {0: choosing, 1: choosing, 100: judged, 101: judged}
    return [run("drifting_mountain_car", method, alpha, mu, "1e-5", seed, score) for seed, score in seeds.items()]


def rmsprop_on_minatar(alpha, scores, frames=500_000, game="minatar_breakout"):
    return [run(game, "rmsprop", alpha, "0", "0", seed, score, frames) for seed, score in scores.items()]


SCORES = pd.DataFrame(
    [
        *(row for alpha, score in (("2^-3", -200), ("2^-5", -120)) for row in car("none", alpha, "0", score)),
        *(row for alpha in ("2^-3", "2^-5") for row in car("scalar", alpha, "2^-8", -130)),
        *(row for alpha in ("2^-3", "2^-5") for row in car("scalar", alpha, "2^-6", -180)),
        *car("scalar", "2^-5", "2^-4", -100),  # at one α alone
        *drifting("adam", "2^-5", "0", -110, -190),
        *drifting("adam", "2^-6", "0", -150, -100),
        *drifting("mixed", "2^-10", "2^-8", -110, -115),
        *rmsprop_on_minatar("2^-8", {0: 4, 1: 6}),
        *rmsprop_on_minatar("2^-9", {0: 8, 1: 10, 2: 90}),  # a seed that the other α does not have
        *rmsprop_on_minatar("2^-8", {100: 70}),
        *rmsprop_on_minatar("2^-8", {0: 50, 1: 50}, frames=1_000_000),
        *rmsprop_on_minatar("2^-8", {0: 1, 1: 3}, game="minatar_asterix"),
    ]
)


def test_mountain_car_has_each_method_at_the_mu_that_is_best_over_all_step_sizes():
    _, none, scalar = choosing.mountain_car(SCORES)
    assert none[:3] == ("no tuning", "2^-3 … 2^-5", "–") and none[4].startswith("40.0 ")
    assert none[5:] == ("2^-5", "-119.5 [-120.0, -119.0]")
    assert scalar[2] == "2^-8" and scalar[3].startswith("-129.5 ") and scalar[4].startswith("0.0 ")


def test_drifting_is_judged_on_seeds_that_did_not_choose():
    _, mixed, adam = choosing.drifting(SCORES)
    assert mixed == ("1e-5", "normalized mixed Metatrace", "2^-10", "2^-8", "-115.0 [-115.0, -115.0]")
    assert adam[2:] == ("2^-5", "–", "-190.0 [-190.0, -190.0]")


def test_breakout_is_that_of_as_many_frames_and_of_the_seeds_that_every_step_size_has():
    _, rmsprop = choosing.breakout(SCORES)
    assert rmsprop[:4] == ("RMSProp", "2^-8 … 2^-9", "–", "7.0 [6.0, 8.0]")
    assert rmsprop[5:] == ("2^-9", "9.0 [8.0, 10.0]")


def test_the_games_have_the_step_sizes_that_ran_on_all_of_them():
    head, rmsprop = choosing.minatar(SCORES)
    assert head == ("method", "α", "asterix", "breakout")
    assert rmsprop == ("RMSProp", "2^-8", "2.00 [1.00, 3.00]", "5.00 [4.00, 6.00]")


def test_the_page_has_a_place_for_its_tables_and_names_their_source():
    text = PAGE.read_text(encoding="utf-8")
    made = choosing.page(text, SCORES, "somewhere.parquet")
    assert made.count("From `somewhere.parquet`") == 4 and "| 1e-5 | Adam | 2^-5 | – |" in made
    assert choosing.page(made, SCORES, "somewhere.parquet") == made


def test_the_page_shows_the_published_scores():
    text = PAGE.read_text(encoding="utf-8")
    assert choosing.page(text, choosing.own_scores(ROOT / choosing.PUBLISHED), str(choosing.PUBLISHED)) == text
