"""Predicting the values of a fixed policy on mountain car."""
