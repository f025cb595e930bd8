"""What `related_kernel.entry` does besides what `step_kernel.entry` does, and what it finds among its numbers."""

from metatrace.networks import kernel_layout as layout

# What `entry` does: a step of all weights by an optimiser; and of SARSA(λ), see the functions of these names
METHOD_CODES = {"rmsprop": 14, "adam": 15, "obgd": 16}
BACKWARD_Q, ADD_TO_TRACE, MOVE = range(17, 20)
# Places that are a tuner's in `kernel_layout`. An optimiser has none and keeps its own there: ρ, or β₁ and β₂; ε; κ; α,
# where the tuner has log α; 1 − β₁^t and 1 − β₂^t of its last step (ρ's is the second); ‖z‖₁
RATE_1, RATE_2, EPSILON = layout.MU, layout.U_RATE, layout.DIVIDES_OVERSHOOT
KAPPA = EPSILON
ALPHA = layout.BETA
CORRECTION_1, CORRECTION_2, NORM = layout.V_BETA, layout.EFFECTIVE, layout.DOT_U
