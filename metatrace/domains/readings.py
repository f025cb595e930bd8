"""What a reading is: a question that the paper leaves open, and the answer in force.

Each is an option of the config (`readings:`) and of `metatrace run --reading KEY=VALUE`, is stored with every
run, and is listed in the report. The readings of an environment lie in its domain's `readings.py`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metatrace.errors import UserError
from metatrace.methods import ACTOR_CRITIC


@dataclass(frozen=True)
class Reading:
    """A question that the paper leaves open; `values[0]` is the default answer.

    Attributes:
      agent: the agent that alone is asked, as `Method.agent` has it; empty: all are.
    """

    id: str
    key: str
    question: str
    values: tuple[str, ...]
    why: str
    agent: str = ""

    @property
    def default(self) -> str:
        return self.values[0]


def complete(readings: Iterable[Reading], chosen: Mapping[str, str], where: str) -> dict[str, str]:
    """An answer to each reading: the chosen one, else the default.

    Raises:
      UserError: an unknown key or value; `where` tells the user which file or option holds it.
    """
    known = {reading.key: reading for reading in readings}
    for key, value in chosen.items():
        if key not in known:
            raise UserError(f"{where}.{key}: there is no such reading; the readings are {', '.join(known)}")
        if value not in known[key].values:
            raise UserError(f"{where}.{key}: {value!r} is no answer; it must be one of {', '.join(known[key].values)}")
    return {key: chosen.get(key, reading.default) for key, reading in known.items()}


# What the games ask as well
H_LIFETIME = Reading(
    "R9",
    "h_lifetime",
    "Does h live on from episode to episode?",
    ("run", "episode"),
    "algorithms 1 to 3 reset only z, z_β and u at an episode's start",
)
OVERSHOOT_DIVISOR = Reading(
    "R14",
    "overshoot_divisor",
    "Normalized methods divide α by M = max(u, 1) in every step. Does u remember the largest effective "
    "step-size while it decays, is it that of the present step, or is there no M at all?",
    ("decaying_maximum", "present_step", "absent"),
    "lines 11 and 12 of algorithms 1 and 2, though one overshoot then lowers α several times over",
)
# Of the network, whatever it plays
OUTPUT_LAYERS = Reading(
    "R11",
    "output_layers",
    "Do the value's and the policy's weights start at zero, or as PyTorch starts any layer?",
    ("zero", "pytorch_default"),
    "a comment in the paper's source: the first policy is uniform, the first value zero everywhere",
)
# Of the linear agent, wherever it learns
LINEAR_AGENT = (
    Reading(
        "R1",
        "time_limit",
        "Is the limit of 200 steps a terminal state (V = 0), or is its value bootstrapped?",
        ("terminal", "bootstrap"),
        "gym at the paper's time only said done; it barely matters",
    ),
    Reading(
        "R5",
        "weight_update",
        "Does a step's weight update use the step-size from after the tuner's update or from before it?",
        ("tuned_step_size", "previous_step_size"),
        "algorithms 1 to 3 output α after their update",
    ),
    Reading(
        "R6",
        "sid_meta_gradient",
        "What is SID's update of β in AC(λ)?",
        ("trace_times_h",),
        "β ← β + μ δ ⟨z|h⟩, the paper's quotation of its equation 4.18; pairing each gradient with the h of "
        "its own time instead is the method scalar-unnormalized",
    ),
    Reading(
        "R7",
        "nosid_normaliser",
        "What does NOSID's hard maximum run over: |δ|, |⟨z|h⟩| or |δ⟨z|h⟩|?",
        ("td_error", "trace_product", "meta_gradient"),
        "of the three only |δ| works from μ = 2^-10 to 2^-15 and becomes unstable near 2^-8, as the paper reports",
    ),
    Reading(
        "R8",
        "terminal_trace",
        "Does the trace of earlier states still count (decayed by γλ) in the terminal step, or is it cut?",
        ("decays", "cut"),
        "cut, the last reward would be credited to the last state alone",
    ),
    H_LIFETIME,
    Reading(
        "R12",
        "log_policy",
        "Is log π exact or is a small constant added inside, log(π + 10^-8)?",
        ("exact", "plus_1e-8"),
        "log-softmax needs no constant",
        agent=ACTOR_CRITIC,
    ),
    OVERSHOOT_DIVISOR,
)
