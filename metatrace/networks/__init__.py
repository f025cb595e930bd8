"""Agents that learn a game from its screen with a convolutional network, at weights of any shape.

`shape` says how large a network is. `plain` is the actor-critic written to be read, and `compiled` the same by compiled
passes. `sarsa` and `plain_sarsa` are SARSA(λ) written to be read. `related` is the compiled SARSA(λ), and the compiled
actor-critic with RMSProp, Adam or ObGD. `training` plays a game with any of them, and `checkpoint` saves the whole
state of a long run.
"""
