"""The registry of methods: what every entry promises to figures, configs and agents."""

import pkgutil
from importlib import import_module

import pytest

from metatrace import domains, methods, tuning
from metatrace.errors import UserError
from metatrace.methods import ACTOR_CRITIC, METHODS, SARSA, Hyperparameter, complete_hyper, method_of

ENTRIES = list(METHODS.values())
DOMAINS = {module.name for module in pkgutil.iter_modules(domains.__path__) if module.ispkg}


@pytest.mark.parametrize("what", ["token", "label", "short", "colour"])
def test_no_two_methods_share_a_name_or_a_colour(what):
    values = [getattr(entry, what) for entry in ENTRIES]
    assert len(set(values)) == len(values)


@pytest.mark.parametrize("agent", [ACTOR_CRITIC, SARSA])
@pytest.mark.parametrize("domain", sorted({domain for entry in ENTRIES for domain in entry.domains}))
def test_no_two_methods_that_meet_in_a_figure_share_a_marker(domain, agent):
    markers = [entry.marker for entry in ENTRIES if entry.agent == agent and domain in entry.domains]
    assert len(set(markers)) == len(markers)


def test_methods_are_told_apart_in_grey():
    looks = [(entry.dashes, entry.marker) for entry in ENTRIES]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.token)
def test_a_tuner_is_named_that_can_be_made(entry):
    module, _, name = entry.tuner.partition(":")
    assert issubclass(getattr(import_module(module), name), tuning.Tuner)
    made = tuning.make_tuner(entry.token, 3, alpha=0.1, mu=0.01)
    assert type(made).__name__ == name


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.token)
def test_a_method_runs_on_domains_that_there_are(entry):
    assert entry.domains
    assert set(entry.domains) <= DOMAINS
    assert set(entry.kernels) <= set(entry.domains)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.token)
def test_defaults_of_hyper_parameters_are_number_tokens(entry):
    for domain in entry.domains:
        defaults = {name: parameter.default for name, parameter in entry.hyper_on(domain).items()}
        assert complete_hyper(entry.token, defaults, "default", domain) == defaults


def test_an_unknown_method_is_refused_with_the_list():
    with pytest.raises(UserError, match=r"--method: there is no 'adamant'; it must be one of none, scalar"):
        method_of("adamant", "--method")


@pytest.fixture
def with_tau(monkeypatch):
    """Scalar with hyper-parameters."""
    hyper = (
        Hyperparameter("tau", "1000", "how long"),
        Hyperparameter("kappa", "2^-4", "how much", zero=True, below=1),
    )
    entry = methods.Method(**{**vars(METHODS["scalar"]), "hyper": hyper})
    monkeypatch.setitem(METHODS, "scalar", entry)


@pytest.mark.usefixtures("with_tau")
def test_hyper_parameters_have_their_defaults_unless_chosen():
    assert complete_hyper("scalar", {}, "hyper") == {"tau": "1000", "kappa": "2^-4"}
    assert complete_hyper("scalar", {"kappa": "0"}, "hyper") == {"tau": "1000", "kappa": "0"}
    assert complete_hyper("none", {}, "hyper") == {}


def test_a_hyper_parameter_of_some_domains_is_the_agents_there_and_not_the_tuners(monkeypatch):
    hyper = (Hyperparameter("tau", "1000", "how long"), Hyperparameter("eta", "0.1", "how hot", domains=("minatar",)))
    monkeypatch.setitem(METHODS, "scalar", methods.Method(**{**vars(METHODS["scalar"]), "hyper": hyper}))
    assert complete_hyper("scalar", {}, "hyper") == {"tau": "1000"}
    assert complete_hyper("scalar", {"eta": "0.2"}, "hyper", "minatar") == {"tau": "1000", "eta": "0.2"}
    assert "; eta of scalar on minatar: how hot (0.1)" in methods.hyper_help()
    with pytest.raises(UserError, match=r"hyper.eta: method scalar has no such .* on mountain_car; it has tau$"):
        complete_hyper("scalar", {"eta": "0.2"}, "hyper", "mountain_car")


@pytest.mark.usefixtures("with_tau")
def test_the_help_lists_hyper_parameters_with_their_defaults():
    assert methods.hyper_help().startswith("tau of scalar: how long (1000); kappa of scalar: how much (2^-4)")


@pytest.mark.usefixtures("with_tau")
@pytest.mark.parametrize(
    ("method", "chosen", "words"),
    [
        ("scalar", {"rho": "1"}, "figures.f.hyper.rho: method scalar has no such hyper-parameter; it has tau, kappa"),
        ("none", {"tau": "1"}, "figures.f.hyper.tau: method none has no such hyper-parameter; it has none"),
        ("scalar", {"tau": "1e3"}, "figures.f.hyper.tau: '1e3' is spelled '1000' here"),
        ("scalar", {"tau": 1000}, "figures.f.hyper.tau: 1000 is not a number token"),
        ("scalar", {"tau": "-1"}, "figures.f.hyper.tau: '-1' is out of range"),
        ("scalar", {"tau": "0"}, "figures.f.hyper.tau: '0' is out of range; it must be a finite number above 0"),
        ("scalar", {"kappa": "1"}, "figures.f.hyper.kappa: '1' is out of range; it must be below 1"),
    ],
)
def test_a_wrong_hyper_parameter_is_refused_in_one_line(method, chosen, words):
    with pytest.raises(UserError) as caught:
        complete_hyper(method, chosen, "figures.f.hyper")
    assert words in str(caught.value) and "\n" not in str(caught.value)
