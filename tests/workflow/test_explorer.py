"""The explorer in a real browser, without a network: made-up runs of every sort, thinned and shown."""

import csv
import io
import json
import re
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browser import MARKS, both_schemes, findings, opened
from made_up import judge, make_all_tables, plan_of, write_runs
from project import ROOT

from metatrace.analysis.smoothing import trailing_mean
from metatrace.pipeline import making
from metatrace.pipeline.plan import code_of
from metatrace.report import claims_json
from metatrace.report.verdicts import VERDICTS
from metatrace.runs import results

pytestmark = MARKS

CONFIG = """\
scale: made_up
figures:
  figure_1:
    section: mountain_car
    title: "Figure 1: untuned"
    environment: mountain_car
    method: none
    alpha: &alpha [2^-5, 2^-9, 2^-13]
    seeds: &seeds 3
    episodes: &episodes 300
    smoothing: 20
  figure_3:
    section: mountain_car
    title: "Figure 3: unnormalized"
    environment: mountain_car
    method: scalar-unnormalized
    alpha: *alpha
    mu: [2^2, 2^-14]
    seeds: 10
    episodes: *episodes
    smoothing: 20
  figure_8:
    section: atari
    title: "Figure 8: a game"
    kind: games
    environment: [catch, freeway]
    method: [none, mixed]
    alpha: [2^-6, 2^-7]
    mu: ["0.001"]
    seeds: 2
    frames: 1000
    smoothing: 4
  figure_s4:
    section: comparisons
    title: "Figure S4: another NOSID"
    environment: mountain_car
    method: nosid
    alpha: [2^-5]
    mu: [2^-8]
    seeds: *seeds
    episodes: *episodes
    smoothing: 20
    readings: { nosid_normaliser: trace_product }
  figure_7:
    section: drifting_mountain_car
    title: "Figure 7: drifting"
    kind: mu_and_beta
    environment: drifting_mountain_car
    method: [scalar, mixed]
    alpha: [2^-10]
    mu: [2^-6, 2^-8]
    beta_mu: 2^-8
    drift: ["6e-6"]
    seeds: *seeds
    episodes: *episodes
    smoothing: 20
  figure_s7:
    section: comparisons
    title: "Figure S7: all methods"
    kind: compared
    members: [figure_3]
  figure_p1:
    section: related
    title: "Figure P1: errors"
    kind: errors
    environment: tracking
    method: [none, idbd]
    alpha: ["0.05"]
    mu: ["0.001", "0.01"]
    seeds: *seeds
    examples: 2000
    smoothing: 200
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a scale with its explorer."""
    folder, plan = tmp_path_factory.mktemp("explorer"), plan_of(CONFIG)
    write_runs(plan, folder)
    make_all_tables(plan, folder)
    judge(plan, folder)
    with chdir(folder):
        making.write_explorer(plan.explorer_job(), f"{plan.results}/explorer.html")
    return folder / plan.results


@pytest.fixture(scope="module")
def opened_page(made):
    with opened(made / "explorer.html") as page:
        page.locator("#chart svg").wait_for()
        yield page


@pytest.fixture
def page(opened_page, made):
    """The page as it is when it is opened, in light colours."""
    opened_page.emulate_media(color_scheme="light", media="screen")
    opened_page.goto("about:blank")
    opened_page.goto((made / "explorer.html").as_uri())
    opened_page.locator("#chart svg").wait_for()
    return opened_page


def act(page, action):
    """Does something that draws the chart anew, and waits until it is drawn."""
    turn = page.locator("#chart").get_attribute("data-turn")
    action()
    page.wait_for_function(f"document.getElementById('chart').dataset.turn !== {turn!r}")


def pick(page, label, value):
    act(page, lambda: page.get_by_label(label, exact=True).select_option(value))


def tick(page, field, value):
    act(page, lambda: page.locator(f"fieldset[data-field={field}] input[value='{value}']").click())


def drawn(page):
    """The rows that Vega draws, as it holds them."""
    return pd.DataFrame(page.evaluate("explorer.view.data('rows').map((row) => ({...row}))"))


def n_lines(page):
    """How many lines of curves there are to see."""
    return page.locator("#chart svg path[stroke-width='1.7']").count()


def chosen(page, field):
    return {curve[field] for curve in page.evaluate("explorer.curves")}


def test_the_page_says_scale_runs_and_code_on_top(page):
    text = page.inner_text("header")
    assert "Scale: made_up" in text
    assert "109 runs" in text
    assert re.search(r"code [0-9a-f]{16}", text)
    page.get_by_text("Fingerprints of the code").click()
    assert code_of("run_atari_none") in page.inner_text("#code")


