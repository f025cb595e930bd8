"""The readings that concern predictions: of the paper's those that have a meaning here, and one of AutoTIDBD."""

from metatrace.domains.mountain_car.readings import DRIFTING, MOUNTAIN_CAR
from metatrace.domains.readings import Reading

_SHARED = ("tile_width", "weight_update", "terminal_trace", "h_lifetime", "overshoot_divisor")
AUTOTIDBD_ETA = Reading(
    "R18",
    "autotidbd_eta",
    "What is η, AutoTIDBD's running maximum of meta-gradients, before the first step?",
    ("one", "zero"),
    "its paper does not say; from 1, the first meta-gradients count for little until η has fallen to their size; "
    "from 0, the first one moves β by a whole θ",
)
PREDICTION = (*(reading for reading in MOUNTAIN_CAR if reading.key in _SHARED), AUTOTIDBD_ETA)

READINGS: dict[str, tuple[Reading, ...]] = {
    "prediction": PREDICTION,
    "drifting_prediction": (*PREDICTION, DRIFTING),
}
