"""Actor-critics that learn a game from its screen with a convolutional network, at weights of any shape.

`shape` says how large a network is, `plain` is the agent written to be read, `compiled` the same by compiled passes;
`training` plays a game with either, and `checkpoint` saves the whole state of a long run.
"""