def test_the_first_figure_with_tuning_is_drawn_as_the_paper_has_it(page):
    assert page.get_by_role("heading", name="Figure 3: unnormalized").is_visible()
    assert n_lines(page) == 6
    rows = drawn(page)
    assert set(rows["panel"]) == {"μ = 2²", "μ = 2⁻¹⁴"}
    assert set(rows["colour"]) == {"2⁻⁵", "2⁻⁹", "2⁻¹³"}


def test_what_is_drawn_are_the_values_of_the_tables(page, made):
    rows = drawn(page)
    curves = pd.read_parquet(made / "tables/figure_3/curves.parquet")
    one = curves[(curves["alpha"] == "2^-9") & (curves["mu"] == "2^-14")].set_index("episode")
    shown = rows[(rows["colour"] == "2⁻⁹") & (rows["panel"] == "μ = 2⁻¹⁴")].set_index("x")
    assert len(shown) == 120
    assert {1, 300} <= set(shown.index)
    for column, name in (("y", "mean"), ("low", "low"), ("high", "high")):
        np.testing.assert_allclose(shown[column], one.loc[shown.index, name], rtol=0, atol=0.0051)


def test_another_step_size_changes_what_is_drawn(page):
    tick(page, "alpha", "2^-13")
    assert n_lines(page) == 4
    assert set(drawn(page)["colour"]) == {"2⁻⁵", "2⁻⁹"}
    tick(page, "mu", "2^2")
    assert n_lines(page) == 2
    assert chosen(page, "mu") == {"2^-14"}
    tick(page, "alpha", "2^-13")
    assert n_lines(page) == 3


def test_another_method_changes_what_is_drawn(page):
    pick(page, "Figure", "")
    assert chosen(page, "method") == {"none", "scalar-unnormalized", "nosid"}
    tick(page, "method", "scalar-unnormalized")
    assert chosen(page, "method") == {"none", "nosid"}
    assert n_lines(page) == 4
    tick(page, "method", "none")
    assert set(drawn(page)["name"].str.contains("no tuning")) == {False}


def test_runs_under_other_readings_are_told_apart(page):
    pick(page, "Figure", "")
    page.get_by_text("nosid_normaliser = trace_product").first.wait_for()
    tick(page, "variant", "")
    assert chosen(page, "variant") == {"nosid_normaliser~trace_product"}
    assert chosen(page, "method") == {"nosid"}


def test_untuned_runs_stay_whichever_meta_step_size_is_chosen(page):
    pick(page, "Figure", "")
    tick(page, "mu", "2^2")
    assert "none" in chosen(page, "method")
    assert "2^2" not in chosen(page, "mu")


def test_games_are_drawn_over_observed_frames(page):
    pick(page, "Figure", "figure_8")
    rows = drawn(page)
    assert set(rows["panel"]) == {"catch", "freeway"}
    assert rows["x"].max() == 1000
    assert page.locator("#chart svg").get_by_text("Observed frames").count() > 0
    pick(page, "Environment", "catch")
    assert chosen(page, "environment") == {"catch"}


def test_single_runs_can_be_shown_and_hidden(page, made):
    assert set(drawn(page)["kind"]) == {"curve"}
    act(page, lambda: page.get_by_label("single runs").check())
    rows = drawn(page)
    runs = rows[rows["kind"] == "run"]
    assert runs["line"].nunique() == 60
    assert page.locator("#chart svg path[stroke-width='0.8']").count() == 60
    line = runs[(runs["colour"] == "2⁻⁹") & (runs["panel"] == "μ = 2²") & runs["line"].str.endswith(" 4")]
    path = made / "runs/mountain_car/scalar-unnormalized/alpha~2^-9/mu~2^2/drift~0/seed~4.npz"
    expected = trailing_mean(results.load_run(path).returns, 20)
    assert len(line) == 60
    np.testing.assert_allclose(line["y"], expected[line["x"].to_numpy() - 1], rtol=0, atol=0.0051)
    act(page, lambda: page.get_by_label("single runs").uncheck())
    assert set(drawn(page)["kind"]) == {"curve"}


def test_bands_can_be_hidden(page):
    assert drawn(page)["low"].notna().all()
    act(page, lambda: page.get_by_label("95 % bootstrap intervals").uncheck())
    assert "low" not in drawn(page)


