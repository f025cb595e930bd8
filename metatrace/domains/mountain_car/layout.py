"""What the compiled kernels' arrays hold: the one place that both sides of a call agree on."""

from metatrace.domains.mountain_car.drift import N_NOISE
from metatrace.domains.mountain_car.dynamics import N_ACTIONS
from metatrace.domains.mountain_car.tiles import N_TILES

# The methods that kernels have, as `flags` names them.
METHOD_CODES = {
    "none": 0,
    "scalar": 1,
    "scalar-unnormalized": 2,
    "sid": 3,
    "nosid": 4,
    "vector": 5,
    "vector-unnormalized": 6,
    "mixed": 7,
    "mixed-unnormalized": 8,
}
NORMALISERS = ("td_error", "trace_product", "meta_gradient")

# Features: tiles, the bias feature, noise; the last two are there whether they are used or not.
BIAS = N_TILES
FIRST_NOISE = N_TILES + 1
N_FEATURES = N_TILES + 1 + N_NOISE
BLOCKS = 1 + N_ACTIONS  # the value's weights, then one block an action

# flags: int64
(
    METHOD,
    NORMALISER,
    HAS_BIAS,
    DRIFTING,
    BOOTSTRAP_TIME_LIMIT,
    PREVIOUS_ALPHA,
    CUT_TERMINAL_TRACE,
    FORGET_H,
    DIVIDES_OVERSHOOT,
) = range(9)
N_FLAGS = 9

# numbers: float64; U_RATE is how fast u falls to a smaller effective step-size, 1 − γλ in the paper
GAMMA, LAM, MU, TILES_PER_RANGE, LOG_CONSTANT, U_RATE = range(6)
N_NUMBERS = 6

# state: float64, the scalars that live on from call to call; the packed kernel's four sums come last
STATE_BETA, STATE_V, STATE_ALPHA, STATE_VISITED, STATE_SUMS = range(5)
N_STATE = STATE_SUMS + 4

# status: int64. How much of the random numbers a call used; DIVERGED is −1 or the episode of this call;
# STEPS and STAMP count the steps and episodes of the whole run.
UNIFORMS_USED, FLIPS_USED, NOISE_USED, DIVERGED, STEPS, STAMP = range(6)
N_STATUS = 6

# store: float64; the lazy kernel's is STORE_ROWS × N_FEATURES × BLOCKS, the packed kernel's N_FEATURES ×
# STORE_ROWS × BLOCKS. integers: int64, INTEGER_ROWS × N_FEATURES. Each kernel names its rows; w is row 0.
STORE_ROWS = 8
INTEGER_ROWS = 5
# scratch: float64, SCRATCH_ROWS × N_FEATURES, nothing that lives on
SCRATCH_ROWS = 5

# beta: float64, a row an episode of the columns that `settings.BETA_GROUPS` names
N_GROUPS = 6

# How many arrays a kernel takes, after the number of episodes
N_ARRAYS = 15
