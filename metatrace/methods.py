"""The registry of methods: all that the project knows of a method apart from its algorithm.

To add a method, write a tuner (a module with one class, a subclass of `metatrace.tuning.Tuner`) and add one entry to
`METHODS`. Config schema, `--help`, captions, legends and checks are made from the entries. Nothing heavy is imported
here, so knowing a name costs nothing. No fingerprint covers this module: what a run depends on of an entry (`tuner`,
`options`, `hyper`) enters its fingerprint entry by entry, so a new entry makes no other run stale.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from metatrace import numbers
from metatrace.errors import UserError

UNTUNED = "none"
ACTOR_CRITIC, SARSA = "actor_critic", "sarsa"
Dashes = tuple[float, ...]
_CONTROL = ("mountain_car", "atari", "minatar", "gymnasium")
_REGRESSION = ("tracking", "geoff")
_PREDICTION = ("prediction",)


@dataclass(frozen=True)
class Hyperparameter:
    """A number that a method needs besides α and μ.

    Attributes:
      default: the published one, a number token. text: what it is, in a few words.
      zero, below: which values are refused: 0 unless `zero` allows it, and those from `below` up.
      domains: where alone the method has it, as a number of its agent there; (): everywhere, as one of its tuner.
    """

    name: str
    default: str
    text: str
    zero: bool = False
    below: float = math.inf
    domains: tuple[str, ...] = ()


@dataclass(frozen=True)
class Method:
    """A method for choosing step-sizes.

    Attributes:
      token: its name in configs, paths and on the command line.
      label: its name in running text; `short`: in legends, where a line break may stand.
      colour, dashes, marker: how its line looks in every figure; `dashes` is an on-off pattern, () is solid.
      tuner: `module:Class`. options: keyword arguments that tell it from another entry with the same class.
      domains: the folders of `metatrace.domains` on which it runs. excluded: environments of these where it does not.
      agent: whose weights it changes, `ACTOR_CRITIC` or `SARSA`; `options` and `hyper` are the tuner's.
      kernels: domain -> the compiled kernel that runs it there; on other domains its tuner runs as it stands.
      hyper: its further hyper-parameters; `has_mu`: whether it has a meta-step-size.
    """

    token: str
    label: str
    short: str
    colour: str
    dashes: Dashes
    marker: str
    tuner: str
    domains: tuple[str, ...] = _CONTROL
    options: Mapping[str, object] = field(default_factory=dict)
    kernels: Mapping[str, str] = field(default_factory=dict)
    hyper: tuple[Hyperparameter, ...] = ()
    has_mu: bool = True
    agent: str = ACTOR_CRITIC
    excluded: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name in legends, on one line."""
        return self.short.replace("\n", " ")

    def hyper_on(self, domain: str) -> dict[str, Hyperparameter]:
        """Its hyper-parameters on a domain, by name; the tuner's alone for "", which is none."""
        return {one.name: one for one in self.hyper if not one.domains or domain in one.domains}

    @property
    def line_style(self) -> str | tuple[float, Dashes]:
        """The dashes as matplotlib's linestyle."""
        return (0, self.dashes) if self.dashes else "-"


_LAZY = {"mountain_car": "lazy_kernel"}
_STEP = {"atari": "step_kernel", "minatar": "step_kernel"}
_LAZY_AND_STEP = {**_LAZY, **_STEP}
_PACKED_AND_STEP = {"mountain_car": "packed_kernel", **_STEP}
_RELATED = {"atari": "related_kernel", "minatar": "related_kernel"}
_DENSE = {"mountain_car": "dense_kernel", **_RELATED}
_LAZY_ALSO = {**_LAZY_AND_STEP, "prediction": "prediction_lazy_kernel"}
_PACKED_ALSO = {**_PACKED_AND_STEP, "prediction": "prediction_packed_kernel"}
_TRACKING, _GEOFF = {"tracking": "tracking_kernel"}, {"geoff": "geoff_kernel"}
_TIDBD = {"prediction": "tidbd_kernel"}
_UNNORMALIZED = {"normalized": False}
_SARSA_LAZY = {"mountain_car": "sarsa_lazy_kernel"}
_SARSA: dict[str, Any] = {"agent": SARSA, "domains": ("mountain_car",), "excluded": ("drifting_mountain_car",)}