def test_the_best_meta_step_size_is_that_with_the_highest_final_return(page, made):
    act(page, lambda: page.get_by_label("only the best μ, by final return").check())
    settings = pd.read_parquet(made / "tables/figure_3/settings.parquet")
    best = settings.loc[settings.groupby("alpha")["final"].idxmax()]
    shown = {(curve["alpha"], curve["mu"]) for curve in page.evaluate("explorer.curves")}
    assert shown == set(zip(best["alpha"], best["mu"], strict=True))


def test_with_nothing_ticked_the_page_says_what_to_tick(page):
    page.get_by_role("button", name="Initial step-size α: none").click()
    page.get_by_text("Nothing is chosen: tick at least one α.").wait_for()
    assert page.locator("#chart svg").count() == 0
    act(page, lambda: page.get_by_role("button", name="Initial step-size α: all").click())
    assert n_lines(page) == 6


def test_the_keyboard_is_enough(page):
    page.locator("fieldset[data-field=alpha] label:not([hidden]) input").first.focus()
    act(page, lambda: page.keyboard.press("Space"))
    assert n_lines(page) == 4
    assert page.evaluate("document.activeElement.value") == "2^-5"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.value") == "2^-9"


def test_the_address_remembers_what_is_chosen(page):
    tick(page, "alpha", "2^-13")
    pick(page, "Colours by", "mu")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.locator("#chart svg").wait_for()
    assert chosen(page, "alpha") == {"2^-5", "2^-9"}
    assert page.get_by_label("Colours by").input_value() == "mu"


def back(page):
    act(page, page.go_back)


def test_back_returns_to_what_was_chosen_before(page):
    tick(page, "alpha", "2^-13")
    pick(page, "Figure", "figure_8")
    back(page)
    assert page.get_by_label("Figure", exact=True).input_value() == "figure_3"
    assert chosen(page, "alpha") == {"2^-5", "2^-9"}
    back(page)
    assert chosen(page, "alpha") == {"2^-5", "2^-9", "2^-13"}


def test_the_address_holds_the_table_too(page):
    page.get_by_label("Table", exact=True).select_option("scores")
    page.get_by_role("button", name="AUC", exact=True).click()
    page.get_by_role("button", name="AUC", exact=True).click()
    page.get_by_role("button", name="Show all 60 rows").click()
    rows, address = column(page, "AUC"), page.url
    page.goto("about:blank")
    page.goto(address)
    page.locator("#chart svg").wait_for()
    assert len(rows) == 60
    assert column(page, "AUC") == rows
    assert page.locator("#rows th[aria-sort=descending]").all_inner_texts() == ["AUC"]


def test_an_address_that_is_typed_is_followed(page):
    act(page, lambda: page.evaluate("location.hash = '#figure=figure_8&environment=catch&method=mixed'"))
    assert chosen(page, "environment") == {"catch"}
    assert chosen(page, "method") == {"mixed"}


def test_the_link_to_a_view_can_be_copied(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tick(page, "alpha", "2^-13")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_cell_of_the_heat_map_shows_its_curves(page):
    cells = page.locator(".map button")
    assert cells.count() == 6
    act(page, lambda: page.get_by_role("button", name=re.compile("α 2⁻⁹, μ 2²: ")).click())
    assert chosen(page, "alpha") == {"2^-9"}
    assert chosen(page, "mu") == {"2^2"}
    assert page.locator(".map [aria-pressed=true]").count() == 1
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    act(page, lambda: page.keyboard.press("Enter"))
    assert n_lines(page) == 6


def test_the_heat_map_has_the_scores_of_the_tables(page, made):
    page.get_by_label("Score").select_option("auc")
    settings = pd.read_parquet(made / "tables/figure_3/settings.parquet").set_index(["alpha", "mu"])["auc"]
    texts = page.locator(".map button").all_inner_texts()
    shown = sorted(float(text.replace("−", "-")) for text in texts)
    np.testing.assert_allclose(shown, sorted(settings), atol=0.051)


def test_step_sizes_are_drawn_next_to_returns_where_runs_keep_them(page, made):
    assert page.locator("#step-sizes").is_hidden()
    pick(page, "Figure", "figure_7")
    rows = pd.DataFrame(page.evaluate("explorer.betaView.data('rows').map((row) => ({...row}))"))
    assert set(rows["dash"]) == {"value/informative", "value/noisy", "policy/informative", "policy/noisy"}
    assert rows["line"].nunique() == 4 * 4
    files = (made / "runs/drifting_mountain_car/mixed/alpha~2^-10/mu~2^-8/drift~6e-6").glob("*.npz")
    ends = [results.load_run(path).beta[-1, 1] for path in files]
    chosen_rows = rows[(rows["panel"] == "mixed") & (rows["colour"] == "2⁻⁸") & (rows["dash"] == "value/noisy")]
    assert chosen_rows.loc[chosen_rows["x"] == 300, "y"].item() == pytest.approx(np.mean(ends) / np.log(2), abs=0.01)
    act(page, lambda: page.get_by_label("step-sizes, where runs keep them").uncheck())
    assert page.locator("#step-sizes").is_hidden()


def test_it_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 800})
    pick(page, "Figure", "figure_7")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    chart, place = widest(page)
    assert chart <= place
    page.set_viewport_size({"width": 1400, "height": 1000})


