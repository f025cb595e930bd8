"""What the arguments of `step_kernel.entry` mean: the one place that both sides of a call agree on."""

# What `entry` does with a block
DOTS, TUNE_VECTOR, TUNE_MIXED, TUNE_VECTOR_UNNORMALIZED, TUNE_MIXED_UNNORMALIZED = range(5)
LEARN, LEARN_SCALAR, LEARN_VECTOR, LEARN_MIXED = range(5, 9)
N_PASSES = 9
# What else it does, on the network's small arrays; their order is in `network_kernel`
PATCHES, ACTIVATE_1, ACTIVATE_2, ACTIVATE_3, BACK_3, BACK_2, BACK_1 = range(N_PASSES, 16)
# numbers, float64
GAMMA_LAMBDA, MU, PSI, DELTA, DELTA_HAT, SCALE = range(6)
N_NUMBERS = 6
NEXT_SHARE = 0  # the only number of BACK_3
# sums, float64, that a pass adds to: ⟨∂U|h⟩, ⟨∂H|h⟩, ⟨∂δ|h⟩ by DOTS and, with ĥ, by TUNE_MIXED*;
# ⟨α|(∂U)²⟩ by DOTS (α = 1) and TUNE_* (α = e^β)
DOT_U, DOT_H, DOT_DELTA, EFFECTIVE = range(4)
N_SUMS = 4
# e, float32: rows of what went back
E_V, E_U, E_H, E_N = range(4)

N_INTEGERS, N_POINTERS = 3, 13
