"""The record that the compiled kernels of predictions work on; features are numbered as those of mountain car."""

import numpy as np

from metatrace.compiled import layout, prediction_layout
from metatrace.domains.mountain_car.dynamics import TIME_LIMIT
from metatrace.domains.mountain_car.features import N_FEATURES
from metatrace.domains.mountain_car.tiles import N_TILES

RECORD = layout.record(
    N_FEATURES,
    1,
    TIME_LIMIT,
    N_TILES,
    own=[
        ("has_bias", np.int64),
        ("tiles_per_range", np.float64),
        *prediction_layout.fields(N_FEATURES, TIME_LIMIT),
    ],
)
