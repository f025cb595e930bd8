"""The readings of the paper that concern mountain car, plain and drifting."""

from metatrace.domains.readings import Reading

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
    Reading(
        "R14",
        "overshoot_divisor",
        "Normalized methods divide α by M = max(u, 1) in every step. Does u remember the largest effective "
        "step-size while it decays, is it that of the present step, or is there no M at all?",
        ("decaying_maximum", "present_step", "absent"),
        "lines 11 and 12 of algorithms 1 and 2, though one overshoot then lowers α several times over",
    ),
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

READINGS: dict[str, tuple[Reading, ...]] = {
    "mountain_car": MOUNTAIN_CAR,
    "drifting_mountain_car": (*MOUNTAIN_CAR, DRIFTING),
}
