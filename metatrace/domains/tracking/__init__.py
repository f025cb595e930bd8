"""Linear regression on targets that drift."""
