"""The page to play with, in a real browser: its agents are the plain agent, and readers can reach all of it."""

from contextlib import chdir

import numpy as np
import pytest
from browser import MARKS, both_schemes, findings, opened
from marks import slow
from project import PAPER, ROOT

from metatrace.domains.mountain_car import plain
from metatrace.domains.mountain_car.settings import BETA_GROUPS, Settings
from metatrace.methods import METHODS
from metatrace.numbers import parse
from metatrace.pipeline import making
from metatrace.pipeline.plan import Plan
from metatrace.report import explorer

pytestmark = MARKS
EPISODES = 50
OFFERED = ("none", "scalar", "vector", "mixed", "scalar-unnormalized", "sid", "nosid")
MU = {"scalar-unnormalized": "2^-16", "sid": "2^-16", "nosid": "2^-12"}
# The groups of β that the page shows: of tiles only those that the agent has acted in.
GROUPS = {
    "value/informative": "value/informative/visited",
    "policy/informative": "policy/informative/visited",
    "value/noisy": "value/noisy",
    "policy/noisy": "policy/noisy",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The page, made as the workflow makes it."""
    made = tmp_path_factory.mktemp("try") / "try.html"
    with chdir(ROOT):
        making.write_try_page(Plan(PAPER, PAPER).try_page_job(), str(made))
    return made


@pytest.fixture(scope="module")
def opened_page(file):
    with opened(file) as page:
        yield page


@pytest.fixture
def still(opened_page):
    """The page, paused: only the test learns in it."""
    if opened_page.locator("#pause").inner_text() == "Pause":
        opened_page.get_by_role("button", name="Pause").click()
    return opened_page


@pytest.fixture
def page(opened_page, file):
    """The page as it is when it is opened, in light colours."""
    opened_page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    opened_page.set_viewport_size({"width": 1400, "height": 1000})
    opened_page.goto("about:blank")
    opened_page.goto(file.as_uri())
    return opened_page


def agree(page, method, *, alpha="2^-5", mu=None, drift="0", seed=1, episodes=EPISODES):
    """Holds what the page's agent learns to what the plain agent learns."""
    mu = mu or MU.get(method, "2^-8")
    chosen = {"alpha": alpha, "mu": mu, "drift": drift, "seed": str(seed)}
    learnt = page.evaluate("([...told]) => tryIt.learn(...told)", [method, chosen, episodes])
    expected = plain.train(
        Settings(
            method,
            parse(alpha, "alpha"),
            parse(mu, "mu") if METHODS[method].has_mu else 0.0,
            seed,
            episodes,
            drifting=drift != "0",
            drift=parse(drift, "drift", zero=True),
        )
    )
    assert learnt["returns"] == expected.returns.tolist()
    if expected.beta is not None and expected.diverged_episode is None:
        for shown, group in GROUPS.items():
            values = [sizes[shown] for sizes in learnt["logStepSizes"]]
            np.testing.assert_allclose(values, expected.beta[:, BETA_GROUPS.index(group)], rtol=0, atol=1e-9)
    return expected


def test_it_offers_the_methods_of_the_paper(page):
    assert page.evaluate("tryIt.offered") == list(OFFERED)
    assert page.locator("#method option").all_inner_texts() == [METHODS[method].label for method in OFFERED]


@pytest.mark.parametrize("method", [name if name == "mixed" else slow(name) for name in OFFERED])
def test_a_seed_gives_the_returns_of_the_plain_agent(still, method):
    learnt = agree(still, method)
    assert learnt.returns.max() > -200


def test_a_seed_gives_the_same_drift_and_noise(still):
    agree(still, "mixed", alpha="2^-8", drift="1e-5", episodes=10)


@pytest.mark.slow
@pytest.mark.parametrize("method", OFFERED)
@pytest.mark.parametrize("seed", [0, 4294967295])
def test_methods_also_agree_on_drifting_mountain_car(still, method, seed):
    agree(still, method, alpha="2^-8", drift="1e-5", seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["scalar-unnormalized", "sid", "nosid", "mixed"])
def test_methods_also_agree_where_learning_goes_wrong(still, method):
    agree(still, method, alpha="2^-3", mu="2^-4", episodes=20)


def test_two_agents_learn_in_the_page(page):
    page.get_by_label("Episodes").select_option("100")
    page.get_by_text("After 100 episodes, mean return of the last 20: no tuning").wait_for()
    assert page.locator(".agent h2").all_inner_texts() == ["No tuning", "Scalar"]
    assert page.locator("#returns .line").count() == 2
    assert page.locator("#sizes .line").count() == 2
    assert all("Episode" in text for text in page.locator(".agent p").all_inner_texts())


def test_the_legend_has_a_line_for_each_group_of_weights(page, file):
    page.goto(f"{file.as_uri()}#method=mixed&drift=6e-6&episodes=100")
    page.get_by_text("After 100 episodes").wait_for()
    names = ["no tuning", *(f"mixed: {group}" for group in ("value", "policy", "value, noise", "policy, noise"))]
    assert page.locator("#legend li").all_inner_texts() == names


@both_schemes
def test_colours_are_those_of_the_registry(page, scheme):
    page.get_by_role("button", name="Pause").click()
    page.emulate_media(color_scheme=scheme)
    colour = METHODS["scalar"].colour
    wanted = explorer.lighter(colour) if scheme == "dark" else colour
    painted = f"document.querySelectorAll('.agent')[1].style.getPropertyValue('--colour') === '{wanted}'"
    page.wait_for_function(painted, polling=100)  # milliseconds: where the machine is busy, a page seldom draws
    page.locator(f"#returns .line[stroke='{wanted}']").wait_for(state="attached")


def test_the_keyboard_is_enough_and_the_address_follows(page, file):
    page.get_by_label("Initial step-size α").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#alpha-shown").inner_text() == "2⁻⁹"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#mu-shown").inner_text() == "2⁻⁹"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.locator("#drift-shown").inner_text() == "4e-6"
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("#alpha-shown").inner_text() == page.locator("#mu-shown").inner_text() == "2⁻⁹"


def test_an_example_is_followed_and_back_returns(page):
    page.get_by_role("link", name="A step-size that is too small").click()
    page.locator("#alpha-shown").get_by_text("2⁻¹²").wait_for()
    page.go_back()
    page.locator("#alpha-shown").get_by_text("2⁻¹⁰").wait_for()


def test_an_address_that_makes_no_sense_is_passed_over(page, file):
    page.goto(f"{file.as_uri()}#method=magic&alpha=2^99&seed=-1&colour=red")
    assert page.get_by_label("Method").input_value() == "scalar"
    assert page.locator("#alpha-shown").inner_text() == "2⁻¹⁰"


def test_a_method_without_meta_step_size_has_none_to_choose(page):
    page.get_by_label("Method").select_option("none")
    assert page.get_by_label("Meta-step-size μ").is_disabled()
    page.get_by_label("Method").select_option("sid")
    assert page.locator("#mu-shown").inner_text() == "2⁻¹⁶"


def test_learning_can_be_paused(page):
    page.get_by_role("button", name="Pause").click()
    before = page.locator(".agent p").first.inner_text()
    page.wait_for_timeout(500)
    assert page.locator(".agent p").first.inner_text() == before
    page.get_by_role("button", name="Go on").click()


@both_schemes
def test_axe_finds_nothing_grave(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.locator("#legend li").nth(1).wait_for()
    assert findings(page) == []


def test_it_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator("#legend li").nth(1).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_nothing_went_wrong_and_nothing_was_fetched(opened_page):
    assert opened_page.wrong == []
