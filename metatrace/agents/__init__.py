"""The learning agents, written for reading: the oracles of the compiled kernels."""
