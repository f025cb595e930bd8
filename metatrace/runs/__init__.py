"""A run's key, and its file."""
