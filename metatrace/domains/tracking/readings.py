"""What can be chosen about the tracking tasks."""

from metatrace.domains.readings import Reading

TARGET_SCALE = Reading(
    "R17",
    "target_scale",
    "How large are the relevant weights of tracking_scales' target?",
    ("1", "0.1", "10"),
    "±1 is the task of Sutton (1992); Degris and others (2024) scale its targets",
)
INPUTS = Reading(
    "R16",
    "irrelevant_inputs",
    "Does the learner see tracking's irrelevant inputs, or are they 0, as if their step-sizes were?",
    ("seen", "hidden"),
    "Sutton (1992) hides them only to find which fixed step-size of the relevant inputs is the best",
)

READINGS: dict[str, tuple[Reading, ...]] = {
    "tracking": (INPUTS,),
    "tracking_scales": (TARGET_SCALE,),
    "tracking_2d": (),
}
