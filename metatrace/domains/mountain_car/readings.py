"""The readings of the paper that concern mountain car, plain and drifting."""

from metatrace.domains.readings import LINEAR_AGENT, Reading
from metatrace.methods import SARSA

_FIRST, *_OTHERS = LINEAR_AGENT
MOUNTAIN_CAR = (
    _FIRST,
    Reading(
        "R2",
        "tile_width",
        "How wide is a tile? Tiling i of 16 is displaced by i/16 of a tile in both dimensions, without hashing.",
        ("range/9", "range/10"),
        "with a ninth of the range every displaced tiling still covers it with exactly 10×10 tiles; "
        "with a tenth the last tiles of the displaced tilings are wider",
    ),
    Reading(
        "R3",
        "bias_feature",
        "Is there an always active feature in addition to the 1600 tiles?",
        ("absent", "present"),
        "the paper counts 1600 features; softmax over 3×1600 weights, value over 1600, all zero at the start",
    ),
    *_OTHERS,
)
DRIFTING = Reading(
    "R4",
    "drift_and_noise",
    "What drifts, and what is noise?",
    ("signs_persist",),
    "each of the 1600 features flips its sign with the drift rate's probability at every step and keeps it "
    "over episodes; 32 noise features, 0 or 1 afresh every step, enter the value and the policy alike, as "
    "figure 7 compares the β of both",
)

EXPLORATION = Reading(
    "R19",
    "exploration",
    "How often does SARSA(λ) take an action at random, whatever their values? (ε of its ε-greedy policy; ties are "
    "broken at random as well.)",
    ("0.1", "0.05", "0.01", "0"),
    "the usual ε; the text of the thesis that has SID and NOSID on SARSA(λ) is not available",
    agent=SARSA,
)

READINGS: dict[str, tuple[Reading, ...]] = {
    "mountain_car": (*MOUNTAIN_CAR, EXPLORATION),
    "drifting_mountain_car": (*MOUNTAIN_CAR, DRIFTING),
}
