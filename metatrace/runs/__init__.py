"""A run's key, its file, and runs collected."""