# In the order in which figures show them. Hues of Okabe and Ito, which colour-blind eyes tell apart, and of Tol where
# those run out; the dashes tell them apart in grey.
_ENTRIES = (
    Method(
        UNTUNED, "no tuning", "no tuning", "#000000", (5.0, 2.0), "o",
        "metatrace.tuning.constant:Constant", (*_CONTROL, *_REGRESSION, *_PREDICTION),
        kernels=_LAZY_ALSO | _TRACKING | _GEOFF, has_mu=False,
    ),
    Method(
        "scalar", "normalized scalar Metatrace", "scalar", "#0072b2", (), "s",
        "metatrace.tuning.scalar:Scalar", (*_CONTROL, *_PREDICTION), kernels=_LAZY_ALSO,
    ),
    Method(
        "vector", "normalized vector Metatrace", "vector", "#d55e00", (1.6, 0.9), "D",
        "metatrace.tuning.vector:Vector", (*_CONTROL, *_PREDICTION), kernels=_PACKED_ALSO,
    ),
    Method(
        "mixed", "normalized mixed Metatrace", "mixed", "#009e73", (7.0, 1.0, 1.6, 1.0), "^",
        "metatrace.tuning.mixed:Mixed", (*_CONTROL, *_PREDICTION), kernels=_PACKED_ALSO,
    ),
    Method(
        "scalar-unnormalized", "unnormalized scalar Metatrace", "scalar,\nunnormalized", "#56b4e9", (), "v",
        "metatrace.tuning.scalar:Scalar", options=_UNNORMALIZED, kernels=_LAZY_AND_STEP,
    ),
    Method(
        "vector-unnormalized", "unnormalized vector Metatrace", "vector,\nunnormalized", "#e69f00", (1.6, 0.9), "P",
        "metatrace.tuning.vector:Vector", (*_CONTROL, *_PREDICTION), options=_UNNORMALIZED, kernels=_PACKED_ALSO,
    ),
    Method(
        "mixed-unnormalized", "unnormalized mixed Metatrace", "mixed,\nunnormalized", "#999933",
        (7.0, 1.0, 1.6, 1.0), "X", "metatrace.tuning.mixed:Mixed", options=_UNNORMALIZED, kernels=_PACKED_AND_STEP,
    ),
    Method(
        "sid", "SID", "SID", "#cc79a7", (4.5, 1.3), "<",
        "metatrace.tuning.sid:Sid", kernels=_LAZY,
    ),
    Method(
        "nosid", "NOSID", "NOSID", "#882255", (1.2, 1.6), "p",
        "metatrace.tuning.nosid:Nosid", kernels=_LAZY,
    ),
    Method(
        "rmsprop", "RMSProp", "RMSProp", "#332288", (3.0, 1.0), ">",
        "metatrace.related.rmsprop:RMSProp", (*_CONTROL, *_REGRESSION),
        kernels=_DENSE | _TRACKING | _GEOFF, has_mu=False,
        hyper=(
            Hyperparameter("rho", "0.999", "how much of the mean of squares is kept", below=1.0),
            Hyperparameter("epsilon", "0.0001", "what is added inside the root"),
        ),
    ),
    Method(
        "adam", "Adam", "Adam", "#661100", (3.0, 1.0, 1.0, 1.0), "*",
        "metatrace.related.adam:Adam", (*_CONTROL, *_REGRESSION),
        kernels=_DENSE | _TRACKING | _GEOFF, has_mu=False,
        hyper=(
            Hyperparameter("beta_1", "0.9", "how much of the mean of gradients is kept", below=1.0),
            Hyperparameter("beta_2", "0.999", "how much of the mean of squares is kept", below=1.0),
            Hyperparameter("epsilon", "1e-8", "what is added to the root"),
        ),
    ),
    Method(
        "obgd", "ObGD", "ObGD", "#44aa99", (1.0, 1.0), "8",
        "metatrace.related.obgd:ObGD", kernels=_DENSE, has_mu=False,
        hyper=(Hyperparameter("kappa", "2^1", "how far below an overshoot a step stays"),),
    ),
    # SARSA(λ), the agent that SID and NOSID were made for. Markers are those of the same tuner under AC(λ).
    Method(
        "sarsa-none", "SARSA(λ) without tuning", "SARSA", "#117733", (5.0, 2.0, 1.0, 2.0), "o",
        "metatrace.tuning.constant:Constant", kernels={**_SARSA_LAZY, "minatar": "related_kernel"}, has_mu=False,
        **{**_SARSA, "domains": ("mountain_car", "minatar")},
        hyper=(
            Hyperparameter("tau_0", "2^-1", "the softmax policy's temperature at the start", domains=("minatar",)),
            Hyperparameter("tau_k", "0.00025", "how fast it falls, an episode", zero=True, domains=("minatar",)),
        ),
    ),
    Method(
        "sarsa-scalar", "SARSA(λ) with normalized scalar Metatrace", "SARSA,\nscalar", "#88ccee", (9.0, 1.5), "s",
        "metatrace.tuning.scalar:Scalar", kernels=_SARSA_LAZY, **_SARSA,
    ),
    Method(
        "sarsa-mixed", "SARSA(λ) with normalized mixed Metatrace", "SARSA,\nmixed", "#cc6677", (7.0, 1.0), "^",
        "metatrace.tuning.mixed:Mixed", kernels={"mountain_car": "sarsa_packed_kernel"}, **_SARSA,
    ),
    Method(
        "sarsa-sid", "SARSA(λ) with SID", "SARSA,\nSID", "#994455", (2.5, 1.3), "<",
        "metatrace.tuning.sid:Sid", kernels=_SARSA_LAZY, **_SARSA,
    ),
    Method(
        "sarsa-nosid", "SARSA(λ) with NOSID", "SARSA,\nNOSID", "#ddaa33", (1.2, 1.0), "p",
        "metatrace.tuning.nosid:Nosid", kernels=_SARSA_LAZY, **_SARSA,
    ),
    Method(
        "momentum", "momentum", "momentum", "#6699cc", (4.0, 1.0), "H",
        "metatrace.related.momentum:Momentum", ("geoff",), kernels=_GEOFF, has_mu=False,
        hyper=(Hyperparameter("rho", "0.9", "how much of the sum of gradients is kept", below=1.0),),
    ),
    Method(
        "idbd", "IDBD", "IDBD", "#aa4499", (2.2, 0.8), "d",
        "metatrace.related.idbd:Idbd", ("tracking",), kernels=_TRACKING,
    ),
    Method(
        "autostep", "Autostep", "Autostep", "#cc3311", (6.0, 1.0, 1.0, 1.0, 1.0, 1.0), "s",
        "metatrace.related.autostep:Autostep", ("tracking",), kernels=_TRACKING,
        hyper=(Hyperparameter("tau", "10000", "over how many steps the normaliser forgets"),),
    ),
    Method(
        "crossprop", "crossprop", "crossprop", "#997700", (1.6, 0.6, 4.0, 0.6), "X",
        "metatrace.related.crossprop:Crossprop", ("geoff",), kernels=_GEOFF, has_mu=False,
    ),
    Method(
        "tidbd", "TIDBD", "TIDBD", "#aa3377", (1.6, 0.9, 1.6, 3.0), "v",
        "metatrace.related.tidbd:Tidbd", _PREDICTION, kernels=_TIDBD,
    ),
    Method(
        "tidbd-scalar", "scalar TIDBD", "scalar\nTIDBD", "#ee99aa", (7.0, 2.0), "<",
        "metatrace.related.tidbd:ScalarTidbd", _PREDICTION, kernels=_TIDBD,
    ),
    Method(
        "autotidbd", "AutoTIDBD", "AutoTIDBD", "#004488", (4.5, 1.3, 1.0, 1.3), "X",
        "metatrace.related.autotidbd:AutoTidbd", _PREDICTION, kernels=_TIDBD,
        hyper=(Hyperparameter("tau", "10000", "over how many steps the maximum of meta-gradients falls"),),
    ),
)  # fmt: skip
METHODS: dict[str, Method] = {entry.token: entry for entry in _ENTRIES}


