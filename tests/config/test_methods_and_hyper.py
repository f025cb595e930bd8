"""Methods in a config: what a domain runs, and the hyper-parameters that a config may set."""

import dataclasses

import pytest
from configs import VALID

from metatrace.config import loading
from metatrace.errors import UserError
from metatrace.methods import METHODS, Hyperparameter

PLAIN, GAME = VALID["figures"]["figure_2"], VALID["figures"]["figure_8"]
TAU, KAPPA = Hyperparameter("tau", "1000", "a time constant"), Hyperparameter("kappa", "2^1", "a bound")


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    """A method on mountain car alone, with two hyper-parameters and no μ; and another with one of them and μ."""
    base = METHODS["sid"]
    for token, hyper, has_mu in (("calm", (TAU, KAPPA), False), ("calmer", (TAU,), True)):
        entry = dataclasses.replace(base, token=token, domains=("mountain_car",), hyper=hyper, has_mu=has_mu)
        monkeypatch.setitem(METHODS, token, entry)


def config(**changes):
    entry = {key: value for key, value in {**PLAIN, "reference": None, **changes}.items() if value is not None}
    return {"scale": "x", "figures": {"one": entry}}


def refusal(asked):
    with pytest.raises(UserError) as raised:
        loading.check(asked, "c.yaml")
    return str(raised.value)


def test_a_method_that_the_domain_does_not_run_is_refused_with_those_that_it_runs():
    line = refusal({"scale": "x", "figures": {"one": {**GAME, "method": ["none", "calmer"]}}})
    assert line.startswith("c.yaml: figures.one.method: seaquest does not run calmer; it must be one of none, scalar, ")
    assert "calm" not in line.partition("one of")[2]


def test_a_method_without_a_meta_step_size_has_no_mu():
    asked = loading.check(config(method="calm", mu=None), "c.yaml")
    assert asked.figures["one"].mus == ("0",)
    assert refusal(config(method="calm")).endswith("figures.one.mu: method calm has no meta-step-size; leave mu out")


def test_a_hyper_parameter_makes_a_variant_and_the_rest_has_its_default():
    asked = loading.check(config(method="calm", mu=None, hyper={"tau": "500"}), "c.yaml")
    figure = asked.figures["one"]
    assert (figure.variant, figure.hyper) == ("tau~500", {"tau": "500"})
    assert asked.hyper_of("mountain_car", "calm", "tau~500") == {"tau": "500", "kappa": "2^1"}
    assert asked.hyper_of("mountain_car", "calmer") == {"tau": "1000"}
    assert asked.hyper_of("mountain_car", "none", "tau~500") == {}


def test_a_hyper_parameter_of_another_domain_is_none_of_the_method_there(monkeypatch):
    warm = Hyperparameter("warmth", "2^-1", "a temperature", domains=("minatar",))
    everywhere = ("mountain_car", "minatar")
    monkeypatch.setitem(METHODS, "calm", dataclasses.replace(METHODS["calm"], domains=everywhere, hyper=(TAU, warm)))
    refused = refusal(config(method="calm", mu=None, hyper={"warmth": "2^2"}))
    assert "figures.one.hyper.warmth: no method of this figure has it; it must be one of tau" in refused
    game = {**GAME, "environment": "minatar_breakout", "method": ["none", "calm"], "hyper": {"warmth": "2^2"}}
    del game["mu"]
    asked = loading.check({"scale": "x", "figures": {"one": game}}, "c.yaml")
    assert asked.hyper_of("minatar_breakout", "calm", "warmth~2^2") == {"tau": "1000", "warmth": "2^2"}
    assert asked.hyper_of("mountain_car", "calm", "warmth~2^2") == {"tau": "1000"}
    assert asked.hyper_of("minatar_breakout", "none", "warmth~2^2") == {}


def test_the_default_makes_no_variant():
    assert loading.check(config(method="calm", mu=None, hyper={"tau": "1000"}), "c").figures["one"].variant == ""


def test_readings_and_hyper_parameters_stand_in_one_variant_in_order():
    hyper = {"tau": "500", "kappa": "2^2"}
    asked = loading.check(config(method="calm", mu=None, hyper=hyper, readings={"time_limit": "bootstrap"}), "c.yaml")
    assert asked.variants() == ["", "kappa~2^2+tau~500+time_limit~bootstrap"]


@pytest.mark.parametrize(
    ("hyper", "complaint"),
    [
        ({"rho": "1"}, "figures.one.hyper.rho: no method of this figure has it; it must be one of tau"),
        ({"kappa": "1"}, "figures.one.hyper.kappa: no method of this figure has it; it must be one of tau"),
        ({"tau": "0.25"}, "figures.one.hyper.tau: '0.25' is spelled '2^-2' here"),
        ({"tau": "many"}, "figures.one.hyper.tau: 'many' is not a number"),
        ({"tau": 3.5}, "figures.one.hyper.tau: is 3.5; it must be a number token in quotes"),
        ([], "figures.one.hyper: is []; it must be a table of hyper-parameter and number token"),
    ],
)
def test_a_wrong_hyper_parameter_is_refused(hyper, complaint):
    assert complaint in refusal(config(method="calmer", hyper=hyper))
