"""Metatrace Actor-Critic, reproduced: online step-size tuning by meta-gradient descent."""

__version__ = "0.2.0"
