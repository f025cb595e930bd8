"""The paper's open questions and the answer in force: one named option each.

The paper leaves some details unsaid. Each is an option of the config (`readings:`) and of
`metatrace run --reading KEY=VALUE`, is stored with every run, and is listed in the report.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from metatrace.errors import UserError


@dataclass(frozen=True)
class Reading:
    """A question that the paper leaves open; `values[0]` is the default answer."""

    id: str
    key: str
    question: str
    values: tuple[str, ...]
    why: str

    @property
    def default(self) -> str:
        return self.values[0]


MOUNTAIN_CAR = (
    Reading(
        "R1",
        "time_limit",
        "Is the limit of 200 steps a terminal state (V = 0), or is its value bootstrapped?",
        ("terminal", "bootstrap"),
        "gym at the paper's time only said done; it barely matters",
    ),
    Reading(
        "R2",
        "tile_width",
        "How wide is a tile? Tiling i of 16 is displaced by i/16 of a tile in both dimensions, "
        "without hashing.",
        ("range/9", "range/10"),
        "with a ninth of the range every displaced tiling still covers it with exactly 10×10 tiles; "
        "with a tenth the last tiles of the displaced tilings are wider",
    ),
    Reading(
        "R3",
        "bias_feature",
        "Is there an always active feature beside the 1600 tiles?",
        ("absent", "present"),
        "the paper counts 1600 features; softmax over 3×1600 weights, value over 1600, all zero at the start",
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
        "of the three only |δ| works from μ = 2^-10 to 2^-15 and becomes unstable near 2^-8, "
        "as the paper reports",
    ),
    Reading(
        "R8",
        "terminal_trace",
        "Does the trace of earlier states still count (decayed by γλ) in the terminal step, or is it cut?",
        ("decays", "cut"),
        "cut, the last reward would be credited to the last state alone",
    ),
    Reading(
        "R9",
        "h_lifetime",
        "Does h live on from episode to episode?",
        ("run", "episode"),
        "algorithms 1 to 3 reset only z, z_β and u at an episode's start",
    ),
    Reading(
        "R12",
        "log_policy",
        "Is log π exact or is a small constant added inside, log(π + 10^-8)?",
        ("exact", "plus_1e-8"),
        "log-softmax needs no constant",
    ),
)

READINGS: dict[str, tuple[Reading, ...]] = {
    "mountain_car": MOUNTAIN_CAR,
    "drifting_mountain_car": MOUNTAIN_CAR,
}


def complete(environment: str, chosen: Mapping[str, str], where: str) -> dict[str, str]:
    """All readings of an environment: the chosen values, else the defaults.

    Raises:
      UserError: an unknown key or value; `where` tells the user which file or option holds it.
    """
    known = {reading.key: reading for reading in READINGS[environment]}
    for key, value in chosen.items():
        if key not in known:
            raise UserError(f"{where}.{key}: there is no such reading; the readings are {', '.join(known)}")
        if value not in known[key].values:
            raise UserError(
                f"{where}.{key}: {value!r} is no answer; it must be one of {', '.join(known[key].values)}"
            )
    return {key: chosen.get(key, reading.default) for key, reading in known.items()}