def method_of(token: str, where: str) -> Method:
    """The method of a name.

    Raises:
      UserError: there is no such method; `where` tells the user which key or option names it.
    """
    if token not in METHODS:
        raise UserError(f"{where}: there is no {token!r}; it must be one of {', '.join(METHODS)}")
    return METHODS[token]


def complete_hyper(method: str, chosen: Mapping[str, str], where: str, domain: str = "") -> dict[str, str]:
    """A value for each further hyper-parameter of a method: the chosen number token, else the default.

    Args:
      domain: where it runs; "" leaves out the hyper-parameters that are not the tuner's.

    Raises:
      UserError: an unknown method or hyper-parameter, no number token, or one out of range; `where` tells the user
        which file or option holds it.
    """
    known = method_of(method, where).hyper_on(domain)
    for name, token in chosen.items():
        if name not in known:
            listed = f"it has {', '.join(known)}" if known else "it has none"
            elsewhere = domain and any(one.name == name for one in METHODS[method].hyper)
            there = f" on {domain}" if elsewhere else ""
            raise UserError(f"{where}.{name}: method {method} has no such hyper-parameter{there}; {listed}")
        if numbers.parse(token, f"{where}.{name}", zero=known[name].zero) >= known[name].below:
            raise UserError(f"{where}.{name}: {token!r} is out of range; it must be below {known[name].below:g}")
    return {name: chosen.get(name, parameter.default) for name, parameter in known.items()}


def hyper_help() -> str:
    """The further hyper-parameters of all methods, for `--help`."""
    listed = (
        f"{parameter.name} of {' on '.join([method.token, *parameter.domains])}: {parameter.text} ({parameter.default})"
        for method in METHODS.values()
        for parameter in method.hyper
    )
    return "; ".join(listed).replace("%", "%%") or "no method has any"
