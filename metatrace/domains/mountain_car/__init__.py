"""Mountain car with tile coding and a linear actor-critic (paper, section "Mountain Car").

`plain` is the agent to read, with real Gymnasium and the tuners of `metatrace.tuning`; `kernel` is
the same agent as one compiled loop; `training` runs either.
"""
