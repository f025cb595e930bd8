"""How the compiled kernels number the features of mountain car: tiles, the bias feature, noise.

The last two are there whether they are used or not.
"""

from metatrace.domains.mountain_car.drift import N_NOISE
from metatrace.domains.mountain_car.dynamics import N_ACTIONS
from metatrace.domains.mountain_car.tiles import N_TILES

BIAS = N_TILES
FIRST_NOISE = N_TILES + 1
N_FEATURES = FIRST_NOISE + N_NOISE
BLOCKS = 1 + N_ACTIONS  # of weights: the value's, then one per action
