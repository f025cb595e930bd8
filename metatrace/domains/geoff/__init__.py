"""Regression on targets of a random network, which change now and then."""
