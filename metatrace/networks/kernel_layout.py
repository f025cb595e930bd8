"""What the arguments of `step_kernel.entry` mean: the one place that both sides of a call agree on."""

# What `entry` does
FLUSH, SILU, FORWARD, BACKWARD, BACK_SILU, FOLD = range(6)
METHOD_CODES = {
    "none": 7,
    "scalar": 8,
    "scalar-unnormalized": 9,
    "vector": 10,
    "vector-unnormalized": 11,
    "mixed": 12,
    "mixed-unnormalized": 13,
}
# Rows of what goes back, and of gradients: U, H, V(S_t) and γV(S_{t+1})
U, H, V, N = range(4)
# numbers, float64: constants of the run; of a step (γ is 0 in a terminal one; δ is written); what the tuner keeps of a
# β that all weights share, as `tuning.scalar` and the global part of `tuning.mixed` do; sums over all weights: ⟨∂U|h⟩,
# ψ⟨∂H|h⟩, ⟨∂δ|h⟩ and ⟨α|(∂U)²⟩
GAMMA_LAMBDA, MU, PSI, U_RATE, DIVIDES_OVERSHOOT = range(5)
REWARD, GAMMA, DELTA = range(5, 8)
Z_BETA, V_BETA, BETA, U_MAXIMUM = range(8, 12)
DOT_U, DOT_H, DOT_DELTA, EFFECTIVE = range(12, 16)
N_NUMBERS = 16

N_INTEGERS, N_POINTERS = 6, 13
