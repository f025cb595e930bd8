"""Every registered environment of Gymnasium with discrete actions, by its own id; the paper does not have them.

`environment` makes it, `features` says what the agent sees of its observations, and `train` has the plain agents learn:
`metatrace.agents.linear` from tiles or a Fourier basis, `metatrace.networks.plain` with a small network.
"""
