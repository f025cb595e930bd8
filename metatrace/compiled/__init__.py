"""Object code, and what the compiled kernels share."""