def test_a_figure_that_compares_others_shows_their_curves(page):
    pick(page, "Figure", "figure_s7")
    assert n_lines(page) == 3  # of each α that at its best μ
    assert chosen(page, "method") == {"scalar-unnormalized"}
    page.get_by_label("Table", exact=True).select_option("best_over_alpha")
    assert set(column(page, "figure")) == {"Figure S7"}


def test_losses_are_drawn_as_losses(page, made):
    pick(page, "Figure", "figure_p1")
    curves = pd.read_parquet(made / "tables/figure_p1/curves.parquet")
    rows = drawn(page)
    assert rows["x"].max() == 2000
    assert page.locator("#chart svg").get_by_text("Loss (the last 200 examples)").count() > 0
    np.testing.assert_allclose(sorted(rows["y"]), sorted(curves["mean"]), rtol=0.002)


def test_step_sizes_of_a_run_that_diverged_end_where_it_did(page):
    pick(page, "Figure", "figure_p1")
    rows = pd.DataFrame(page.evaluate("explorer.betaView.data('rows').map((row) => ({...row}))"))
    ends = {last == "not finite: a run diverged": x.max() for last, x in rows.groupby("last")["x"]}
    assert ends[False] == 2000
    assert ends[True] < 1100


def test_a_figure_without_the_table_that_is_shown_shows_one_of_its_own(page):
    assert page.get_by_label("Table", exact=True).input_value() == "settings"
    pick(page, "Figure", "figure_p1")
    assert page.get_by_label("Table", exact=True).input_value() == "errors"
    assert set(column(page, "figure")) == {"Figure P1"}
    page.get_by_label("Table", exact=True).select_option("verdicts")
    pick(page, "Figure", "figure_3")
    assert page.get_by_label("Table", exact=True).input_value() == "verdicts"


def widest(page):
    """The width of the widest chart, and that of the place that it has."""
    charts = page.locator("#chart svg, #beta-chart svg").evaluate_all("all => all.map((one) => one.clientWidth)")
    return max(charts), page.locator("#chart").evaluate("part => part.clientWidth")


@pytest.mark.slow
def test_every_published_figure_is_drawn_within_its_place_and_has_a_table():
    with opened(ROOT / "docs/explorer.html") as page:
        page.locator("#chart svg").wait_for()
        figures = page.locator("#figure option").evaluate_all("all => all.map((one) => one.value)")
        for figure in figures[1:]:
            pick(page, "Figure", figure)
            assert n_lines(page) > 0, figure
            assert page.locator("#rows tbody tr").count() > 0, figure
            chart, place = widest(page)
            assert chart <= place, figure
        assert page.wrong == []
        assert len(figures) > 60


def test_it_leads_to_the_other_pages(page):
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    assert [link.get_attribute("href") for link in links.all()] == [
        f"{name}.html" for name in ("index", "claims", "explorer", "try")
    ]


def test_colours_go_the_same_way_on_light_and_dark_pages(page):
    def brightness():
        strokes = page.evaluate("explorer.palette('alpha', ['2^-5', '2^-9', '2^-13'])")
        return [luminance(stroke) for stroke in strokes]

    assert brightness() == sorted(brightness())
    act(page, lambda: page.emulate_media(color_scheme="dark"))
    assert brightness() == sorted(brightness())


def column(page, head):
    """The entries of a column of the table, as they are shown."""
    heads = page.locator("#rows th button").all_inner_texts()
    return page.locator(f"#rows tbody td:nth-child({heads.index(head) + 1})").all_inner_texts()


