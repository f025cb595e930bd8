"""What a domain is: the one interface behind which every world that agents learn in stands.

A domain is a folder here with `domain.py`, which says what the rest of the project may know of it, and an entry in
`metatrace.domains.registry`. `domain.py` imports nothing heavy; `train` imports what it needs when it is called.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from metatrace.domains.readings import Reading
from metatrace.methods import METHODS, Method
from metatrace.runs.key import RunKey

if TYPE_CHECKING:  # who only asks what there is pays for no numpy
    from metatrace.runs.results import Run


class Progress(Protocol):
    """Is told how many more episodes, frames or examples are done; `before`: by a run that was cut short."""

    def __call__(self, more: int, *, before: bool = False) -> None: ...


@dataclass(frozen=True)
class Environment:
    """An environment of a domain, as configs, captions and tables know it.

    Attributes:
      token, label: its name in configs and paths, and in running text.
      readings: the questions that the paper leaves open about it.
      has_drift: whether its runs have a drift rate.
      failed_return: the return of an episode without a policy, after a run has diverged. Runs that count in episodes
        hold it, and runs with losses have no use for it: their losses say what came then.
    """

    token: str
    label: str
    readings: tuple[Reading, ...]
    failed_return: float
    has_drift: bool = False

    def asked(self, *methods: str) -> tuple[Reading, ...]:
        """Of the readings those that concern the agent of one of some methods."""
        agents = {"", *(METHODS[method].agent for method in methods)}
        return tuple(reading for reading in self.readings if reading.agent in agents)


@dataclass(frozen=True)
class Code:
    """The code behind something made, for its fingerprint (`metatrace.pipeline.provenance`).

    Attributes:
      entries: `module`, all of it, or `module:name`, a function, class or constant of it; with all that they use.
      method: leaves out the functions that a module's `USED_BY` table gives to other methods alone.
      facts: further text that enters, such as a method's options in the registry.
      packages: those of others that are loaded without an `import` of their name, whose versions enter.
    """

    entries: tuple[str, ...]
    method: str = ""
    facts: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """A run to make: what identifies it, how long it is, and how it is to be made.

    Attributes:
      length: in the domain's unit.
      readings, hyper: complete: every reading of the environment and hyper-parameter of the method has a value.
      agent: `fast`, the compiled one where the method has it, or `plain`, the one written for reading.
      device: cpu, cuda or auto. kernel: the compiled kernel's file. checkpoint, checkpoint_every: a file to save the
        whole state in, and how often, in seconds. Domains that have no use for these refuse them (`options`).
      made_by: the fingerprint of the code and the versions of packages, as `meta` will have them. A checkpoint that
        other code left is refused.
    """

    key: RunKey
    length: int
    readings: Mapping[str, str]
    hyper: Mapping[str, str] = field(default_factory=dict)
    agent: str = "fast"
    device: str = "auto"
    kernel: Path | None = None
    checkpoint: Path | None = None
    checkpoint_every: float = 300.0
    made_by: Mapping[str, object] = field(default_factory=dict)


class Domain(ABC):
    """A world that agents learn in.

    Attributes:
      name: of its folder in `metatrace.domains`, as `Method.domains` has it.
      environments: by token. slowest: the one that takes longest, for estimates.
      unit: what runs are counted in: `episodes`, `frames` or `examples`; also the option of `metatrace run` and the
        config's key.
      unit_text: in running text: "episodes", "observed frames". unit_note: what one is, where that is not plain.
      length_in_meta: the key of a run file's `meta` that holds the length.
      options: which of `device`, `checkpoint` and `agent` its runs take.
      auto_device: what the device `auto` means there, where `device` is an option: itself, the graphics card if there
        is one, or cpu.
      kernels: the names of its compiled kernels.
    """

    name: str
    environments: Mapping[str, Environment]
    slowest: str
    unit = "episodes"
    unit_text = "episodes"
    unit_note = ""
    length_in_meta = "episodes"
    options: frozenset[str] = frozenset()
    auto_device = "auto"
    kernels: tuple[str, ...] = ()

    def device(self, chosen: str) -> str:
        """What a chosen device means there: cpu, cuda, or auto."""
        return self.auto_device if chosen == "auto" else chosen

    def check(self, environment: str) -> None:  # noqa: B027 — most have nothing to find out
        """Finds out what only making an environment shows; it may import what it needs.

        Raises:
          UserError: the environment is not there, or of a kind that the agents cannot learn on.
        """

    @abstractmethod
    def train(self, request: Request, progress: Progress) -> "Run":
        """Makes a run. `meta` says how, but for the code, which the caller adds.

        `meta["processor"]` names the kind of processor that the last digits of the numbers may depend on: the same
        request, code and packages give the same bytes on every processor of the same kind, and are not promised to
        on another.
        """

    @abstractmethod
    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The code behind a run of a method. `agent` is as in `Request`."""

    def kernel_of(self, method: str) -> str | None:
        """The compiled kernel that runs a method; None where its tuner runs as it stands."""
        return METHODS[method].kernels.get(self.name)

    def kernel_code(self, kernel: str) -> Code:
        """The code behind a compiled kernel."""
        raise KeyError(kernel)

    def compile(self, kernel: str) -> bytes:
        """Compiles one of its kernels."""
        raise KeyError(kernel)


def facts_of(method: Method, domain: str) -> tuple[str, ...]:
    """What a run on a domain depends on of a method's entry in the registry, for `Code.facts`."""
    hyper = {name: parameter.default for name, parameter in method.hyper_on(domain).items()}
    return (f"{method.token}: {method.tuner} {sorted(method.options.items())} {sorted(hyper.items())}",)
