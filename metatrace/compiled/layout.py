"""What the arrays of a linear kernel hold: the one place that both sides of a call agree on.

A kernel (`lazy_kernel`, `packed_kernel`) runs some episodes of AC(λ) and takes, after their number, these arrays. A
block is the value's weights, or those of one action; there are 1 + actions blocks. Features that a run does not use
have their places all the same.

    flags        int64 (9,)        choices, see the names below; what is a yes or no is 1 or 0
    numbers      float64 (6,)      constants of the run
    state        float64 (8,)      scalars that live on from call to call
    starts       float64 (episodes,)  what the environment makes each starting state of
    uniforms     float64 (episodes · time limit,)  in [0, 1), one per step, which pick the actions
    flips        int64 (any,)      for every flip of a sign in the run, from the first unused on, its place in the row
                                   of all draws, step · signs + sign; the last is beyond what the call can reach
    noise        int64 (episodes · (time limit + 1),)  a word per observation; bit k is noise feature k
    signs        float64 (signs,)  ±1, of the informative features
    store        float64           STORE_ROWS rows per feature and block, what is learned; each kernel has its order
    integers     int64 (5, features)
    scratch      float64 (5, features)  nothing that lives on
    returns      float64 (episodes,)    written: undiscounted returns
    lengths      int64 (episodes,)      written: steps
    beta         float64 (episodes, 6)  written where signs drift: mean β of groups of weights at each episode's end
    status       int64 (6,)        what the call has used and reached
"""

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
NORMALISERS = ("td_error", "trace_product", "meta_gradient")  # of NOSID

# flags; the last is the environment's own
(
    METHOD,
    NORMALISER,
    DRIFTING,
    BOOTSTRAP_TIME_LIMIT,
    PREVIOUS_ALPHA,
    CUT_TERMINAL_TRACE,
    FORGET_H,
    DIVIDES_OVERSHOOT,
    ENVIRONMENT_FLAG,
) = range(9)
N_FLAGS = 9

# numbers; U_RATE is how fast u falls to a smaller effective step-size, 1 − γλ in the paper; the last is the
# environment's own
GAMMA, LAM, MU, LOG_CONSTANT, U_RATE, ENVIRONMENT_NUMBER = range(6)
N_NUMBERS = 6

# state; the packed kernel's four sums come last
STATE_BETA, STATE_V, STATE_ALPHA, STATE_VISITED, STATE_SUMS = range(5)
N_STATE = STATE_SUMS + 4

# status. How much of the random numbers a call used; DIVERGED is −1 or the episode of this call; STEPS and STAMP count
# the steps and episodes of the whole run.
UNIFORMS_USED, FLIPS_USED, NOISE_USED, DIVERGED, STEPS, STAMP = range(6)
N_STATUS = 6

# The lazy kernel's store is STORE_ROWS × features × blocks, the packed kernel's features × STORE_ROWS × blocks. Each
# kernel names its rows; the weights are row 0.
STORE_ROWS = 8
INTEGER_ROWS = 5
SCRATCH_ROWS = 5
# Columns of `beta`: value/informative, value/noisy, policy/informative, policy/noisy, and the first and the third over
# the features that were ever active
N_GROUPS = 6
N_ARRAYS = 15