def test_a_table_is_sorted_by_the_column_that_is_clicked(page):
    page.get_by_role("button", name="α", exact=True).click()
    assert column(page, "α") == ["2^-13", "2^-13", "2^-9", "2^-9", "2^-5", "2^-5"]  # by value, not as text
    page.get_by_role("button", name="α", exact=True).click()
    assert column(page, "α") == ["2^-5", "2^-5", "2^-9", "2^-9", "2^-13", "2^-13"]
    assert page.locator("#rows th[aria-sort=descending]").all_inner_texts() == ["α"]
    page.get_by_role("button", name="final", exact=True).click()
    finals = [float(text.replace("−", "-")) for text in column(page, "final")]
    assert finals == sorted(finals)


def test_a_table_lists_what_is_chosen_or_everything(page):
    tick(page, "alpha", "2^-13")
    assert set(column(page, "α")) == {"2^-5", "2^-9"}
    page.get_by_label("only the choice above").uncheck()
    assert set(column(page, "figure")) == {f"Figure {name}" for name in ("1", "3", "7", "8", "S4", "S7")}


def test_the_download_is_the_table_as_it_is_sorted(page, made):
    page.get_by_label("Table", exact=True).select_option("scores")
    page.get_by_role("button", name="AUC", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download as CSV").click()
    text = Path(waiting.value.path()).read_text()
    assert waiting.value.suggested_filename == "metatrace_made_up_figure_3_scores.csv"
    rows = list(csv.DictReader(io.StringIO(text)))
    whole = pd.read_parquet(made / "tables/figure_3/scores.parquet").sort_values("auc", kind="stable")
    assert len(rows) == len(whole) == 60
    assert [row["alpha"] for row in rows] == whole["alpha"].tolist()
    assert [row["seed"] for row in rows] == whole["seed"].astype(str).tolist()
    np.testing.assert_allclose([float(row["auc"]) for row in rows], whole["auc"], rtol=1e-6)
    # Of sixty rows the page shows fifty until it is asked for all.
    assert len(column(page, "α")) == 50
    page.get_by_role("button", name="Show all 60 rows").click()
    assert column(page, "α") == [row["alpha"] for row in rows]
    assert column(page, "AUC") == [row["auc"].replace("-", "−") for row in rows]


def test_the_verdicts_are_a_table_whatever_is_chosen(page, made):
    page.get_by_label("Table", exact=True).select_option("verdicts")
    judged = json.loads((made / "tables/claims.json").read_text())["claims"]
    page.get_by_role("button", name=f"Show all {sum(len(claim['parts']) for claim in judged)} rows").click()
    assert set(column(page, "claim")) == {claims_json.name_of(claim) for claim in judged}
    assert set(column(page, "verdict")) <= VERDICTS.keys()


def test_the_drawn_values_can_be_downloaded(page):
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Drawn values as CSV").click()
    table = pd.read_csv(waiting.value.path(), dtype={"alpha": str, "mu": str})
    rows = drawn(page)
    assert len(table) == len(rows)
    assert sorted(table["mean"]) == sorted(rows["y"])


def test_the_picture_can_be_downloaded(page):
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as SVG").click()
    assert Path(waiting.value.path()).read_text().startswith("<svg")


@both_schemes
def test_axe_finds_nothing_grave(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.wait_for_timeout(1000)
    page.get_by_text("Fingerprints of the code").click()
    assert findings(page) == []


def test_a_dark_page_has_light_text_and_its_lines_stand_out(page):
    act(page, lambda: page.emulate_media(color_scheme="dark"))
    ground = page.locator("#drawing").evaluate("part => getComputedStyle(part).backgroundColor")
    texts = page.locator("#chart svg text").evaluate_all("all => all.map(one => one.getAttribute('fill'))")
    lines = page.locator("#chart svg path[stroke-width='1.7']").evaluate_all(
        "all => all.map(one => one.getAttribute('stroke'))"
    )
    assert len(lines) == 6
    assert min(contrast(ground, text) for text in texts) >= 4.5
    assert min(contrast(ground, line) for line in lines) >= 3


def contrast(one, other):
    """The contrast of two colours, as WCAG 2 defines it."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    if colour.startswith("#"):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    else:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_nothing_went_wrong_and_nothing_was_fetched(opened_page):
    assert opened_page.wrong == []


def test_the_same_results_and_words_give_the_same_bytes(made, tmp_path):
    again = tmp_path / "explorer.html"
    with chdir(made.parents[1]):
        making.write_explorer(plan_of(CONFIG).explorer_job(), str(again))
    assert again.read_bytes() == (made / "explorer.html").read_bytes()
