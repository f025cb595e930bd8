"""Fingerprints, outputs, status and recovery of a scale: what the workflow knows."""
