"""What the arguments of `step_kernel.entry` mean: the one place that both sides of a call agree on."""

# What `entry` does with a block
DOTS, TRACE, TUNE, TUNE_UNNORMALIZED, LEARN, LEARN_SCALAR, LEARN_VECTOR, LEARN_MIXED = range(8)
# numbers, float64
GAMMA_LAMBDA, MU, PSI, DELTA, DELTA_HAT, SCALE = range(6)
N_NUMBERS = 6
# sums, float64, that a pass adds to: ⟨∂U|ĥ⟩, ⟨∂H|ĥ⟩, ⟨∂δ|ĥ⟩ by DOTS; ⟨α|(∂U)²⟩ by TRACE (α = 1) and TUNE*
DOT_U, DOT_H, DOT_DELTA, EFFECTIVE = range(4)
N_SUMS = 4
# e, float32: rows of what went back
E_V, E_U, E_H, E_N = range(4)

N_INTEGERS, N_POINTERS = 3, 13
