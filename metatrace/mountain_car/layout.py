"""What the compiled kernel's arrays hold: the one place that both sides of the call agree on."""

from metatrace.mountain_car.dynamics import N_ACTIONS
from metatrace.mountain_car.tiles import N_TILES

METHODS = ("none", "scalar", "scalar-unnormalized", "sid", "nosid")
NORMALISERS = ("td_error", "trace_product", "meta_gradient")

# w, h and z′ are (N_FEATURES, BLOCKS): column 0 is the value's, then one column an action. The last
# row is the bias feature's, used or not.
N_FEATURES = N_TILES + 1
BLOCKS = 1 + N_ACTIONS

# flags: int64
METHOD, NORMALISER, BIAS, BOOTSTRAP_TIME_LIMIT, PREVIOUS_ALPHA, CUT_TERMINAL_TRACE, FORGET_H = range(7)
N_FLAGS = 7

# numbers: float64
GAMMA, LAM, MU, TILES_PER_RANGE, LOG_CONSTANT = range(5)
N_NUMBERS = 5

# state: float64, what lives on from call to call beside w and h
STATE_BETA, STATE_V, STATE_ALPHA = range(3)
N_STATE = 3

# status: int64; STAMP counts the episodes of the whole run, DIVERGED is −1 or the episode of this call
UNIFORMS_USED, DIVERGED, STEPS, STAMP = range(4)
N_STATUS = 4
