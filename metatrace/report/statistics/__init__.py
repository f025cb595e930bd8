"""The statistics that decide the claims, one function per claim; `config/claims.yaml` says them in words.

Each takes the scores of the figures that the claim names and returns a value for every part of it, or raises
LackingError or UndecidableError. A value is NaN if it is unknown: a score is NaN, or a denominator is zero. Seeds are
the first axis of every array, so a bootstrap calls the same function for the seeds that it has drawn.
"""
