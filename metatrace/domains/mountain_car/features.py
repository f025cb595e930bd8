"""How the compiled kernels number the features of mountain car, and the record that they work on.

Tiles, the bias feature, noise: the last two are there whether they are used or not.
"""

import numpy as np

from metatrace.compiled import dense_layout, layout, sarsa_layout
from metatrace.domains.mountain_car.drift import N_NOISE
from metatrace.domains.mountain_car.dynamics import N_ACTIONS, TIME_LIMIT
from metatrace.domains.mountain_car.tiles import N_TILES

BIAS = N_TILES
FIRST_NOISE = N_TILES + 1
N_FEATURES = FIRST_NOISE + N_NOISE
_OWN = [("has_bias", np.int64), ("tiles_per_range", np.float64)]
RECORD = layout.record(N_FEATURES, 1 + N_ACTIONS, TIME_LIMIT, N_TILES, own=_OWN)
DENSE_RECORD = layout.record(
    N_FEATURES, 1 + N_ACTIONS, TIME_LIMIT, N_TILES, own=[*_OWN, *dense_layout.fields(N_FEATURES)]
)
# Of SARSA(λ): a feature for each feature of a state and action, those of an action together, and one block of weights.
# An episode chooses an action more than it has steps, if its time limit is bootstrapped.
SARSA_RECORD = layout.record(
    N_ACTIONS * N_FEATURES, 1, TIME_LIMIT + 1, N_TILES, own=[*_OWN, *sarsa_layout.fields(N_ACTIONS)]
)
